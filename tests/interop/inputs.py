#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What other tools write is read: for each stack, or each function, we have as many samples, or as
# much cost, as they say themselves.
#
#	inputs.py fixed|live TOOLS BUSY HEAP [GROWTH]
#
# fixed: where what they write is always the same; of perf, of a recording that is (fixed.py).
# live: of what perf and node sample.
# TOOLS: the folder of opimport, opexport and opreport.  BUSY: something to profile.
# HEAP: something that allocates memory.  GROWTH: something that tells how its heap grew.
# Exit codes: 0 all is the same, 1 something is not, 77 none of the tools is here.

import collections
import glob
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import fixed
from checks import SKIP, check, finish, leave_out, run

compared = 0


def tool(name):
    return os.path.join(tools, name)


def compare(what, ours, theirs):
    global compared

    compared += 1
    check(what + ": there are samples", bool(theirs), True)
    check(what, dict(ours - theirs), dict(theirs - ours))


def folded(*options):
    """The stacks that opexport has: counts by "program;root;...;leaf"."""
    stacks = collections.Counter()
    for line in run(tool("opexport"), "-t", "folded", "--value=samples", *options).splitlines():
        stack, count = line.rsplit(" ", 1)
        stacks[stack] += int(count)
    return stacks


def imported(path, event):
    """The same by way of a session."""
    run("rm", "-rf", "session")
    run(tool("opimport"), "-o", "session", path)
    return folded("--session-dir=session", "event:" + event)


# ---- perf script ----

def script_stacks(path, event):
    """What perf script prints, by python."""
    stacks, frames, program = collections.Counter(), None, None
    with open(path, encoding="utf-8", errors="replace") as text:
        for line in [*text, "\n"]:
            head = re.match(r"(\S.*?) +\d+ .* (\S+?):\w* *$", line)
            frame = re.match(r"\t *[0-9a-f]+ (.*) \(.*\)$", line)
            if frame and frames is not None:
                name = re.sub(r"\+0x[0-9a-f]+$", "", frame.group(1))
                frames.append("[unknown]" if name == "[unknown]" else name)
            elif head:
                program, frames = head.group(1), [] if head.group(2) == event else None
            elif frames is not None:
                stacks[";".join([program, *reversed(frames)])] += 1
                frames = None
    return stacks


def record():
    """Whether perf.data could be made, for a perf that is there."""
    try:
        if is_live:
            run("perf", "record", "-qB", "-F", "499", "-g", "-e", "cpu-clock,task-clock", "-o",
                "perf.data", busy, "0.3")
        else:
            fixed.write_perf("perf.data", busy, events=("cpu-clock", "task-clock"))
    except (FileNotFoundError, SystemExit):
        return False
    return bool(shutil.which("perf"))


def text_of_perf_script():
    if not record():
        leave_out("perf script", "perf is absent, or may not record here")
        return
    # perf 6.1 aborts where the kernel tells build-ids that another recorder wants: not on ours
    run(tool("opexport"), "--from=perf.data", "-t", "perf", "-o", "ours.data")
    with open("script.txt", "wb") as text:
        subprocess.run(["perf", "script", "-i", "ours.data", "--no-inline"], stdout=text,
                       stderr=subprocess.PIPE, check=True)
    for event in "cpu-clock", "task-clock":
        compare("perf script, " + event, imported("script.txt", event),
                script_stacks("script.txt", event))


# ---- node --cpu-prof ----

SCRIPT = """
function leaf(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s; }
function work(n) { return leaf(3 * n); }
const end = Date.now() + 300;
let sum = 0;
while (Date.now() < end) sum += work(10000) + (() => leaf(10000))();
"""


def v8_stacks(profile):
    """By python: samples of each stack, and the time that they stand for."""
    nodes = {node["id"]: node for node in profile["nodes"]}
    parents = {child: node["id"] for node in profile["nodes"]
               for child in node.get("children", ())}
    stacks, times = collections.Counter(), list(itertools.accumulate(profile["timeDeltas"]))
    for sample in profile["samples"]:
        names, at = [], sample
        while at in parents:
            frame = nodes[at]["callFrame"]
            names.append(frame["functionName"] or "(anonymous):%d" % (frame["lineNumber"] + 1))
            at = parents[at]
        stacks[";".join(["v8", *reversed(names)])] += 1
    # from the first one to the end, in whatever order they were written
    time = max(profile["endTime"] - profile["startTime"], max(times)) - min(times)
    return stacks, time * 1000


def profile_of_node():
    if not shutil.which("node"):
        leave_out("node", "it is not installed")
        return
    with open("script.js", "w", encoding="utf-8") as script:
        script.write(SCRIPT)
    try:
        run("node", "--cpu-prof", "--cpu-prof-name=node.cpuprofile", "script.js")
    except SystemExit:
        leave_out("node", "it has no --cpu-prof")
        return
    with open("node.cpuprofile", encoding="utf-8") as profile:
        stacks, time = v8_stacks(json.load(profile))
    compare("node", imported("node.cpuprofile", "time"), stacks)
    check("node: time of all samples", time, int(re.search(
        r"event: time samples \d+ events (\d+)",
        run(tool("opimport"), "--info", "node.cpuprofile")).group(1)))
    for form in "speedscope", "firefox":
        run(tool("opexport"), "--from=node.cpuprofile", "-t", form, "-o", "converted")
        compare("node by way of " + form, folded("--from=converted"), stacks)


# ---- callgrind ----

def cost_of_functions(path):
    """What callgrind_annotate says: costs by object file and function."""
    costs = collections.Counter()
    printed = run("callgrind_annotate", "--threshold=100", "--auto=no", path)
    for cost, function in re.findall(r"^ *([0-9,]+) \([ 0-9.]+%\)  (.*)$", printed, re.MULTILINE):
        name = re.match(r"[^:]*:(.*?)(?: \[(.*)\])?$", function)
        if name:
            costs[name.group(1)] += int(cost.replace(",", ""))
    return costs


def costs_of_callgrind():
    if not shutil.which("valgrind") or not shutil.which("callgrind_annotate"):
        leave_out("callgrind", "valgrind is not installed")
        return
    run("valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=callgrind.out",
        "--dump-instr=yes", "--collect-jumps=yes", "true")
    ours = collections.Counter()
    for stack, count in folded("--from=callgrind.out").items():
        ours[stack.rsplit(";", 1)[1]] += count
    theirs = cost_of_functions("callgrind.out")
    compare("callgrind", ours, theirs)


# ---- tcmalloc ----

TCMALLOC = "/usr/lib/*/libtcmalloc.so.4"


def bytes_of_functions(*words, inclusive=False):
    """What google-pprof says."""
    printed = run("google-pprof", "--text", "--show_bytes", *words)
    rows = re.findall(r"^ *(\d+) +[0-9.]+% +[0-9.]+% +(\d+) +[0-9.]+% (.*)$", printed, re.MULTILINE)
    return collections.Counter({row[2]: int(row[inclusive]) for row in rows if int(row[inclusive])})


def functions_of_session(event):
    report = json.loads(run(tool("opreport"), "--session-dir=heap.session", "-l", "--json",
                            "event:" + event))
    return collections.Counter({symbol["symbol"]: symbol["weights"][0]
                                for symbol in report["symbols"]})


def memory_of_tcmalloc():
    library = glob.glob(TCMALLOC)
    if not library or not shutil.which("google-pprof"):
        leave_out("heap", "tcmalloc or google-pprof is not installed")
        return
    run(heap, LD_PRELOAD=library[0], HEAPPROFILE=os.path.abspath("heap"))
    run(tool("opimport"), "-o", "heap.session", "heap.0001.heap")
    for form in "inuse_space", "alloc_space":
        compare("heap, " + form, functions_of_session(form),
                bytes_of_functions("--" + form, heap, "heap.0001.heap"))


def growth_of_tcmalloc():
    library = glob.glob(TCMALLOC)
    if not library or not shutil.which("google-pprof") or not growth:
        leave_out("growth", "tcmalloc, google-pprof or a compiler of C++ is not installed")
        return
    with open("growth.prof", "w", encoding="utf-8") as profile:
        profile.write(run(growth, LD_PRELOAD=library[0]))
    run(tool("opimport"), "-o", "growth.session", "growth.prof")
    report = json.loads(run(tool("opreport"), "--session-dir=growth.session", "--callgraph",
                            "--json", "event:growth"))
    # the allocator's own functions are the leaves, which google-pprof leaves out if it knows them
    known = {"grow_big": 10 * (4 << 20), "grow_small": 30 * (1 << 20)}
    ours = {symbol["symbol"].removesuffix("()"): symbol["inclusive_weights"][0]
            for symbol in report["symbols"] if symbol["symbol"].startswith("grow_")}
    theirs = bytes_of_functions(growth, "growth.prof", inclusive=True)
    compare("growth", collections.Counter(ours), collections.Counter(known))
    check("growth, google-pprof", {name: theirs[name] for name in known}, known)


def main():
    text_of_perf_script()
    if is_live:
        profile_of_node()
    else:
        costs_of_callgrind()
        memory_of_tcmalloc()
        growth_of_tcmalloc()
    if not compared:
        sys.exit(SKIP)
    finish()


is_live = sys.argv[1] == "live"
tools, busy, heap, growth = [*(os.path.realpath(word) for word in sys.argv[2:]), None][:4]
with tempfile.TemporaryDirectory(prefix="inputs.") as scratch:
    os.chdir(scratch)
    main()
