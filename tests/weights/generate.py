# SPDX-License-Identifier: GPL-2.0-or-later
"""Random profiles, the same for each seed, in the formats that opimport reads.

A writer takes what its format can say of a truth, and returns the bytes and what a reader must
find: {(event, program, names): [samples, events]}.  So a wrong reader of sources.py is seen.
"""

import collections
import gzip
import json
import os
import random
import struct

from profile import Sums, Symbols, in_brackets

NAMES = ["main", "work", "f", "operator()(int, char const*)", "a b", "na\u00efve", "\u51fd\u6570",
         "\U0001f600", "std::vector<int, std::allocator<int> >::push_back(int&&)", "<anonymous>",
         "it's", 'quo"te', "back\\slash", "(anonymous namespace)::run()", "0x1234", "name:12",
         "x" * 60, "a_[x]", ".hidden", "%s%n", "#hash", "$1", "&amp;", "cafe\u0301", "-", "+x",
         "fn=(3)", "calls=1", "12", "3 4", "f+0x10", "f@plt", "_start", "lambda#1",
         "(idle)", "\u202eright", "nul\x01", "tab\there", "two\nlines", "semi;colon",
         "_ZN3foo3barEv", "_RNvC6_123foo3bar", "[lib.so]", "[unknown]", "trailing "]
PROGRAMS = ["prog", "/opt/srv/tool", "daemon 2", "\u0431\u0438\u043d", "pool/7", "cc1plus"]
IMAGES = ["/opt/no such/prog", "/opt/lib/libone.so.1", "/opt/lib/libtwo-2.3.so",
          "/opt/\u00fcber.so"]
KERNEL = 0xffffffff81000000


def parts(chance, total, n):
    """n numbers whose sum is total."""
    cuts = sorted(chance.randrange(total + 1) for _ in range(n - 1))
    return [b - a for a, b in zip([0, *cuts], [*cuts, total])]


class Truth:
    """Stacks of numbers of functions, and what they weigh.

    kinds: how events weigh: "ones" (all samples the same), "varied", "small" (varied, below
    2^13), "huge" (the sum is most)
    """

    def __init__(self, chance, names, most_events=3, kinds=("ones", "varied", "huge"),
                 most=1 << 62):
        self.chance, self.most = chance, most
        self.names = chance.sample(names, min(len(names), chance.choice([3, 8, 20])))
        n = chance.choice([1, 4, 25])
        self.stacks = []
        while len(self.stacks) < n:
            depth = chance.choice([1, 1, 2, 3, 8, 40])
            width = chance.choice([2, len(self.names)])  # few functions: recursion
            self.stacks.append([chance.randrange(min(width, len(self.names)))
                                for _ in range(depth)])
        self.kind = chance.choice(kinds)
        self.events = chance.randint(1, most_events)
        self.values = [self.weigh(n) for _ in range(self.events)]

    def weigh(self, n):
        """(samples, events) of each stack; some have neither."""
        chance = self.chance
        counts = [chance.choice([0, 1, 1, 2, 7, 5000]) for _ in range(n)]
        if not any(counts):
            counts[0] = 1
        if self.kind == "ones":
            period = chance.choice([1, 1000, 250000])
            return [(count, count * period) for count in counts]
        if self.kind == "huge":
            return [(max(count, 1), events) for count, events in
                    zip(counts, parts(chance, self.most - n, n))]
        most = [0, 1, 64, 4096, 999999937, 1 << 40][:6 if self.kind == "varied" else 4]
        return [(count, count and chance.choice(most) + count) for count in counts]

    def programs(self, names=PROGRAMS):
        few = self.chance.sample(names, self.chance.choice([1, 2]))
        return [self.chance.choice(few) for _ in self.stacks]


class Want:
    """What a reader must find."""

    def __init__(self):
        self.sums = Sums()

    def add(self, event, program, names, count, events):
        if count or events:
            self.sums.add((event, program, tuple(names)), count, events)


def base(path):
    return path.rstrip("/").rpartition("/")[2] or path


# ---- texts ----

def make_folded(chance):
    truth, want, lines = Truth(chance, TEXT_NAMES, 2), Want(), []
    lines_of = chance.random() < 0.3 and truth.events == 2
    for i, program in enumerate(truth.programs()):
        names = [truth.names[k] for k in truth.stacks[i]]
        suffixes = [chance.choice(["", "", "", "_[k]", "_[j]"]) for _ in names]
        numbers = [truth.values[e][i][0 if truth.kind != "huge" else 1]
                   for e in range(2 if lines_of else 1)]
        lines.append("%s %s" % (";".join([program, *map("".join, zip(names, suffixes))]),
                                " ".join(map(str, numbers))))
        for event, number in zip(("before", "after") if lines_of else ("samples",), numbers):
            want.add(event, program, names, number, number)
    return "\n".join(lines) + "\n", want


def make_script(chance):
    truth = Truth(chance, TEXT_NAMES, 3, ("ones", "varied"))
    want, lines, time = Want(), [], 100 * 10 ** 9
    events = chance.sample(["cycles", "cpu-clock", "sched:sched_switch", "cpu_core/cycles/"], 3)
    images = ["/opt/my (old) prog", "/opt/libx.so.1", "[vdso]", "[unknown]"]
    has_periods, has_cpu = chance.random() < 0.7, chance.random() < 0.8
    rows = [(e, i) for e in range(truth.events) for i in range(len(truth.stacks))
            for _ in range(min(truth.values[e][i][0], 12))]
    chance.shuffle(rows)
    programs = truth.programs(["prog", "my job 3", "\u0431\u0438\u043d"])
    for e, i in rows:
        period = chance.choice([1, 1000, 123456]) if truth.kind == "varied" else 1000
        time += chance.randrange(1, 10 ** 6) * 1000
        lines.append("%16s %d/%d %s%d.%06d: %s%s:%s " % (
            programs[i], 40 + i % 3, 50 + i, "[00%d] " % (i % 4) if has_cpu else "",
            time // 10 ** 9, time // 1000 % 10 ** 6, "%10d " % period if has_periods else "",
            events[e], chance.choice(["", "u:", "ppp:"])))
        names, chain = [], []
        for depth, function in enumerate(truth.stacks[i]):
            name, image = truth.names[function], images[function % len(images)]
            is_kernel = depth * 2 > len(truth.stacks[i]) and function % 2
            address = (KERNEL if is_kernel else 0x400000) + 0x100 * function + depth
            if is_kernel:
                image = chance.choice(["[kernel.kallsyms]", "[ext4]", "[unknown]"])
            kind = chance.choice(["named", "named", "unnamed", "inlined"])
            if kind == "inlined" and depth:
                chain.append("\t%16x %s (inlined)" % (address, name))
            elif kind == "unnamed":
                chain.append("\t%16x [unknown] (%s)" % (address, image))
                name = in_brackets(image)
            else:
                chain.append("\t%16x %s+0x%x (%s)" % (address, name, depth, image))
            names.append(name)
        lines += chain[::-1] + [""]
        want.add(events[e], programs[i], names, 1, period if has_periods else 1)
    return "\n".join(lines) + "\n", want


def make_callgrind(chance):
    truth, want = Truth(chance, TEXT_NAMES, 3), Want()
    lines = ["# callgrind format", "version: 1", "cmd: ./demo -x", "positions: line",
             "events: Ir Dr Dw"[:8 + 3 * truth.events - 1].rstrip(), ""]
    known = {}

    def ref(key, name):
        if name in known:
            return "%s=(%d)" % (key, known[name])
        known[name] = 1 + len(known) if chance.random() < 0.5 else 1000 + len(known)
        return "%s=(%d) %s" % (key, known[name], name)

    for i, stack in enumerate(truth.stacks):
        name = truth.names[stack[-1]].rstrip()
        costs = [truth.values[e][i][1] for e in range(truth.events)]
        lines += ["ob=" + IMAGES[i % 2], "fl=a.c", ref("fn", name),
                  "%d %s" % (i + 1, " ".join(map(str, costs)))]
        if chance.random() < 0.5:
            callee = truth.names[stack[0]].rstrip()
            lines += [ref("cfn", callee), "calls=3 1", "%d %s" % (i + 1, costs[0])]
        for event, cost in zip(("Ir", "Dr", "Dw"), costs):
            want.add(event, "demo", [name], cost, cost)
    return "\n".join(lines) + "\n", want


# ---- pprof ----

def varint(value):
    out = b""
    value &= (1 << 64) - 1
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def make_pprof(chance):
    truth, want = Truth(chance, NAMES, 3), Want()
    strings, out = {"": 0}, b""

    def text(value):
        return strings.setdefault(value, len(strings))

    def pair(kind, unit):
        return field(1, text(kind)) + field(2, text(unit))

    units = chance.sample(["nanoseconds", "bytes", "count"], 3)
    kinds = ["cpu", "space", "widgets"]
    if truth.events == 1:
        out += field(1, pair("samples", "count"))
        out += field(1, pair(kinds[0], units[0]))
    else:
        for e in range(truth.events):
            out += field(1, pair(kinds[e] + "_sample", "count"))
            out += field(1, pair(kinds[e] + "_event", units[e]))
    # code of each function in an image; a function may have two places, and an inlined one
    for i, image in enumerate(IMAGES):
        out += field(3, field(1, i + 1) + field(2, 0x10000000 * (i + 1)) +
                     field(3, 0x10000000 * (i + 1) + 0x100000) + field(5, text(image)))
    out += field(3, field(1, 9) + field(2, KERNEL) + field(3, KERNEL + 0x1000000) +
                 field(5, text("[kernel.kallsyms]")))
    for k, name in enumerate(truth.names):
        out += field(5, field(1, k + 1) + field(2, text(name)) + field(4, text("src%d.c" % k)))
    places = []
    for place in range(2 * len(truth.names)):
        function = place % len(truth.names)
        kind = chance.choice(["plain", "plain", "inlined", "unnamed", "no address", "kernel"])
        mapping = function % len(IMAGES) + 1
        address = 0x10000000 * mapping + 16 * place + 16
        image = IMAGES[mapping - 1]
        if kind == "kernel":
            mapping, address, image = 9, KERNEL + 0x1000 + 16 * place, "[kernel.kallsyms]"
        lines = [truth.names[function]]
        numbers = [function + 1]
        if kind == "inlined":
            other = chance.randrange(len(truth.names))
            lines.insert(0, truth.names[other])
            numbers.insert(0, other + 1)
        if kind == "unnamed":
            lines, numbers = [in_brackets(image)], []
        body = field(1, place + 1)
        body += field(2, mapping) if kind != "no address" else b""
        body += field(3, address) if kind != "no address" else b""
        for number in numbers:
            body += field(4, field(1, number) + field(2, 10 + place))
        out += field(4, body)
        places.append((lines, kind == "kernel"))
    programs = [chance.choice(IMAGES[:2]) for _ in truth.stacks]
    for i, stack in enumerate(truth.stacks):
        chain = [function + chance.choice([0, len(truth.names)]) for function in stack]
        # the kernel is entered once, by the program
        chain.sort(key=lambda place: places[place][1])
        row = []
        for e in range(truth.events):
            row += truth.values[e][i]
        body = field(1, b"".join(varint(place + 1) for place in reversed(chain)))
        body += field(2, b"".join(map(varint, row)))
        body += field(3, field(1, text("app")) + field(2, text(programs[i])))
        comm = base(programs[i])
        if i % 3 == 0:
            body += field(3, field(1, text("tid")) + field(3, 70 + i))
            body += field(3, field(1, text("pid")) + field(3, 70))
        if chance.random() < 0.5:
            body += field(3, field(1, text("request")) + field(2, text("index")))
        out += field(2, body)
        names = [name for place in chain for name in reversed(places[place][0])]
        for e in range(truth.events):
            event = kinds[e]
            want.add(event, comm, names, *truth.values[e][i])
    for value in strings:
        out += field(6, value)
    return gzip.compress(out, 1) if chance.random() < 0.5 else out, want


# ---- JSON ----

REAL_KINDS = ("ones", "small")  # numbers are doubles


def make_speedscope(chance):
    truth, want = Truth(chance, NAMES, 1, REAL_KINDS), Want()
    unit = chance.choice(["none", "nanoseconds", "milliseconds", "bytes"])
    scale = 10 ** 6 if unit == "milliseconds" else 1
    event = {"none": "samples", "bytes": "bytes"}.get(unit, "time")
    profiles = []
    for program in dict.fromkeys(truth.programs(["one", "two\nlines", "/x/three"])):
        order = [i for i in range(len(truth.stacks)) if chance.random() < 0.7]
        weights = [truth.values[0][i][1] for i in order]
        if chance.random() < 0.5:
            profile = {"type": "sampled", "samples": [truth.stacks[i] for i in order],
                       "weights": weights}
        else:
            changes, at = [], 0
            for i, weight in zip(order, weights):
                changes += [{"type": "O", "frame": k, "at": at} for k in truth.stacks[i]]
                at += weight
                changes += [{"type": "C", "frame": k, "at": at} for k in reversed(truth.stacks[i])]
            profile = {"type": "evented", "startValue": 0, "endValue": at, "events": changes}
        profiles.append({"name": program, "unit": unit, **profile})
        for i, weight in zip(order, weights):
            want.add(event, base(program), [truth.names[k] for k in truth.stacks[i]],
                     weight if unit == "none" else None, weight * scale)
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json",
                       "shared": {"frames": [{"name": name} for name in truth.names]},
                       "profiles": profiles}, ensure_ascii=chance.random() < 0.5), want


def make_firefox(chance):
    truth, want = Truth(chance, NAMES, 1, REAL_KINDS), Want()
    kind = chance.choice(["samples", "tracing-ms", "bytes"])
    event = {"samples": "samples", "bytes": "bytes"}.get(kind, "time")
    threads = []
    for program in dict.fromkeys(truth.programs(["one", "two", "three three"])):
        prefixes, frames, stacks = [], [], {}

        def stack_of(names):
            if not names:
                return None
            if names not in stacks:
                prefix = stack_of(names[:-1])
                stacks[names] = len(prefixes)
                prefixes.append(prefix)
                frames.append(names[-1])
            return stacks[names]

        samples = []
        for i, stack in enumerate(truth.stacks):
            weight = truth.values[0][i][1]
            samples.append((stack_of(tuple(stack)), weight))
            want.add(event, program, [truth.names[k] for k in stack],
                     weight if event == "samples" else None,
                     weight * (10 ** 6 if event == "time" else 1))
        n = len(truth.names)
        threads.append({
            "name": program, "processName": program, "pid": "%d" % len(threads), "tid": 7,
            "stringArray": truth.names + ["/opt/lib.so"],
            "funcTable": {"length": n, "name": list(range(n)),
                          "resource": [0 if k % 2 else -1 for k in range(n)]},
            "resourceTable": {"length": 1, "lib": [0], "name": [n]},
            "frameTable": {"length": n, "func": list(range(n))},
            "stackTable": {"length": len(frames), "prefix": prefixes, "frame": frames},
            "samples": {"length": len(samples), "stack": [s for s, _ in samples],
                        "time": list(range(len(samples))),
                        "weight": [w for _, w in samples], "weightType": kind}})
    return json.dumps({"meta": {"preprocessedProfileVersion": 57, "startTime": 0},
                       "libs": [{"path": "/opt/lib.so", "name": "lib.so"}],
                       "threads": threads}), want


def v8_tree(truth):
    """Nodes of a tree, and the node of each stack."""
    nodes = [{"id": 1, "callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1},
              "children": []}]
    by_path = {(): nodes[0]}
    for stack in truth.stacks:
        for depth in range(1, len(stack) + 1):
            path = tuple(stack[:depth])
            if path in by_path:
                continue
            function = stack[depth - 1]
            url = ["", "file:///srv/a.js", "node:fs"][function % 3]
            node = {"id": 3 + 2 * len(nodes), "children": [], "callFrame": {
                "functionName": truth.names[function], "url": url, "lineNumber": function,
                "scriptId": "1", "columnNumber": 0}}
            nodes.append(node)
            by_path[path] = node
            by_path[path[:-1]]["children"].append(node["id"])
    return nodes, [by_path[tuple(stack)] for stack in truth.stacks]


def v8_profile(chance, want, has_end=True):
    """Without an end, the last sample takes no time."""
    truth = Truth(chance, NAMES, 1, REAL_KINDS)
    nodes, leaves = v8_tree(truth)
    by_fraction = chance.random() < 0.5
    scale = 1000 if not by_fraction else 125
    rows = [i for i in range(len(leaves)) for _ in range(chance.choice([1, 1, 3]))]
    chance.shuffle(rows)
    times = [(0, rows[0])]
    for i in rows[1:]:
        times.append((times[-1][0] + chance.choice([0, 1, 80, 4000, 10 ** 6]), i))
    end = times[-1][0] + (chance.choice([0, 5, 1000]) if has_end else 0)
    for (time, i), behind in zip(times, [time for time, _ in times[1:]] + [end]):
        want.add("time", "v8", [truth.names[k] for k in truth.stacks[i]], None,
                 (behind - time) * scale)
    order = list(times)
    if chance.random() < 0.5:  # threads of V8 disagree: deltas below 0
        for k in range(1, len(order) - 1):
            if chance.random() < 0.3 and order[k][0] != order[k + 1][0]:
                order[k], order[k + 1] = order[k + 1], order[k]
    start = 1000000
    us = [start + time * scale / 1000 for time, _ in order]
    deltas = [b - a for a, b in zip([start, *us], us)]
    return {"nodes": nodes, "startTime": start, "endTime": start + end * scale / 1000,
            "samples": [leaves[i]["id"] for _, i in order], "timeDeltas": deltas}


def make_v8(chance):
    want = Want()
    return json.dumps(v8_profile(chance, want)), want


def make_v8_hits(chance):
    truth, want = Truth(chance, NAMES, 1, REAL_KINDS), Want()
    nodes, leaves = v8_tree(truth)
    for i, node in enumerate(leaves):
        count = truth.values[0][i][0]
        node["hitCount"] = node.get("hitCount", 0) + count
        want.add("samples", "v8", [truth.names[k] for k in truth.stacks[i]], count, count)
    return json.dumps({"nodes": nodes, "startTime": 1, "endTime": 2}), want


def make_chrome(chance):
    want = Want()
    profile = v8_profile(chance, want, has_end=False)
    half = len(profile["nodes"]) // 2
    parents = {child: node["id"] for node in profile["nodes"] for child in node["children"]}
    for node in profile["nodes"]:
        del node["children"]
        if node["id"] in parents:
            node["parent"] = parents[node["id"]]
    first, second = profile["nodes"][:half], profile["nodes"][half:]
    head = {"pid": 5, "tid": 9, "ts": 1, "cat": "v8", "id": "0x1"}
    events = [{**head, "name": "Profile", "ph": "P",
               "args": {"data": {"startTime": profile["startTime"]}}},
              {"name": "RunTask", "ph": "X", "pid": 5, "tid": 9, "ts": 3, "args": {}},
              {**head, "name": "ProfileChunk", "ph": "P",
               "args": {"data": {"cpuProfile": {"nodes": first}}}},
              {**head, "name": "ProfileChunk", "ph": "P", "args": {"data": {
                  "cpuProfile": {"nodes": second, "samples": profile["samples"]},
                  "timeDeltas": profile["timeDeltas"]}}}]
    return json.dumps({"traceEvents": events} if chance.random() < 0.5 else events), want


def make_v8_heap(chance):
    truth, want = Truth(chance, NAMES, 1, REAL_KINDS), Want()
    nodes, leaves = v8_tree(truth)
    by_id, samples = {node["id"]: node for node in nodes}, []
    for node in nodes:
        node["selfSize"] = 0
    for i, node in enumerate(leaves):
        count, size = truth.values[0][i]
        count = min(count, 9)
        node["selfSize"] += size
        samples += [{"size": 1, "nodeId": node["id"], "ordinal": 1}] * count
    counts = collections.Counter(sample["nodeId"] for sample in samples)
    for node, stack in {node["id"]: (node, stack) for node, stack in
                        zip(leaves, truth.stacks)}.values():
        if node["selfSize"]:
            want.add("inuse_space", "v8", [truth.names[k] for k in stack],
                     counts[node["id"]] or 1, node["selfSize"])

    def nested(node):
        return {**node, "children": [nested(by_id[child]) for child in node["children"]]}

    return json.dumps({"head": nested(nodes[0]), "samples": samples}), want


# ---- addresses ----

class Program:
    """A made ELF file whose symbols name its code; and others that are not there."""

    def __init__(self, chance, folder, names):
        self.path = os.path.join(folder, "made prog")
        self.size = 0x40
        functions = [name for name in names if "\0" not in name and name][:12]
        self.names = functions
        with open(self.path, "wb") as file:
            file.write(self.elf(functions))
        self.symbols = {self.path: Symbols(self.path)}
        self.maps = [(0x555500000000, 0x555500010000, 0, self.path),
                     (0x7f0000000000, 0x7f0000010000, 0, "/opt/no/libgone.so.6"),
                     (0x7f1000000000, 0x7f1000010000, 0, "/opt/no/\u00fcber.so")]

    def elf(self, functions):
        text_at = 0x1000
        strings, table = b"\0", b"\0" * 24
        for i, name in enumerate(functions):
            table += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 1, text_at + self.size * i,
                                 self.size)
            strings += name.encode() + b"\0"
        names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
        text = b"\x90" * self.size * len(functions)
        at = text_at + len(text)
        head = struct.pack("<4s5B7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 0, 3, 62, 1, text_at,
                           64, at + len(table) + len(strings) + len(names), 0, 64, 56, 1, 64, 5, 4)
        segment = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, at, at, 0x1000)
        sections = b"\0" * 64
        sections += struct.pack("<IIQQQQIIQQ", 1, 1, 6, text_at, text_at, len(text), 0, 0, 16, 0)
        sections += struct.pack("<IIQQQQIIQQ", 7, 2, 0, 0, at, len(table), 3, 1, 8, 24)
        sections += struct.pack("<IIQQQQIIQQ", 15, 3, 0, 0, at + len(table), len(strings), 0, 0,
                                1, 0)
        sections += struct.pack("<IIQQQQIIQQ", 23, 3, 0, 0, at + len(table) + len(strings),
                                len(names), 0, 0, 1, 0)
        return (head + segment).ljust(text_at, b"\0") + text + table + strings + names + sections

    def place(self, function, chance):
        """(address inside of it, name) of a number of a function."""
        if function < len(self.names):
            return (self.maps[0][0] + 0x1000 + self.size * function +
                    chance.randrange(1, self.size - 1), self.names[function])
        start, _, _, path = self.maps[1 + function % 2]
        return start + 0x100 * function + chance.randrange(0x80), in_brackets(path)

    def lines(self):
        return "".join("%x-%x r-xp %08x 08:01 12345 %s\n" % row for row in self.maps)


def chains(truth, program, chance):
    """Of each stack: addresses (root first, inside of instructions), and names."""
    for stack in truth.stacks:
        places = [program.place(function, chance) for function in stack]
        yield [address for address, _ in places], [name for _, name in places]


ELF_NAMES = [name for name in NAMES if not name.startswith(("_Z", "_R", "[")) and
             "@" not in name and name[0] not in ".$"]


def make_heap(chance, folder):
    truth = Truth(chance, ELF_NAMES + ["n%d" % i for i in range(9)], 1, ("varied", "huge"),
                  1 << 60)
    program, want = Program(chance, folder, truth.names[:9]), Want()
    lines = []
    for i, (addresses, names) in enumerate(chains(truth, program, chance)):
        count, size = truth.values[0][i]
        more = chance.choice([0, 3])
        lines.append("%6d: %8d [%6d: %8d] @ %s" % (
            count, size, count + more, size + more, " ".join("%#x" % (address + 1)
                                                             for address in addresses[::-1])))
        want.add("inuse_space", "made prog", names, count, size if count else 0)
        want.add("alloc_space", "made prog", names, count + more,
                 size + more if count + more else 0)
    head = "heap profile: %d: %d [%d: %d] @ heapprofile\n" % (1, 1, 1, 1)
    return head + "\n".join(lines) + "\n\nMAPPED_LIBRARIES:\n" + program.lines(), want, program


def make_cpuprofile(chance, folder):
    truth = Truth(chance, ELF_NAMES + ["n%d" % i for i in range(9)], 1, ("ones",))
    program, want = Program(chance, folder, truth.names[:9]), Want()
    words, period = [0, 3, 0, 10000, 0], 10000
    # a frame next to the leaf that all stacks have is taken for the signal handler's
    alone = program.place(0, chance)
    rows = [([alone[0]], [alone[1]], 1), ([alone[0]], [alone[1]], 1)]
    rows += [(addresses, names, truth.values[0][i][0]) for i, (addresses, names) in
             enumerate(chains(truth, program, chance))]
    for addresses, names, count in rows:
        if not count or (len(addresses) > 1 and addresses[-1] == addresses[-2] + 1):
            continue
        stack = [address + (depth < len(addresses) - 1) for depth, address in
                 enumerate(addresses)][::-1]
        words += [count, len(stack), *stack]
        want.add("cpu", "made prog", names, count, count * period * 1000)
    words += [0, 1, 0]
    order = chance.choice("<>")
    return struct.pack("%s%dQ" % (order, len(words)), *words) + program.lines().encode(), want, \
        program


def make_perf(chance, folder):
    truth = Truth(chance, ELF_NAMES + ["n%d" % i for i in range(9)], 3, ("ones", "varied"))
    program, want = Program(chance, folder, truth.names[:9]), Want()
    order, is_pipe = chance.choice("<<>"), chance.random() < 0.4
    has_periods, has_chains = truth.kind == "varied", chance.random() < 0.8
    kinds = [("cpu-clock", 1, 0), ("task-clock", 1, 1), ("cycles", 0, 0)][:truth.events]
    sample_type = 1 | 2 | 4 | 0x10000 | (0x20 if has_chains else 0) | (0x100 if has_periods else 0)
    flags = 1 << 8 | 1 << 9 | 1 << 13 | 1 << 18 | 1 << 23 | (1 << 10 if has_periods else 0)
    time, records = 10 ** 9, b""

    def pack(form, *numbers):
        return struct.pack(order + form, *numbers)

    def put(kind, misc, body):
        nonlocal records
        records += pack("IHH", kind, misc, 8 + len(body)) + body

    def text(value):
        data = value.encode()
        return data + b"\0" * (8 - len(data) % 8)

    def behind(pid):
        nonlocal time
        time += 1000
        return pack("IIQQ", pid, pid, time, 11)

    for start, size, name in ((KERNEL, 0x1000000, "[kernel.kallsyms]_text"),
                              (KERNEL + 0x20000000, 0x10000, "[ext4]")):
        put(1, 1, pack("IIQQQ", 0xffffffff, 0, start, size, start) + text(name) + behind(0))
    pids = (3000001, 3000002)
    for pid in pids:
        put(3, 1 << 13, pack("II", pid, pid) + text("made prog") + behind(pid))
        for start, end, offset, path in program.maps:
            put(10, 2, pack("IIQQQIIQQII", pid, pid, start, end - start, offset, 0, 0, 0, 0, 5, 2)
                + text(path) + behind(pid))
    rows = list(chains(truth, program, chance))
    samples = [(e, i) for e in range(truth.events) for i in range(len(rows))
               for _ in range(min(truth.values[e][i][0], 20))]
    chance.shuffle(samples)
    for e, i in samples:
        (addresses, names), time = rows[i], time + 1000
        period = chance.choice([1, 1000, 123456789]) if has_periods else 1000003
        kernel = []
        if i % 3 == 0:
            kernel = [(KERNEL + 0x1000 + i, "[kernel.kallsyms]"),
                      (KERNEL + 0x20000100 + i, "[ext4]")][:1 + i % 2]
        inside = [address for address, _ in kernel] + [address for address in addresses[::-1]]
        # callers are return addresses, but for the instruction that entered the kernel
        stack = [address + (depth > 0 and depth != len(kernel)) for depth, address in
                 enumerate(inside)]
        if not has_chains:
            stack = stack[:1]
        body = pack("QQIIQ", 11 + e, stack[0], pids[i % 2], pids[i % 2], time)
        body += pack("Q", period) if has_periods else b""
        if has_chains:
            chain = [2 ** 64 - 128, *stack[:len(kernel)]] if kernel else []
            chain += [2 ** 64 - 512, *stack[len(kernel):]] if stack[len(kernel):] else []
            body += pack("Q%dQ" % len(chain), len(chain), *chain)
        put(9, 1 if kernel else 2, body)
        all_names = names + [name for _, name in kernel[::-1]]
        want.add(kinds[e][0], "made prog", all_names if has_chains else all_names[-1:], 1, period)
    attrs = [pack("IIQQQQQ", kind, 112, config, 999 if has_periods else 1000003, sample_type, 0,
                  flags).ljust(112, b"\0") for _, kind, config in kinds]
    magic = 0x32454c4946524550
    if is_pipe:
        head = pack("QQ", magic, 16)
        head += b"".join(pack("IHH", 64, 0, 128) + attr + pack("Q", 11 + e)
                         for e, attr in enumerate(attrs))
        return head + records, want, program
    ids_at, attrs_at = 104, 104 + 8 * len(attrs)
    data_at = attrs_at + 128 * len(attrs)
    head = pack("13Q", magic, 104, 128, attrs_at, 128 * len(attrs), data_at, len(records), 0, 0, 0,
                0, 0, 0)
    head += b"".join(pack("Q", 11 + e) for e in range(len(attrs)))
    head += b"".join(attr + pack("QQ", ids_at + 8 * e, 8) for e, attr in enumerate(attrs))
    return head + records, want, program


# ---- all ----

TEXT_NAMES = [name for name in NAMES if not set(name) & set(";\n\t\x01") and
              not name.endswith(" ") and "+0x" not in name and name != "[unknown]"]
MAKERS = {
    "folded": ("folded", make_folded), "perf-script": ("perf-script", make_script),
    "callgrind": ("callgrind", make_callgrind), "pprof": ("pprof", make_pprof),
    "speedscope": ("speedscope", make_speedscope), "firefox": ("firefox", make_firefox),
    "v8": ("v8", make_v8), "v8-hits": ("v8", make_v8_hits),
    "chrome-trace": ("chrome-trace", make_chrome), "v8-heap": ("v8-heap", make_v8_heap),
    "heap": ("heap", make_heap), "cpuprofile": ("cpuprofile", make_cpuprofile),
    "perf": ("perf", make_perf),
}


def inputs(first, n, only=""):
    """(name, path, format, symbol tables, what a reader must find) of each input."""
    for name, (form, maker) in MAKERS.items():
        if only and name != only:
            continue
        for seed in range(first, first + n):
            chance = random.Random("%s %d" % (name, seed))
            path = os.path.abspath("input %s-%d" % (name, seed))
            if form in ("heap", "cpuprofile", "perf"):
                data, want, program = maker(chance, os.path.abspath("."))
                symbols = program.symbols
            else:
                (data, want), symbols = maker(chance), {}
            with open(path, "wb") as file:
                file.write(data.encode("utf-8", "surrogateescape") if isinstance(data, str)
                           else data)
            yield "%s, seed %d" % (name, seed), path, form, symbols, want


def check_reader(judge, name, source, want):
    """The independent reader finds what the writer wrote."""
    found = Sums()
    for sample in source.samples:
        program = sample.comm if sample.program is None else sample.program
        if sample.count or sample.events:
            found.add((sample.event, program, tuple(f.name for f in sample.frames)),
                      sample.count, sample.events)
    programs = {key[1]: base(key[1]) for key in want.sums.table}
    wanted = {(e, programs[p], names): n for (e, p, names), n in want.sums.table.items()}
    judge.compare(name, "(reader)", {key: n[1] for key, n in found.table.items()},
                  {key: n[1] for key, n in wanted.items()})
