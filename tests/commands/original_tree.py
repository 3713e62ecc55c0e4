#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a tree as OProfile does, and refuses what OProfile would not read.

	original_tree.py 0.9.9|1.4 DIR

This is written from the facts of the format and shares nothing with the code that writes: layouts,
hash and names are spelled out here once more.  Output: the header of each kind of file, and the sum
of samples by application, image and event, in the order of their names; those of memory with an
object of JIT code by function, too.
"""
import os
import re
import struct
import sys

# version of files, bytes of header, offsets of anon_start, number of CPU types
RELEASES = {"0.9.9": (0x12, 88, 64, 84), "1.4": (0x13, 72, 56, 88)}
STATISTICS = {
    "0.9.9": {"event_lost_overflow", "sample_lost_no_mapping", "bt_lost_no_mapping",
              "sample_lost_no_mm"},
    "1.4": {"total_samples", "lost_invalid_domain", "lost_kernel", "lost_samplefile",
            "lost_no_mapping", "lost_no_app_for_kernel_sample", "lost_no_app_for_user_sample",
            "lost_bt_no_mapping", "lost_invalid_hypervisor_addr", "lost_records_by_kernel"},
}
# numbers of CPU types of this architecture: in 0.9.9, in 1.4
CPU_TYPES = """i386/ppro 0 0|i386/pii 1 1|i386/piii 2 2|i386/athlon 3 3|timer 4 4|rtc 5 -|i386/p4 6 5|
x86-64/hammer 10 6|i386/p4-ht 11 7|i386/p6_mobile 17 9|i386/core 38 30|i386/core_2 40 32|
x86-64/family10 44 35|i386/arch_perfmon 52 41|x86-64/family11h 53 42|i386/core_i7 56 44|
i386/atom 57 45|i386/nehalem 59 47|x86-64/family12h 63 51|x86-64/family14h 64 52|
x86-64/family15h 65 53|i386/westmere 66 54|i386/sandybridge 69 57|i386/ivybridge 75 63|
i386/haswell 79 67|x86-64/generic 81 69|i386/silvermont - 74|i386/broadwell - 77|
i386/skylake - 80|i386/goldmont - 81|i386/goldmontplus - 82|i386/knightslanding - 86"""
CPU_TYPES = [line.split() for line in CPU_TYPES.replace("\n", "").split("|")]
ALL = (1 << 64) - 1

# of release 1.4: what is no loss of samples; a report warns of one wherever the folder is
NO_LOSS = {"total_samples", "lost_bt_no_mapping"}

faults = 0


def fault(path, text):
    global faults
    faults += 1
    print(f"FAULT: {path}: {text}")


def parse_image(parts, path):
    """Takes an image from the front of the components of a path."""
    marker = parts.pop(0)
    if marker.startswith("{anon:") and marker.endswith("}"):
        memory = parts.pop(0).split(".")
        if len(memory) != 3 or not re.fullmatch(r"\d+", memory[0]) or \
           not all(re.fullmatch(r"0x[0-9a-f]+", end) for end in memory[1:]):
            fault(path, "anonymous memory is not TGID.0xSTART.0xEND")
        return f"{marker} {memory[0]}"
    if marker not in ("{root}", "{kern}"):
        fault(path, f"'{marker}' is no marker")
    name = []
    while parts and parts[0] not in ("{dep}", "{cg}"):
        name.append(parts.pop(0))
    if not name or (marker == "{kern}" and len(name) > 1):
        fault(path, "an image without a name, or a path below {kern}")
    return "/" + "/".join(name)


def parse_name(below, path):
    """(application, image, callee or None, event, [count, unit mask, tgid, tid, cpu])"""
    parts = below.split("/")
    event = parts.pop().split(".")
    if len(event) != 6 or not all(event):
        fault(path, "the event has not six parts")
    for number in event[1:3]:
        if not re.fullmatch(r"\d+", number) or int(number) >= 1 << 31:
            fault(path, f"{number} is not what %d prints")
    for number in event[3:]:
        if number != "all" and not re.fullmatch(r"\d+", number):
            fault(path, f"{number} is neither a number nor all")
    app = parse_image(parts, path)
    if not parts or parts.pop(0) != "{dep}":
        fault(path, "no {dep}")
    image = parse_image(parts, path)
    callee = None
    if parts and parts.pop(0) == "{cg}":
        callee = parse_image(parts, path)
    if parts:
        fault(path, "more than OProfile's grammar has")
    return app, image, callee, event[0], event[1:]


def type_name(release, number, path):
    column = 1 if release == "0.9.9" else 2
    for names in CPU_TYPES:
        if names[column] == str(number):
            return names[0]
    fault(path, f"{number} is no CPU type of this architecture")
    return "?"


def read_nodes(data, at, path):
    """The nodes in the order of the file; each must be found by its hash."""
    size, used = struct.unpack_from("<II", data, at)
    nodes, buckets = at + 32, at + 32 + 16 * size
    if size < 128 or size & (size - 1) or len(data) != buckets + 4 * size:
        fault(path, f"size {size} does not fit {len(data)} bytes")
        return []
    if (len(data) - at - 32) // 20 != size or not 1 <= used <= size:
        fault(path, f"size {size}, current_size {used}")
        return []
    if any(data[at + 8:at + 32]) or any(data[nodes:nodes + 16]):
        fault(path, "reserved words or node 0 are not zero")
    found = []
    for i in range(1, used):
        key, value, _ = struct.unpack_from("<QII", data, nodes + 16 * i)
        folded = (key >> 32 ^ key) & 0xffffffff
        bucket = (folded ^ folded >> 8) & (size - 1)
        link, = struct.unpack_from("<I", data, buckets + 4 * bucket)
        while link and link != i:
            link, = struct.unpack_from("<I", data, nodes + 16 * link + 12)
        if link != i or not value:
            fault(path, f"node {i} is not in the chain of its key, or counts 0")
        found.append((key, value))
    return found


def read_file(release, path, below):
    version, length, anon, types = RELEASES[release]
    with open(path, "rb") as file:
        data = file.read()
    app, image, callee, event, numbers = parse_name(below, path)
    magic, is_version, cpu_type, code, mask, count, is_kernel = \
        struct.unpack_from("<4s6I", data, 0)
    speed, mtime, callee_is_kernel, spu = struct.unpack_from("<dQII", data, 32)
    start, callee_start = struct.unpack_from("<QQ", data, anon)
    if magic != b"DAE\n" or is_version != version:
        fault(path, f"magic {magic}, version {is_version:#x}")
    if version == 0x12 and (spu or struct.unpack_from("<Q", data, 56)[0] != ALL):
        fault(path, "SPU fields are used")
    if cpu_type >= types:
        fault(path, f"there is no CPU type {cpu_type}")
    if [str(count), str(mask)] != numbers[:2]:
        fault(path, f"count {count} and unit mask {mask} are not those of the name")
    if is_kernel > 1 or callee_is_kernel > 1 or (callee_is_kernel and not callee):
        fault(path, "kernel flags")
    nodes = read_nodes(data, length, path)
    return dict(app=app, image=image, callee=callee, event=".".join([event, *numbers]),
                header=f"type {type_name(release, cpu_type, path)} event {code:#x} mask {mask} count {count} "
                       f"speed {speed:g}",
                facts=(mtime, is_kernel), start=start, callee_start=callee_start,
                total=sum(value for _, value in nodes), nodes=nodes)


def read_object(path):
    """Code sections of an ELF file, each with its range of addresses and symbols, by address."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\x7fELF":
        return []
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    at, = struct.unpack_from(order + ("Q" if wide else "I"), data, 0x28 if wide else 0x20)
    size, n, _ = struct.unpack_from(order + "3H", data, 0x3a if wide else 0x2e)
    layout = order + ("IIQQQQIIQQ" if wide else "10I")
    heads = [struct.unpack_from(layout, data, at + size * i) for i in range(n)]
    code = {i: (head[3], head[3] + head[5], []) for i, head in enumerate(heads) if head[2] & 4}
    for head in heads:
        if head[1] != 1:
            continue
        if head[4] + head[5] > len(data):
            fault(path, "a section reaches beyond the file")
    for head in [head for head in heads if head[1] == 2]:
        names = heads[head[6]][4]
        for k in range(head[4], head[4] + head[5], head[9]):
            if wide:
                name, _, _, section, value = struct.unpack_from(order + "IBBHQ", data, k)
            else:
                name, value, _, _, _, section = struct.unpack_from(order + "IIIBBH", data, k)
            if section in code:
                start = names + name
                code[section][2].append((value, data[start:data.index(b"\0", start)].decode()))
    for _, _, symbols in code.values():
        symbols.sort()
    return list(code.values())


def function_at(sections, address, path):
    """A symbol reaches up to the next one of its section, or to the section's end."""
    for start, end, symbols in sections:
        below = [name for value, name in symbols if value <= address]
        if start <= address < end and below:
            return below[-1]
    fault(path, f"{address:#x} is in no symbol: OProfile drops its samples")
    return "?"


def main():
    release, top = sys.argv[1:]
    samples, sums, headers, facts = os.path.join(top, "samples/current"), {}, set(), {}
    functions = {}
    for folder, folders, names in os.walk(top):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            below = os.path.relpath(path, samples)
            if below.startswith("stats/"):
                if name not in STATISTICS[release]:
                    fault(path, "an unknown statistic")
                if release == "1.4" and NO_LOSS.issuperset(names):
                    fault(path, "OProfile warns of lost samples, but there are none")
                print(f"{below} {open(path).read().strip()}")
                continue
            if name.endswith(".jo"):
                print(f"object {below}")
                continue
            if below.split("/")[0] not in ("{root}", "{kern}"):
                fault(path, "OProfile does not know this file")
                continue
            own = read_file(release, path, below)
            # one file of an image that differs from the others ends OProfile's report
            if facts.setdefault(own["image"], own["facts"]) != own["facts"]:
                fault(path, f"{own['facts']} but {facts[own['image']]} before")
            anon = re.search(r"/(\d+)\.0x([0-9a-f]+)\.0x[0-9a-f]+/[^/]*$", path)
            if anon and own["start"] != int(anon[2], 16) and not own["callee"]:
                fault(path, f"anon_start is {own['start']:#x}")
            code = anon and not own["callee"] and f"{os.path.dirname(folder)}/{anon[1]}.jo"
            if code and os.path.exists(code):
                sections = read_object(code)
                for key, value in own["nodes"] if sections else []:
                    name = function_at(sections, own["start"] + key, path)
                    key = (own["event"], own["image"], name)
                    functions[key] = functions.get(key, 0) + value
            headers.add(f"{own['event']}: {own['header']}")
            place = own["image"] + (f" > {own['callee']}" if own["callee"] else "")
            key = (own["event"], own["app"], place)
            sums[key] = sums.get(key, 0) + own["total"]
    for header in sorted(headers):
        print(header)
    for (event, app, place), total in sorted(sums.items()):
        print(f"{total:7} {event} {app}: {place}")
    for (event, image, name), total in sorted(functions.items()):
        print(f"{total:7} {event} {image}: {name}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
