#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gperftools' profiler, google-pprof and go tool pprof on one side, opimport, opreport and opexport
# on the other: each reads what the other writes, and they count the same in the same functions.
#
#	pprof.py fixed|live google|go TOOLS PROGRAM...
#
# fixed: of profiles that are always the same (fixed.py).  live: of fresh ones, by libprofiler.
# google, go: which pprof.  TOOLS: the folder of opimport, opexport and opreport.  PROGRAM: calls.c,
# linked in several ways.
# Exit codes: 0 all is the same, 1 something is not, 77 there is no such pprof or no libprofiler.

import collections
import csv
import gzip
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile

import fixed
from checks import SKIP, check, finish, run

FUNCTIONS = {"hash", "scatter", "mix", "compare", "sort", "main"}
scratch = None


def ours(tool, *words):
    return run(os.path.join(tools, tool), *words)


# ---- tables: {function: (samples in it, samples in it and what it calls)} ----

def known(table):
    return {name: counts for name, counts in table.items() if name in FUNCTIONS}


def google_table(program, profile):
    """The table of google-pprof --text, and its total."""
    text = run("google-pprof", "--text", program, profile)
    total = int(re.search(r"Total: (\d+) samples", text).group(1))
    table = {}
    for line in text.splitlines():
        words = line.split(None, 5)
        if len(words) == 6 and words[1].endswith("%"):
            table[words[5]] = (int(words[0]), int(words[3]))
    return table, total


def go_table(*words):
    """The same of go tool pprof -top."""
    text = run("go", "tool", "pprof", "-top", "-sample_index=0", "-nodecount=10000",
               "-nodefraction=0", *words, HOME=scratch, PPROF_TMPDIR=scratch)
    total = int(re.search(r" of (\d+) total", text).group(1))
    table = {}
    for line in text.splitlines():
        words = line.split(None, 5)
        if len(words) == 6 and words[1].endswith("%"):
            table[words[5]] = (int(words[0]), int(words[3]))
    return table, total


def opreport_table(session):
    """Samples by function, of opreport, and their total."""
    rows = csv.reader(io.StringIO(ours("opreport", "--session-dir=" + session, "-l", "--csv")))
    table, total = collections.Counter(), 0
    head = next(rows)
    for row in rows:
        if row[0].startswith("#"):
            continue
        table[row[head.index("symbol")]] += int(row[0])
        total += int(row[0])
    return table, total


def flat(table):
    return {name: counts[0] for name, counts in known(table).items() if counts[0]}


# ---- the tests ----

def record(program, path):
    """A profile by gperftools' own profiler, or as if: at least a hundred samples."""
    if not is_live:
        fixed.write_cpuprofile(path, program)
        return
    subprocess.run([program, "1.5"], stderr=subprocess.DEVNULL,
                   env=dict(os.environ, LD_PRELOAD="libprofiler.so.0", CPUPROFILE=path,
                            CPUPROFILE_FREQUENCY="250"))
    if not os.path.exists(path):
        print("skipped: libprofiler.so.0 can't be loaded")
        sys.exit(SKIP)


def same_as_opreport(what, session, table, total):
    our_table, our_total = opreport_table(session)
    check(what + ": total", our_total, total)
    check(what + ": samples by function",
          {name: count for name, count in our_table.items() if name in FUNCTIONS and count},
          flat(table))


def export(session, form, path):
    ours("opexport", "--session-dir=" + session, "--to=" + form, "-o", path)
    return path


def test_google(name, program, profile, session):
    theirs, total = google_table(program, profile)
    if total < 100 or not known(theirs):
        sys.exit("%s: only %d samples, in %s" % (name, total, ", ".join(theirs)))
    same_as_opreport(name + ": opreport and google-pprof", session, theirs, total)
    exported = export(session, "cpuprofile", profile + ".exported")
    check(name + ": google-pprof on what opexport wrote", google_table(program, exported),
          (theirs, total))

    raw = profile + ".raw"
    with open(raw, "wb") as file:
        subprocess.run(["google-pprof", "--raw", program, profile], stdout=file,
                       stderr=subprocess.DEVNULL, check=True)
    check(name + ": samples of google-pprof --raw",
          re.search(r"^samples: (\d+)$", ours("opimport", "--info", raw), re.M).group(1),
          str(total))


def test_go(name, program, profile, session):
    theirs, total = go_table(program, profile)
    if total < 100 or not known(theirs):
        sys.exit("%s: only %d samples, in %s" % (name, total, ", ".join(theirs)))
    same_as_opreport(name + ": opreport and go tool pprof", session, theirs, total)
    exported = export(session, "cpuprofile", profile + ".exported")
    check(name + ": go tool pprof on the CPU profile that opexport wrote",
          go_table(program, exported), (theirs, total))
    packed = export(session, "pprof", profile + ".pb.gz")
    table, our_total = go_table("-symbolize=none", packed)
    check(name + ": go tool pprof on the pprof profile that opexport wrote",
          (known(table), our_total), (known(theirs), total))

    rewritten = profile + ".go.pb.gz"
    again = profile + ".go.session"
    run("go", "tool", "pprof", "-proto", "-output=" + rewritten, program, profile, HOME=scratch,
        PPROF_TMPDIR=scratch)
    ours("opimport", "-o", again, rewritten)
    same_as_opreport(name + ": opreport on what go tool pprof wrote", again, theirs, total)


def test_program(name, program):
    profile = os.path.join(scratch, name + ".prof")
    session = os.path.join(scratch, name + ".session")

    record(program, profile)
    ours("opimport", "-o", session, profile)
    (test_go if by_go else test_google)(name, program, profile, session)


# ---- a caller that all stacks have ----

def number(value):
    out = b""
    while value > 0x7f:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def field(tag, value):
    if isinstance(value, int):
        return number(tag << 3) + number(value)
    if isinstance(value, str):
        value = value.encode()
    return number(tag << 3 | 2) + number(len(value)) + value


def addresses_of(program):
    """Addresses of functions, for a program that is linked to a fixed address."""
    symbols = {}
    for line in run("nm", program).splitlines():
        words = line.split()
        if len(words) == 3 and words[2] in FUNCTIONS:
            symbols[words[2]] = int(words[0], 16)
    return symbols


def test_common_caller(program):
    """Readers take a frame that all stacks have next to the leaf for the signal handler's."""
    at = addresses_of(program)
    stacks = {("hash", "mix", "main"): 50, ("scatter", "mix", "main"): 30}
    strings = ["", "samples", "count", "cpu", "nanoseconds", program]
    out = b"".join(field(6, string) for string in strings)
    out += field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 4))
    out += field(11, field(1, 3) + field(2, 4)) + field(12, 1000000)
    out += field(3, field(1, 1) + field(2, 0x400000) + field(3, 0x500000) + field(5, 5))
    names = sorted(at)
    for i, name in enumerate(names):
        out += field(4, field(1, i + 1) + field(2, 1) + field(3, at[name] + 4))
    for stack, count in stacks.items():
        ids = b"".join(number(names.index(name) + 1) for name in stack)
        out += field(2, field(1, ids) + field(2, number(count) + number(count * 1000000)))

    made = os.path.join(scratch, "made.pb.gz")
    session = os.path.join(scratch, "made.session")
    with gzip.open(made, "wb") as file:
        file.write(out)
    ours("opimport", "-o", session, made)
    exported = export(session, "cpuprofile", os.path.join(scratch, "made.prof"))
    wanted = {"hash": (50, 50), "scatter": (30, 30), "mix": (0, 80), "main": (0, 80)}
    check("a caller that all stacks have", (go_table if by_go else google_table)(program, exported),
          (wanted, 80))


def main():
    global is_live, by_go, scratch, tools

    is_live = sys.argv[1] == "live"
    by_go = sys.argv[2] == "go"
    tools = sys.argv[3]
    command, package = ("go", "golang-go") if by_go else ("google-pprof", "google-perftools")
    if not shutil.which(command):
        print("skipped: there is no %s (Debian package %s)" % (command, package))
        return SKIP
    with tempfile.TemporaryDirectory(prefix="oprofile-interop-") as scratch:
        programs = [os.path.abspath(program) for program in sys.argv[4:]]
        for program in programs:
            test_program(os.path.basename(program), program)
        test_common_caller(programs[-1])
    return finish()


if __name__ == "__main__":
    sys.exit(main())
