# SPDX-License-Identifier: GPL-2.0-or-later
"""Readers of what opimport reads, written from the formats and from oprofile-formats(5) alone."""

import collections
import itertools
import json
import math
import re
import struct

from perf_data import read_perf
from profile import (UNKNOWN, Sample, Source, base, fields, frame, in_brackets, numbers, signed,
                     text_of, unpacked)


# ---- texts ----

def read_folded(text, path=None):
    lines = [line.rstrip(" \t\r") for line in text.removeprefix("\ufeff").split("\n")]
    lines = [line for line in lines if line and not line.startswith("#")]
    two = re.compile(r"(.*;.*?) +(\d+)(?:\.\d*)? +(\d+)(?:\.\d*)?$", re.S)
    one = re.compile(r"(.*\S) +(\d+)(?:\.\d*)?$|(.*?\S) +(\d+)(?:\.\d*)?$", re.S)
    stacks = [line for line in lines[:16] if one.match(line)]
    has_two = bool(stacks) and all(two.match(line) for line in stacks)
    samples = []
    for line in lines:
        found = (two if has_two else one).match(line)
        if not found or "\0" in line:
            continue
        words = [word for word in found.groups() if word is not None]
        values = zip(("before", "after") if has_two else ("samples",), words[1:])
        program, *names = words[0].split(";")
        frames = []
        for name in names or [program]:
            image = program
            for suffix in ("_[k]", "_[j]", "_[i]") if names else ():
                if name.endswith(suffix) and name != suffix:
                    name = name[:-4]
                    image = "[kernel]" if suffix == "_[k]" else program
                    break
            frames.append(frame(name or UNKNOWN, image))
        for event, number in values:
            if int(number):
                samples.append(Sample(event, base(program), program, frames, int(number),
                                      int(number)))
    return Source("folded", samples)


HEAD = re.compile(r"\s*(\S.*?)\s+(-?\d+)(?:/(\d+))?\s+(?:\[(\d+)\]\s+)?(?:(\d+\.\d+):\s+)?"
                  r"(?:(\d+)\s+)?(?:([^\s\d]\S*|[^\s\d]):(?:\s+(.*))?)?$")
MODIFIERS = re.compile(r"(.+):[ukhIGHpPDSeWbR]*$")
FRAME = re.compile(r"\s*([0-9a-f]+) (.*)$")


def script_frame(line):
    """(address, name, image, is inlined), or None."""
    found = FRAME.match(line)
    if not found:
        return None
    address, rest = int(found[1], 16), found[2].strip(" ")
    if rest.endswith("(inlined)"):
        name, image, inlined = rest[:-9], "", True
    else:
        inlined = False
        image_at = re.search(r"(?:\+0x[0-9a-f]+ |^\[unknown\] )\((.*)\)$", rest) or \
            re.search(r"(?:^| )\(((?:/|\[).*)\)$", rest) or re.search(r" \(([^()]*)\)$", rest)
        name, image = (rest[:image_at.start(1) - 1], image_at[1]) if image_at else (rest, "")
    name = re.sub(r"\+0x[0-9a-f]+ *$", "", name.rstrip(" ")).rstrip(" ")
    return (address, "" if name == UNKNOWN else name, "" if image == UNKNOWN else image, inlined)


def read_script(text, path=None):
    samples, units, head, frames = [], {}, None, []

    def end():
        nonlocal head
        if head is None:
            return
        comm, period, event = head
        kept = []
        for i, (address, name, image, inlined) in enumerate(frames):
            outer = next((f for f in frames[i:] if not f[3]), frames[-1])
            owner = outer[2] or UNKNOWN
            kernel = "k:" if outer[0] >> 63 else ""
            shown = name or (in_brackets(outer[2]) if outer[2] else UNKNOWN)
            kept.append(frame(shown, kernel + owner))
        samples.append(Sample(event, base(comm), comm, kept[::-1], 1, period or 1))
        head = None

    for line in text.removeprefix("\ufeff").split("\n"):
        line = line.rstrip("\r ")
        if line.startswith("#"):
            continue
        if not line.strip():
            end()
            continue
        parsed = script_frame(line) if line[0] in "\t " else None
        if head is not None and parsed:
            frames.append(parsed)
            continue
        found = HEAD.match(line)
        if not found or line[0] == "\t":
            continue
        end()
        rest = found[8] or ""
        if rest.startswith("PERF_RECORD_") or (found[7] or "").startswith("PERF_RECORD_"):
            continue
        event = found[7] or "samples"
        event = MODIFIERS.sub(r"\1", event)
        if event in ("cpu-clock", "task-clock"):
            units[event] = "nanoseconds"
        head, frames = (found[1], int(found[6] or 0), event), []
        leaf = script_frame("\t" + rest) if rest else None
        if leaf:
            frames.append(leaf)
            end()
    end()
    return Source("perf-script", samples, units)


def read_callgrind(text, path=None):
    names = {"ob": {}, "fl": {}, "fn": {}}
    now = {"ob": "", "fl": "", "fn": ""}
    called, calls = {}, []
    samples, events, program, n_positions = [], [], None, 1
    skip = False
    for line in text.split("\n"):
        line = line.rstrip("\r \t")
        if not line or line[0] == "#":
            continue
        found = re.match(r"(c?)(ob|fl|fi|fe|fn)=[ \t]*(?:\((\d+)\))?[ \t]*(.*)$", line)
        if found:
            kind = "fl" if found[2] in ("fi", "fe") else found[2]
            name = found[4]
            if found[3]:
                if name:
                    names[kind][int(found[3])] = name
                name = names[kind][int(found[3])]
            (called if found[1] else now)[kind] = name
        elif line.startswith(("calls=", "jump=", "jcnd=")):
            skip = line[:5]
        elif line.startswith("events:"):
            events = line[7:].split()
        elif line.startswith("positions:"):
            n_positions = len(line[10:].split())
        elif line.startswith("cmd:"):
            program = (line[4:].split() or [None])[0]
        elif line[0].isdigit() or line[0] in "+-*":
            costs = [int(word) for word in line.split()[n_positions:]]
            for event, cost in zip(events, costs):
                ends = [frame(at["fn"] or UNKNOWN, at["ob"] or "[no image]")
                        for at in (now, {**now, **called})]
                if cost and not skip:
                    app = program or ends[0].image
                    samples.append(Sample(event, base(app), base(app), ends[:1], cost, cost))
                elif cost and skip == "calls":
                    calls.append((event, *ends, cost))
            called, skip = {}, False
    return Source("callgrind", samples, calls=calls)


# ---- pprof ----

def values_of_types(types, period, period_type):
    """(event, column of samples or None, column of events, unit, period) of each event."""
    found, i = [], 0
    while i < len(types):
        name, unit = types[i]
        follows = types[i + 1] if i + 1 < len(types) else None
        stem = name[:-7] if name.endswith("_sample") and len(name) > 7 else None
        pair = follows and unit == "count" and (
            follows[1] != "count" or (stem and follows[0] == stem + "_event") or
            (len(types) == 2 and name == "samples"))
        at = i + bool(pair)
        event = types[at][0] or "samples"
        if pair and stem and types[at][0] == stem + "_event":
            event = stem
        of_period = period if period_type == types[at] else 0
        found.append((event, i if pair else None, at, types[at][1], of_period))
        i = at + 1
    return found


def read_pprof(data, path=None):
    strings, types, mappings, locations, functions, raw = [], [], {}, {}, {}, []
    period, period_type = 0, (0, 0)
    main = None
    for number, value in fields(unpacked(data)):
        if number == 6:
            strings.append(text_of(value))
        elif number == 1 or number == 11:
            pair = dict(fields(value))
            pair = (pair.get(1, 0), pair.get(2, 0))
            if number == 1:
                types.append(pair)
            else:
                period_type = pair
        elif number == 3:
            mapping = dict(fields(value))
            main = mapping.get(1) if main is None else main
            mappings[mapping.get(1)] = mapping
        elif number == 4:
            location = {4: []}
            for n, v in fields(value):
                if n == 4:
                    location[4].append(dict(fields(v)))
                else:
                    location[n] = v
            locations[location.get(1)] = location
        elif number == 5:
            function = dict(fields(value))
            functions[function.get(1)] = function
        elif number == 2:
            raw.append(value)
        elif number == 12:
            period = value
    types = [(strings[a], strings[b]) for a, b in types]
    period_type = tuple(strings[i] for i in period_type)
    columns = values_of_types(types, period, period_type)

    def file_of(number):
        return strings[mappings.get(number, {}).get(5, 0)] if number else ""

    def frames_at(number):
        location = locations[number]
        mapping, address = mappings.get(location.get(3 - 1, 0)), location.get(3, 0)
        file = file_of(location.get(2, 0))
        if mapping is None or address < mapping.get(2, 0):
            image = ""
        else:
            image = file
        lines = []
        for line in location[4]:
            function = functions.get(line.get(1, 0), {})
            name = strings[function.get(2, 0)] or strings[function.get(3, 0)]
            if name:
                lines.append((name, signed(line.get(2, 0))))
        if not address and location[4]:
            image = "no address:" + file
            file = file or "[no address]"
        else:
            file = image
        if not lines:
            shown = in_brackets(file) if file else UNKNOWN
            return [frame(shown, image, 0, False, False)]
        outer = len(lines) - 1
        return [frame(name, image, line, i < outer) for i, (name, line) in
                reversed(list(enumerate(lines)))]

    def is_file(name):
        return bool(name) and not name.startswith(("[", "//anon", "/anon_hugepage")) and \
            not name.endswith("[vdso]") and ".ko" not in name

    main_file = file_of(main) if mappings else ""
    if not is_file(main_file) or mappings[main].get(2, 0) >= 0xffff << 48:
        main_file = ""
    samples, units = [], {event: unit for event, _, _, unit, _ in columns}
    for value in raw:
        places, row, program, comm = [], [], main_file, None
        for n, v in fields(value):
            if n == 1:
                places += numbers(v)
            elif n == 2:
                row += [signed(x) for x in numbers(v)]
            elif n == 3:
                label = dict(fields(v))
                key = strings[label.get(1, 0)]
                text = strings[label.get(2, 0)]
                if key in ("thread", "comm"):
                    comm = text
                elif key == "app" and text:
                    program = "" if text == "[unknown]" else text
        frames = [f for place in reversed(places) for f in frames_at(place)]
        for event, samples_at, events_at, _, of_period in columns:
            events = row[events_at]
            count = None
            if samples_at is not None:
                count = row[samples_at] or (events > 0) - (events < 0)
            elif of_period <= 1:
                count = events
            if count or events:
                program = base(program) if program else UNKNOWN
                samples.append(Sample(event, program, comm or program, frames, count, events))
    return Source("pprof", samples, units, physical=True)


# ---- JSON ----

NS = {"nanoseconds": 1, "microseconds": 10 ** 3, "milliseconds": 10 ** 6, "seconds": 10 ** 9}


class Whole:
    """Whole numbers of real ones: fractions go to the next one."""

    def __init__(self):
        self.rest = 0.0

    def take(self, weight):
        total = weight + self.rest
        number = max(math.floor(total), 0)
        self.rest = total - number if 0 < total - number < 1 else 0.0
        return number


def read_speedscope(text, path=None):
    doc = json.loads(text)
    shared = doc["shared"]["frames"]
    samples, units = [], {}
    for profile in doc["profiles"]:
        unit, whole = profile.get("unit", "none"), Whole()
        event = "time" if unit in NS else "bytes" if unit == "bytes" else "samples"
        units[event] = "nanoseconds" if unit in NS else unit if unit == "bytes" else "count"
        scale = NS.get(unit, 1)
        program = profile.get("name", "")

        def push(stack, weight):
            frames = [frame(shared[i].get("name") or UNKNOWN, "speedscope") for i in stack]
            if weight:
                count = None if unit in NS or unit == "bytes" else weight
                samples.append(Sample(event, base(program), base(program), frames, count, weight))

        weights = profile.get("weights") or [1] * len(profile.get("samples", ()))
        for stack, weight in zip(profile.get("samples", ()), weights):
            push(stack, whole.take(weight * scale))
        stack, last = [], None
        for change in profile.get("events", ()):
            if stack and change["at"] > last:
                push(stack, whole.take((change["at"] - last) * scale))
            last = change["at"]
            if change["type"] == "O":
                stack.append(change["frame"])
            else:
                stack.pop()
    return Source("speedscope", samples, units)


def firefox_threads(doc):
    """Of each thread: itself, its name, the type of weights, and (stack of (name, file, resource
    name), weight) of its samples."""
    shared = doc.get("shared", {})
    for thread in doc["threads"]:
        strings = thread.get("stringArray") or shared.get("stringArray")
        tables = {key: thread.get(key) or shared.get(key, {}) for key in
                  ("funcTable", "frameTable", "stackTable", "resourceTable")}
        stacks, frames = tables["stackTable"], tables["frameTable"]
        functions, resources = tables["funcTable"], tables["resourceTable"]
        libs = doc.get("libs", [])

        def names_of(stack):
            names = []
            while stack is not None:
                function = frames["func"][stacks["frame"][stack]]
                resource = functions["resource"][function]
                image = "firefox"
                if resource is not None and resource >= 0:
                    lib = (resources.get("lib") or {})[resource] if resources.get("lib") else None
                    image = (libs[lib].get("path") if lib is not None and lib >= 0 else None) or (
                        strings[resources["name"][resource]] if resources.get("name") else image)
                names.append((strings[functions["name"][function]], image))
                stack = stacks["prefix"][stack]
            return names[::-1]

        table = thread["samples"]
        weights = table.get("weight") or [1] * len(table["stack"])
        yield thread, table.get("weightType") or "samples", [
            (names_of(stack), weight) for stack, weight in zip(table["stack"], weights)]


def read_firefox(text, path=None):
    doc = json.loads(text)
    samples, units = [], {}
    for thread, kind, rows in firefox_threads(doc):
        event = {"tracing-ms": "time", "bytes": "bytes"}.get(kind, "samples")
        units[event] = {"time": "nanoseconds", "bytes": "bytes"}.get(event, "count")
        process = thread.get("processName") or thread.get("name") or ""
        for stack, weight in rows:
            if weight is None or weight <= 0:
                continue
            weight = round(weight * 1e6) if event == "time" else round(weight)
            frames = [frame(name or UNKNOWN, image) for name, image in stack]
            if weight:
                samples.append(Sample(event, base(process), thread.get("name", process), frames,
                                      weight if event == "samples" else None, weight))
    return Source("firefox", samples, units)


def v8_frames(nodes):
    """Stacks by the id of a node.  nodes: in the tree's order or not, with parents or children."""
    by_id = {node["id"]: node for node in nodes}
    parents = {child: node["id"] for node in nodes for child in node.get("children", ())}
    for node in nodes:
        if "parent" in node:
            parents[node["id"]] = node["parent"]

    def name_of(node):
        call = node["callFrame"]
        url = call.get("url", "")
        name = call["functionName"] or "(anonymous):%d" % (call.get("lineNumber", 0) + 1)
        return frame(name, url.removeprefix("file://") or "v8")

    def is_root(node):
        call = node["callFrame"]
        return not call.get("url") and call["functionName"] == "(root)"

    stacks = {}
    for ident in by_id:
        names, at = [], ident
        while at is not None and not is_root(by_id[at]):
            names.append(name_of(by_id[at]))
            at = parents.get(at)
        stacks[ident] = names[::-1]
    return stacks


def exact_us(value):
    whole = math.floor(value)
    return int(whole) * 1000 + round((value - whole) * 1000)


def v8_samples(profile, program, comm):
    stacks = v8_frames(profile["nodes"])
    if not profile.get("samples"):
        return [Sample("samples", program, comm, stacks[node["id"]], node["hitCount"],
                       node["hitCount"]) for node in profile["nodes"] if node.get("hitCount")]
    times = itertools.accumulate([exact_us(profile.get("startTime", 0)) +
                                  exact_us(profile["timeDeltas"][0]),
                                  *map(exact_us, profile["timeDeltas"][1:])])
    order = sorted(zip(times, range(len(profile["samples"]))))
    ends = [time for time, _ in order[1:]]
    last = order[-1][0]
    end = exact_us(profile["endTime"]) if "startTime" in profile and "endTime" in profile else last
    ends.append(max(last, end))
    return [Sample("time", program, comm, stacks.get(profile["samples"][i], []), None, end - time)
            for (time, i), end in zip(order, ends)]


def read_v8(text, path=None):
    return Source("v8", v8_samples(json.loads(text), "v8", "v8"), {"time": "nanoseconds"})


def read_chrome(text, path=None):
    doc = json.loads(text)
    events = doc["traceEvents"] if isinstance(doc, dict) else doc
    profiles, names = {}, {}
    for event in events:
        data = event.get("args", {}).get("data", {})
        key = (event.get("pid"), event.get("id"))
        if event["name"] == "thread_name":
            names[event["pid"], event["tid"]] = event["args"]["name"]
        elif event["name"] == "Profile":
            profiles[key] = {"nodes": [], "samples": [], "timeDeltas": [], "tid": event["tid"],
                             "startTime": data.get("startTime", 0)}
        elif event["name"] == "ProfileChunk":
            profile = profiles[key]
            profile["nodes"] += data.get("cpuProfile", {}).get("nodes", [])
            profile["samples"] += data.get("cpuProfile", {}).get("samples", [])
            profile["timeDeltas"] += data.get("timeDeltas", [])
    samples = []
    for (pid, _), profile in profiles.items():
        comm = names.get((pid, profile["tid"]), "v8")
        samples += v8_samples(profile, "v8", comm)
    return Source("chrome-trace", samples, {"time": "nanoseconds"})


def read_v8_heap(text, path=None):
    doc = json.loads(text)
    nodes, todo = [], [doc["head"]]
    while todo:
        node = todo.pop()
        nodes.append({**node, "children": [child["id"] for child in node.get("children", ())]})
        todo += node.get("children", ())
    stacks = v8_frames(nodes)
    counts = collections.Counter(sample["nodeId"] for sample in doc.get("samples", ()))
    return Source("v8-heap", [
        Sample("inuse_space", "v8", "v8", stacks[node["id"]], counts[node["id"]] or 1,
               node["selfSize"]) for node in nodes if node.get("selfSize")],
        {"inuse_space": "bytes"})


# ---- addresses and mappings ----

def is_library(path):
    return bool(re.search(r"\.so($|\.)", base(path))) or base(path).startswith("ld-")


class Maps:
    """Lines of /proc/PID/maps, and the like."""

    LINE = re.compile(r"\s*(?:0x)?([0-9a-f]+)-(?:0x)?([0-9a-f]+)(?:: | )\s*"
                      r"(?:([-rwxsp]{4})\s+([0-9a-f]+)\s+\S+\s+\d+\s*)?(.*?)\s*$")

    def __init__(self, text, names=None):
        self.ranges, self.program, self.names = [], UNKNOWN, names or {}
        settings = {}
        for line in text.split("\n"):
            setting = re.match(r"\s*(\w+)=(\S*)\s*$", line)
            if setting:
                settings["$" + setting[1]] = setting[2]
                continue
            for key, value in settings.items():
                line = line.replace(key, value)
            found = self.LINE.match(line.rstrip())
            if not found or (found[3] and "x" not in found[3]):
                continue
            start, end, path = int(found[1], 16), int(found[2], 16), found[5]
            self.ranges.append((start, end, int(found[4] or "0", 16), path))
            is_file = bool(path) and path[0] != "[" and not path.endswith("[vdso]") and \
                not path.startswith(("//anon", "/anon_hugepage"))
            if self.program == UNKNOWN and is_file and not is_library(path):
                self.program = base(path)
        self.ranges.sort()

    def frame(self, address):
        """Of an address inside of its instruction."""
        for start, end, offset, path in self.ranges:
            if address < end:
                if address < start and start - address > offset:
                    break
                name = None
                if path in self.names:
                    name = self.names[path].name(address - start + offset)
                return frame(name or in_brackets(path or "anon"), path, 0, False, bool(name))
        return frame(UNKNOWN, "", 0, False, False)


def read_heap(text, path=None, names=None):
    head, _, _ = text.partition("\n")
    if not head.startswith("heap profile:"):
        raise NotImplementedError(head[:20])
    body, _, maps = re.split("(MAPPED_LIBRARIES:|--- Memory map)|$", text, maxsplit=1)
    maps = Maps(maps, names)
    rate = re.search(r"@ heap(z?_v2)?/(\d+)", head)
    rate = (int(rate[2]) if rate[1] else int(rate[2]) // 2) if rate else 0
    growth = "@ growth" in head
    samples = []
    for found in re.finditer(r"^ *(\d+): *(\d+) \[ *(\d+): *(\d+)\] @((?: 0x[0-9a-f]+)*)$", body,
                             re.M):
        addresses = [int(word, 16) for word in found[5].split()]
        frames = [maps.frame(address - 1) for address in reversed(addresses)]
        values = [int(n) for n in found.groups()[:4]]
        for event, count, size in ((growth and "growth" or "inuse_space", *values[:2]),
                                   (growth and "growth_total" or "alloc_space", *values[2:])):
            if not count:
                continue
            if rate > 1 and size:
                scale = 1 / (1 - math.exp(-(size / count) / rate))
                count, size = int(count * scale), int(size * scale)
            samples.append(Sample(event, maps.program, maps.program, frames, count, size))
    return Source("heap", samples, {event: "bytes" for event in
                                    ("inuse_space", "alloc_space", "growth", "growth_total")},
                  physical=True)


def cpuprofile_records(data):
    """(period in us, [(count, addresses)], text behind them) of the binary form."""
    for order, size in itertools.product("<>", (4, 8)):
        code = {4: "I", 8: "Q"}[size]
        count = len(data) // size
        words = struct.unpack_from("%s%d%s" % (order, min(count, 5), code), data)
        if len(words) == 5 and words[0] == 0 and 3 <= words[1] <= 0xffff and words[2] <= 1:
            break
    else:
        raise ValueError("no header")
    words = struct.unpack_from("%s%d%s" % (order, count, code), data)
    at, records = 2 + words[1], []
    while at + 2 <= len(words):
        n, depth = words[at:at + 2]
        if n == 0 and depth == 1 and words[at + 2] == 0:
            at += 3
            break
        records.append((n, words[at + 2:at + 2 + depth]))
        at += 2 + depth
    return words[3], words[2], records, text_of(data[at * size:])


def without_handler(records):
    """A frame next to the leaf that nearly all stacks have is the signal handler's."""
    for _ in range(2):
        total = len(records)
        seconds = collections.Counter(stack[1] for n, stack in records if len(stack) > 1)
        if not seconds:
            break
        address, count = seconds.most_common(1)[0]
        if count < total - total // 32 or len(records) < 1:
            break
        records = [(n, stack[:1] + stack[2:] if len(stack) > 1 and stack[1] == address else stack)
                   for n, stack in records]
    return records


def read_cpuprofile(data, path=None, names=None):
    period, version, records, text = cpuprofile_records(data)
    if version:
        raise NotImplementedError("Java's names")
    records = [(n, stack) for n, stack in records if n]
    records = without_handler(records)
    records = [(n, stack[:1] + stack[2:] if len(stack) > 1 and stack[0] == stack[1] else stack)
               for n, stack in records]
    maps, samples = Maps(text, names), []
    for n, stack in records:
        frames = [maps.frame(address - (i > 0 and address > 0))
                  for i, address in enumerate(stack)][::-1]
        samples.append(Sample("cpu", maps.program, maps.program, frames, n, n * period * 1000))
    return Source("cpuprofile", samples, {"cpu": "nanoseconds"}, physical=True)


# ---- which format a file has ----

READERS = {
    "folded": read_folded, "perf-script": read_script, "callgrind": read_callgrind,
    "pprof": read_pprof, "speedscope": read_speedscope, "firefox": read_firefox, "v8": read_v8,
    "chrome-trace": read_chrome, "v8-heap": read_v8_heap, "heap": read_heap,
    "cpuprofile": read_cpuprofile, "perf": read_perf,
}
OF_BYTES = {"pprof", "cpuprofile", "perf"}


def read(form, path, names=None):
    with open(path, "rb") as file:
        data = file.read()
    reader = READERS[form]
    if form not in OF_BYTES:
        data = text_of(unpacked(data))
    elif form != "pprof":
        data = unpacked(data)
    if form in ("heap", "cpuprofile", "perf"):
        return reader(data, path, names)
    return reader(data, path)
