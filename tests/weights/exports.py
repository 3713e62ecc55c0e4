# SPDX-License-Identifier: GPL-2.0-or-later
"""Readers of what opexport and opreport write, and what a source says that must stand there.

Each form of output has the place that it has: PLACES is the table of them.
"""

import glob
import json
import os
import re
import struct
import sys

import otlp
import perf_data
import sources
from profile import UNKNOWN, Sums, escaped, in_brackets, text_of

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "commands"))
import html_page  # noqa: E402  (it is a script of the commands' tests)

CLOCKS = ("nanoseconds", "microseconds", "milliseconds", "seconds")


class Way:
    """How the samples came here: straight from the file, or by way of a session."""

    def __init__(self, name, is_session):
        self.name, self.is_session = name, is_session

    def root(self, sample):
        if self.is_session or sample.comm is None:
            return sample.program
        return sample.comm

    @staticmethod
    def select(event):
        """Names of events in sessions are parts of names of files."""
        return re.sub(r"[./\x00-\x20]", "_", event) or "event"


def names_of(sample):
    return tuple(f.name for f in sample.frames)


def physical(sample):
    """Frames that are calls: what was inlined is in the frame of what it was inlined in."""
    return [f for f in sample.frames if not f.is_inlined]


def stacks(source, way, shown=lambda name: name, event=None):
    sums = Sums()
    for sample in source.samples:
        name = sample.event
        if event is None or name == event:
            root = way.root(sample)
            sums.add((shown(name), shown(root) if root is not None else None,
                      tuple(map(shown, names_of(sample)))), sample.count, sample.events)
    return sums


def without_root(table):
    return {(event, None, names): n for (event, _, names), n in table.items()}


# ---- folded ----

def folded_name(name):
    return escaped(name.replace(";", ":"))


def read_folded(path, event):
    sums = Sums()
    with open(path, "rb") as file:
        for line in text_of(file.read()).split("\n")[:-1]:
            stack, number = line.rsplit(" ", 1)
            program, *names = stack.split(";")
            sums.add((folded_name(event), program, tuple(names)), None, int(number))
    return sums


def read_two_columns(path):
    sums = Sums()
    with open(path, "rb") as file:
        for line in text_of(file.read()).split("\n")[:-1]:
            stack, *values = line.rsplit(" ", 2)
            program, *names = stack.split(";")
            for event, number in zip(("before", "after"), values):
                sums.add((event, program, tuple(names)), None, int(number))
    return sums


# ---- callgrind ----

def event_word(name):
    return escaped(name).replace(" ", "_")


def read_callgrind(path):
    """Own costs by (event, function), costs of calls by (event, caller, callee)."""
    own, calls, names = Sums(), Sums(), {}
    functions, callee, call, events = {"fn": None, "cfn": None}, None, False, []
    with open(path, "rb") as file:
        for line in text_of(file.read()).split("\n"):
            found = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line, re.S)
            if found:
                if found[3] is not None:
                    names[found[2]] = found[3]
                functions[found[1]] = names[found[2]]
            elif line.startswith("events:"):
                events = line[8:].split(" ")
            elif line.startswith("calls="):
                call = True
            elif line[:1].isdigit():
                for event, cost in zip(events, line.split(" ")[1:]):
                    if call:
                        calls.add((event, functions["fn"], functions["cfn"]), None, int(cost))
                    else:
                        own.add((event, functions["fn"]), None, int(cost))
                call = False
    return own, calls


def callgrind_of(source, way):
    own, calls = Sums(), Sums()
    for sample in source.samples:
        event = event_word(sample.event)
        frames = sample.frames
        leaf = frames[-1].name if frames else way.root(sample)
        own.add((event, escaped(leaf if leaf is not None else "")), sample.count, sample.events)
        edges = {((a.image, a.name), (b.image, b.name), a.line)
                 for a, b in zip(frames, frames[1:])}
        for (_, caller), (_, callee), _ in edges:
            calls.add((event, escaped(caller), escaped(callee)), sample.count, sample.events)
    for event, caller, callee, cost in source.calls:
        calls.add((event_word(event), escaped(caller.name), escaped(callee.name)), cost, cost)
    return own, calls


# ---- JSON ----

def read_speedscope(path):
    sums = Sums()
    with open(path, encoding="utf-8") as file:
        doc = json.load(file)
    names = [f["name"] for f in doc["shared"]["frames"]]
    for profile in doc["profiles"]:
        for stack, weight in zip(profile["samples"], profile["weights"]):
            program, *rest = [names[i] for i in stack]
            # "EVENT", "PROGRAM EVENT" or "PROGRAM PID/TID EVENT"
            event = profile["name"]
            if event.startswith(program + " "):
                event = re.sub(r"^\d+/-?\d+ ", "", event[len(program) + 1:])
            sums.add((event, program, tuple(rest)), None, weight)
    return sums


def read_firefox(path, events):
    sums = Sums()
    with open(path, encoding="utf-8") as file:
        text = file.read()
    doc = json.loads(text, parse_float=lambda number: number)
    for thread, kind, rows in sources.firefox_threads(doc):
        # "NAME", or "NAME (EVENT)" if there are several
        root, event = thread["name"], events[0]
        if doc["meta"].get("oprofileEvents", len(events)) > 1:
            event = max((e for e in events if root.endswith(" (%s)" % e)), key=len)
            root = root[:-len(event) - 3]
        for stack, weight in rows:
            if kind == "tracing-ms":  # a decimal of ms with six digits is a whole number of ns
                whole, _, fraction = str(weight).partition(".")
                weight = int(whole) * 10 ** 6 + int(fraction.ljust(6, "0")[:6] or 0)
            sums.add((event, root, tuple(name for name, _ in stack)), None, int(weight))
    return sums


def read_html(path):
    page, sums = html_page.Page(path), Sums()
    for event, (counts, weights) in zip(page.about["events"], page.values):
        for i, node in enumerate(page.nodes):
            if not counts[i] and not (weights and weights[i]):
                continue
            program = page.about["functions"][page.about["threads"][page.threads[i]][0]][0]
            names = []
            while node >= 0:
                names.append(page.about["functions"][page.functions[node]][0])
                node = page.parents[node]
            # the root of the tree is the program
            sums.add((event["name"], program, tuple(names[::-1][1:])), counts[i],
                     weights[i] if weights else None)
    return sums


# ---- pprof ----

def read_pprof(path):
    with open(path, "rb") as file:
        source = sources.read_pprof(file.read())
    sums = Sums()
    for sample in source.samples:
        sums.add((sample.event, sample.comm, names_of(sample)), sample.count, sample.events)
    return sums


# ---- otlp ----

def read_otlp(path):
    with open(path, "rb") as file:
        _, profiles = otlp.read_otlp(file.read())
    sums = Sums()
    for event, _, rows in otlp.events_of(profiles):
        for frames, attributes, count, weight in rows:
            root = attributes.get("thread.name") or otlp.program_of(attributes)
            sums.add((event, root, tuple(f.name for f in frames)), count, weight)
    return sums


# ---- formats of addresses: images in the place of names, where no symbol table is here ----


def image_stacks(source, symbols):
    """What was read from a symbol table is read from it again; other names have no place."""
    sums = Sums()
    for sample in source.samples:
        names = tuple(image_name(f, symbols) for f in physical(sample)) or (UNKNOWN,)
        sums.add((sample.event, names), sample.count, sample.events)
    return sums


def image_name(f, symbols):
    if f.image in symbols and f.has_name:
        return f.name
    image = f.image.partition("\0")[0].removeprefix("k:")
    if image.startswith("no address:") or not image:
        return UNKNOWN
    return in_brackets(image)


def read_perf(path, symbols):
    with open(path, "rb") as file:
        source = perf_data.read_perf(file.read(), path, symbols)
    sums = Sums()
    for sample in source.samples:
        sums.add((sample.event, tuple(image_name(f, symbols) for f in sample.frames)),
                 sample.count, sample.events)
    return sums


def read_cpuprofile(path, event, symbols):
    with open(path, "rb") as file:
        _, _, records, text = sources.cpuprofile_records(file.read())
    maps, sums = sources.Maps(text, symbols), Sums()
    for n, stack in records:
        if n:
            frames = [maps.frame(address - (i > 0 and address > 0))
                      for i, address in enumerate(stack)]
            sums.add((event, tuple(image_name(f, symbols) for f in frames[::-1])), n, None)
    return sums


# ---- formats of leaves ----

def leaves(source):
    """Samples by event and image of the leaf."""
    sums = Sums()
    for sample in source.samples:
        frames = physical(sample)
        image = image_name(frames[-1], ()) if frames else UNKNOWN
        sums.add((sample.event, image), sample.count, sample.events)
    return sums


def read_dcpi(path):
    sums = Sums()
    for name in glob.glob(glob.escape(path) + "/*"):
        with open(name, "rb") as file:
            data = file.read()
        head, at = {}, 0
        while True:
            line, _, _ = data[at:].partition(b"\n")
            at += len(line) + 1
            key, _, value = text_of(line).strip().partition(" ")
            head.setdefault(key, value.strip())
            if key == "samples":
                break
        _, total = struct.unpack_from("<II", data, len(data) - 8)
        image = UNKNOWNS.get(head["path"], KERNEL.get(head["path"], head["path"]))
        sums.add((head["event"], in_brackets(image)), total, None)
    return sums


# ---- reports ----

UNKNOWNS = {"[no address]": UNKNOWN}
KERNEL = {"/kallsyms": "[kernel.kallsyms]", "kallsyms": "[kernel.kallsyms]"}
PLACE = re.compile(r" \(tgid:\S+ range:\S+\)")


def report_name(row):
    symbol, image = (re.sub(r"^\(no path, (.*)\)$", r"\1", PLACE.sub("", row[key]))
                     for key in ("symbol", "image"))
    return in_brackets(KERNEL.get(symbol, symbol)) if symbol == image else symbol


def read_report(text, what, what_weights):
    doc, sums = json.loads(text), Sums()
    classes = doc["classes"]
    for row in doc["symbols"]:
        name = report_name(row)
        for i, kind in enumerate(classes):
            count = row[what][i]
            weight = row[what_weights][i] if "weight" in kind else \
                count * kind["period"] if kind["period"] else None
            sums.add((kind["event"], name), count, weight)
    return sums


def report_of(source, inclusive):
    sums = Sums()
    for sample in source.samples:
        frames = physical(sample)
        event = Way.select(sample.event)
        met = {(f.image, f.name) for f in (frames if inclusive else frames[-1:])}
        for _, name in met or {("", UNKNOWN)}:
            sums.add((event, name), sample.count, sample.events)
    if inclusive and source.calls:
        add_calls(sums, source)
    return sums


def add_calls(sums, source):
    """What calls leave of circles is added up; else a function has its largest call at least."""
    arcs, totals = Sums(), Sums()
    for sample in source.samples:
        totals.add(sample.event, sample.count, sample.events)
    for event, caller, callee, cost in source.calls:
        arcs.add((event, (caller.image, caller.name), (callee.image, callee.name)), cost, cost)
    reached = {}
    for _, caller, callee in arcs.table:
        reached.setdefault(caller, set()).add(callee)
    for _ in reached:
        for known in reached.values():
            known |= {far for near in known for far in reached.get(near, ())}
    # one name in two images: two functions
    functions = {}
    for sample in source.samples:
        leaf = sample.frames[-1]
        key = (sample.event, (leaf.image, leaf.name))
        functions[key] = functions.get(key, 0) + sample.count
    own = dict(functions)
    for (event, caller, callee), (cost, _) in arcs.table.items():
        if caller not in reached.get(callee, ()) and caller != callee:
            functions[event, caller] = functions.get((event, caller), 0) + cost
    for (event, caller, callee), (cost, _) in arcs.table.items():
        for end in {caller, callee} if caller != callee else ():
            least = min(cost, totals.table[event][0])
            functions[event, end] = max(functions.get((event, end), 0), least)
    for (event, function), cost in functions.items():
        more = cost - own.get((event, function), 0)
        if more:
            sums.add((Way.select(event), function[1]), more, more)
