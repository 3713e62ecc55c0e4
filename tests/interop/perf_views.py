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
import sys
import tempfile

from checks import SKIP, check, finish, run
from perf_tool import Symbols, images_of, perf_chains, perf_list, perf_tree, record

ROUNDING = 0.005001  # perf has two decimals


def reported(*options):
    return run(os.path.join(tools, "opreport"), "--session-dir=session", "-n", "--demangle=none",
               *options).splitlines()


def our_list(symbols):
    """Inclusive and own samples by symbol, in percent."""
    rows = collections.defaultdict(lambda: [0, 0])
    for line in reported("--children"):
        words = line.split()
        row = rows[symbols.find(line if "[unknown]" in line else words[-1])]
        row[0] += float(words[1])
        row[1] += float(words[3])
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


def main():
    try:
        record(sys.argv[1], busy, seconds)
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
