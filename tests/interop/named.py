#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Formats with names: callgrind_annotate and speedscope read what opexport writes, and count for
# each function what opreport does.  And round trips: a session that is exported and imported again
# has the same stacks.
#
#	named.py fixed|live TOOLS PROGRAM NPM
#
# fixed: of recordings that are always the same (fixed.py).  live: of fresh ones.
# TOOLS: the folder of opimport, opexport, opreport and oparchive.  PROGRAM: something to profile.
# NPM: where npm installs speedscope, if it can.
# Exit codes: 0 all is the same, 1 something is not, 77 there is no perf to record with.  What needs
# callgrind_annotate, node or speedscope is left out, saying so, where there is none.

import collections
import csv
import glob
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import fixed
from checks import SKIP, check, finish, leave_out, run

# Another version may be another verdict.
SPEEDSCOPE = "speedscope@1.25.0"


def ours(tool, *words):
    return run(os.path.join(tools, tool), *words)


def export(session, form, *words):
    words = ("--value=samples", *words) if form in ("folded", "callgrind", "firefox") else words
    return ours("opexport", "--session-dir=" + session, "--to=" + form, *words)


# What opreport counts, as {symbol: samples}.
def reported(session, *options):
    counts = collections.Counter()
    rows = csv.reader(io.StringIO(ours("opreport", "--session-dir=" + session, "-l", "--csv",
                                       *options)))
    head = next(rows)
    for row in rows:
        if row[0].isdigit():
            # memory has "(tgid:1 range:0x1-0x2)" behind its name
            symbol = re.sub(r" \(tgid:\S+ range:\S+\)", "", row[head.index("symbol")])
            counts[re.sub(r" \(inlined\)$", "", symbol)] += int(row[0])
    return without_brackets(counts)


# Places without a symbol have the name of the image, which opexport puts in brackets.
def without_brackets(counts):
    result = collections.Counter()
    for name, count in counts.items():
        result[re.sub(r"^\[(.*)\]$", r"\1", name)] += count
    return result


def folded_leaves(text):
    counts = collections.Counter()
    for line in text.splitlines():
        stack, count = line.rsplit(" ", 1)
        counts[stack.split(";")[-1]] += int(count)
    return counts


# ---- callgrind_annotate ----

def annotated(path):
    counts = collections.Counter()
    text = run("callgrind_annotate", "--threshold=100", "--auto=no", path)
    for line in text.splitlines():
        match = re.match(r"\s*([\d,]+) \([ \d.]+%\)\s+.*?:(.*?)(?: \[.*\])?$", line)
        if match:
            counts[match.group(2)] += int(match.group(1).replace(",", ""))
    return counts, text


def test_callgrind(session, scratch):
    if not shutil.which("callgrind_annotate"):
        leave_out("callgrind_annotate", "it is not installed (Debian: valgrind)")
        return
    path = os.path.join(scratch, "callgrind.out")
    export(session, "callgrind", "-o", path)
    counts, text = annotated(path)
    wanted = reported(session, "--inline")
    total = int(re.search(r"([\d,]+) \(100.0%\)\s+PROGRAM TOTALS", text).group(1).replace(",", ""))
    check("callgrind: total", sum(wanted.values()), total)
    check("callgrind: own cost of each function", wanted, without_brackets(counts))
    # the cost of main with what it calls, from the file's calls
    tree = run("callgrind_annotate", "--threshold=100", "--auto=no", "--inclusive=yes", path)
    inclusive = re.search(r"([\d,]+) \([ \d.]+%\)\s+\S*:main(?: |$)", tree, re.M)
    stacks = export(session, "folded").splitlines()
    wanted_main = sum(int(line.rsplit(" ", 1)[1]) for line in stacks
                      if "main" in line.rsplit(" ", 1)[0].split(";"))
    check("callgrind: main and what it calls", wanted_main,
          int(inclusive.group(1).replace(",", "")) if inclusive else 0)


# ---- speedscope ----

# Where the npm package is: $SPEEDSCOPE_DIR, or fetched for this build.
def speedscope_dir():
    given = os.environ.get("SPEEDSCOPE_DIR")
    if given:
        return given
    if not shutil.which("node") or not shutil.which("npm"):
        leave_out("speedscope", "there is no node, or no npm")
        return None
    place = os.path.join(npm, SPEEDSCOPE)
    package = os.path.join(place, "node_modules", "speedscope")
    if os.path.exists(package):
        return package
    os.makedirs(npm, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=npm) as fresh:
        try:
            result = subprocess.run(["npm", "install", "--prefix", fresh, "--silent", "--no-audit",
                                     "--no-fund", "--ignore-scripts", SPEEDSCOPE], cwd=fresh,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        except subprocess.TimeoutExpired:
            leave_out("speedscope", "npm takes too long")
            return None
        if result.returncode:
            leave_out("speedscope", "npm can't install it")
            return None
        os.makedirs(os.path.join(fresh, "whole"))
        os.rename(os.path.join(fresh, "node_modules"), os.path.join(fresh, "whole/node_modules"))
        if not os.path.exists(place):
            os.rename(os.path.join(fresh, "whole"), place)
    return package


def test_speedscope(session, scratch):
    package = speedscope_dir()
    if not package:
        return
    path = os.path.join(scratch, "speedscope.json")
    export(session, "speedscope", "-o", path)
    try:
        import jsonschema
        with open(os.path.join(package, "dist/release/file-format-schema.json")) as schema:
            with open(path) as profile:
                jsonschema.validate(json.load(profile), json.load(schema))
        print("ok      speedscope: valid by its schema")
    except ImportError:
        leave_out("speedscope's schema", "there is no jsonschema for Python")
    bundle = glob.glob(os.path.join(package, "dist/release/speedscope-*.js"))[0]
    lines = run("node", os.path.join(os.path.dirname(os.path.abspath(__file__)), "speedscope.js"),
                bundle, path).splitlines()
    name, unit, total = lines[0].split()
    counts = collections.Counter()
    wanted = reported(session, "--inline")
    period = float(total) / sum(wanted.values())
    for line in lines[1:]:
        weight, function = line.split(" ", 1)
        counts[function] += round(float(weight) / period)
    check("speedscope: event and unit", ("cpu-clock", "nanoseconds"),
          (re.sub(":.*", "", name), unit))
    check("speedscope: own weight of each function", wanted, without_brackets(counts))


# ---- round trips ----

# Folded stacks, without the program's name at the root: not all formats have it.
def stacks_of(session):
    counts = collections.Counter()
    for line in export(session, "folded").splitlines():
        stack, count = line.rsplit(" ", 1)
        counts[stack.split(";", 1)[-1]] += int(count)
    return counts


def test_round_trip(session, form, scratch):
    path = os.path.join(scratch, form + ".out")
    again = os.path.join(scratch, form + ".session")
    export(session, form, "-o", path)
    ours("opimport", "-o", again, path)
    check("session -> %s -> session: stacks" % form, stacks_of(session), stacks_of(again))
    check("session -> %s -> session: opreport" % form, reported(session), reported(again))


# A pipe out and in is the same as a file.
def test_pipes(session, scratch):
    again = os.path.join(scratch, "pipe.session")
    export_words = [os.path.join(tools, "opexport"), "--session-dir=" + session, "--to=pprof"]
    exporting = subprocess.Popen(export_words, stdout=subprocess.PIPE)
    importing = subprocess.run([os.path.join(tools, "opimport"), "-o", again, "-"],
                               stdin=exporting.stdout)
    check("exit codes of opexport | opimport -", (0, 0), (exporting.wait(), importing.returncode))
    check("opexport | opimport -", stacks_of(session), stacks_of(again))


# Files are replaced, devices are written to.
def test_output(session, scratch):
    opexport = [os.path.join(tools, "opexport"), "--session-dir=" + session, "--to=folded", "-o"]
    path = os.path.join(scratch, "replaced")
    with open(path, "w") as old:
        old.write("old")
    failed = subprocess.run(opexport + [path, "session:none"], stderr=subprocess.DEVNULL)
    check("opexport -o: what was there stays after an error", (1, "old"),
          (failed.returncode, open(path).read()))
    export(session, "folded", "-o", path)
    check("opexport -o", export(session, "folded"), open(path).read())
    full = subprocess.run(opexport + ["/dev/full"], stderr=subprocess.DEVNULL)
    check("opexport -o /dev/full", (1, True),
          (full.returncode, stat.S_ISCHR(os.stat("/dev/full").st_mode)))
    names = sorted(os.listdir(scratch))
    check("opexport -o leaves nothing else", [], [name for name in names if "replaced." in name])


# An archive has the stack files, too.
def test_archive(session, scratch):
    archive = os.path.join(scratch, "archive")
    ours("oparchive", "--session-dir=" + session, "-o", archive)
    check("oparchive: stacks", export(session, "folded"),
          export(session, "folded", "archive:" + archive))


def record(program, event, scratch):
    data = os.path.join(scratch, event + ".data")
    if not is_live:
        fixed.write_perf(data, program)
    else:
        run("perf", "record", "-qB", "-e", event, "-F", "997", "-g", "-o", data, program, "1",
            cwd=scratch)
    session = os.path.join(scratch, event + ".session")
    ours("opimport", "-o", session, data)
    return session


def main():
    if is_live and not shutil.which("perf"):
        print("skipped: there is no perf (Debian: linux-perf)")
        return SKIP
    with tempfile.TemporaryDirectory() as scratch:
        user = record(program, "cpu-clock:u", scratch)
        both = record(program, "cpu-clock", scratch)
        check("folded: leaves", reported(both, "--inline"),
              without_brackets(folded_leaves(export(both, "folded"))))
        test_callgrind(both, scratch)
        test_speedscope(both, scratch)
        for form in ["perf", "pprof"]:
            test_round_trip(both, form, scratch)
        # programs only: it has no kernel
        test_round_trip(user, "cpuprofile", scratch)
        test_pipes(both, scratch)
        test_archive(both, scratch)
        test_output(both, scratch)
    return finish()


is_live = sys.argv[1] == "live"
tools, program, npm = (os.path.abspath(argument) for argument in sys.argv[2:])
sys.exit(main())
