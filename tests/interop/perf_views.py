#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Views of call chains are those of "perf report", of one recording: inclusive samples and those of
# each function's own code (--children), the tree of calls from callers on (--tree), and from the
# sampled functions on (--inverted), sample by sample.  Names of one address are one here.
#
#	perf_views.py fixed|live TOOLS BUSY [SECONDS]
#
# fixed: of a recording that is always the same (fixed.py).  live: of a fresh one.
# TOOLS: the folder of opimport and opreport.  BUSY: something to profile, with recursion in it.
# Exit codes: 0 all is the same, 1 something is not, 77 perf is absent, or it may not record.

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import fixed
from checks import SKIP, check, finish, run
from symbol_names import Names, listing_of

ROUNDING = 0.005001  # perf has two decimals
UNKNOWN = re.compile("(0x)?[0-9a-f]*")


class Symbols:
    """Names of all images of a recording."""

    def __init__(self, images):
        self.names = Names(*[listing_of(image) for image in ["kernel", *images]])

    def find(self, name):
        """@name as it stands in a report, perhaps with an image in brackets behind it."""
        if "[vdso]" in name or name.startswith("__vdso_"):
            return "[vdso]"
        if "[unknown]" in name:
            return "?"
        name = re.sub(" +\\[.*\\]$", "", name)
        # perf has no name for some stubs of calls, and names what stands behind a call
        if name.endswith("@plt"):
            return "?"
        if name == "_dl_start_user":
            return "_start"
        name = re.sub("@.*", "", name)
        if name in self.names.first:
            return self.names.find(name)
        return "?" if "/" in name or UNKNOWN.fullmatch(name) else name


def reported(*options):
    return run(os.path.join(tools, "opreport"), "--session-dir=session", "-n", "--demangle=none",
               *options).splitlines()


def perf_report(*options):
    return run("perf", "report", "-i", "recording", "--stdio", "--percent-limit", "0",
               "--no-demangle", *options).splitlines()


def images_of():
    files = run("perf", "script", "-i", "recording", "--show-mmap-events").splitlines()
    return sorted({words[-1] for words in map(str.split, files)
                   if words and words[-1].startswith("/") and os.path.isfile(words[-1])})


def our_list(symbols):
    """Inclusive and own samples by symbol, in percent."""
    rows = collections.defaultdict(lambda: [0, 0])
    for line in reported("--children"):
        words = line.split()
        row = rows[symbols.find(line if "[unknown]" in line else words[-1])]
        row[0] += float(words[1])
        row[1] += float(words[3])
    return rows


def perf_list(symbols):
    """The same, and of how many rounded numbers they are sums."""
    rows = collections.defaultdict(lambda: [0, 0, 0])
    for line in perf_report("--children", "-g", "none", "-F", "overhead_children,overhead,sym",
                            "-t;"):
        found = re.fullmatch(r" *([0-9.]+)% *; *([0-9.]+)% *;\[.\] (.*?) *", line)
        if found:
            row = rows[symbols.find(found.group(3))]
            row[0] += float(found.group(1))
            row[1] += float(found.group(2))
            row[2] += 1
    return rows


def compare_lists(symbols, least):
    mine, perfs = our_list(symbols), perf_list(symbols)
    mine.pop("?", None)
    perfs.pop("?", None)
    check("as many symbols, %d" % len(mine), len(mine) >= least, True)
    check("the same symbols", sorted(mine), sorted(perfs))
    for place, what in enumerate(("inclusive", "own")):
        apart = {name: (mine[name][place], perfs[name][place]) for name in mine
                 if abs(mine[name][place] - perfs[name][place]) > ROUNDING * perfs[name][2]}
        check("%s percentages within perf's rounding" % what, apart, {})


def our_tree(symbols, option):
    """Samples by the path of names to a node."""
    nodes, path = collections.Counter(), []
    columns = 2 if option == "--inverted" else 4
    for line in reported(option, "--max-lines=0"):
        numbers = r"(\d+)" + r" +[\d.e+-]+" * (columns - 1)
        found = re.match(numbers + r"  ( *)(.*)", line)
        depth, name = len(found.group(2)) // 2, found.group(3)
        path[depth:] = [symbols.find(name)]
        nodes[tuple(path)] += int(found.group(1))
    return nodes


def perf_chains(symbols):
    """Chains, the sampled function first, and how many samples have them."""
    chains = []
    for line in perf_report("--no-children", "-g", "folded,0,0,callee,function,count", "-F",
                            "overhead,sym"):
        found = re.fullmatch(r"(\d+) (.*)", line)
        if found:
            chain = [symbols.find(name) for name in found.group(2).split(";")]
            chains.append((int(found.group(1)), chain))
    return chains


def perf_tree(chains, is_inverted):
    nodes = collections.Counter()
    for count, chain in chains:
        path = chain if is_inverted else chain[::-1]
        for depth in range(len(path)):
            nodes[tuple(path[:depth + 1])] += count
    return nodes


def record():
    if sys.argv[1] != "live":
        if not shutil.which("perf"):
            sys.exit("there is no perf (Debian: linux-perf)")
        fixed.write_perf("recording", busy)
        return
    run("perf", "record", "-qB", "-e", "cpu-clock", "-c", "500000", "-g", "-o", "recording", busy,
        seconds)


def main():
    try:
        record()
    except (FileNotFoundError, SystemExit) as error:
        print("skipped: perf may not record: %s" % error)
        return SKIP
    run(os.path.join(tools, "opimport"), "-o", "session", "recording")
    symbols = Symbols(images_of())
    compare_lists(symbols, 20 if sys.argv[1] == "live" else 10)
    chains = perf_chains(symbols)
    for option in ("--tree", "--inverted"):
        mine, perfs = our_tree(symbols, option), perf_tree(chains, option == "--inverted")
        check("%s: nodes, %d" % (option, len(mine)), len(mine) > 100, True)
        check("%s: samples of each node" % option, dict(mine), dict(perfs))
    return finish()


tools, busy = [os.path.abspath(argument) for argument in sys.argv[2:4]]
seconds = sys.argv[4] if len(sys.argv) > 4 else "0.3"
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    sys.exit(main())
