#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of a recording (opreport --html) has the numbers of "perf report", of the same file, read
# from what Chromium shows: own and inclusive samples of each function, those of its callers and
# callees, and the inverted tree.  Names of one address are one here.
#
#	perf_page.py fixed|live TOOLS BUSY [SECONDS]
#
# fixed: of a recording that is always the same (fixed.py).  live: of a fresh one.
# TOOLS: the folder of opreport.  BUSY: something to profile, with recursion in it.
# Exit codes: 0 all is the same, 1 something is not, 77 perf or Chromium is absent, or perf may not
# record.

import collections
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../browser"))

from checks import SKIP, check, finish, run
from driver import Browser
from perf_tool import Symbols, images_of, perf_chains, perf_list, perf_tree, record

ROUNDING = 0.005001  # perf has two decimals
FUNCTIONS_LEAST = 10
VIEW = 1400, 900


# ---- what the page shows ----

def samples_of(title):
    """Of a cell's title: "20.00 %, 20.0 ms, 20 samples"."""
    return int(re.search(r"([0-9,]+) samples?$", title).group(1).replace(",", ""))


def table_rows(browser, box):
    """The titles of the cells of all rows of a table in a box, which is scrolled through."""
    rows, n = {}, 1
    while len(rows) < n:
        shown = browser.run("""
            const box = document.querySelector(arguments[0]);
            box.scrollTop = arguments[1] * 20;
            box.dispatchEvent(new Event("scroll"));
            const table = box.querySelector("table");
            return table && [table.ariaRowCount - 1, [...table.tBodies[0].rows].map((row) =>
                [row.ariaRowIndex, [...row.cells].map((cell) => cell.title)])];""", box, len(rows))
        if not shown:
            return []
        n = int(shown[0])
        rows.update(shown[1])
    browser.run("document.querySelector(arguments[0]).scrollTop = 0", box)
    return list(rows.values())


def functions_of(browser, symbols):
    """[own, inclusive] samples by symbol."""
    found = collections.defaultdict(lambda: [0, 0])
    for own, _, both, _, name, _ in table_rows(browser, "#panel .scroll"):
        row = found[symbols.find(name)]
        row[0] += samples_of(own)
        row[1] += samples_of(both)
    return found


def open_function(browser, name):
    """By a click on its row, which is scrolled to."""
    place = browser.run("""
        const {table} = page, at = table.rows.findIndex(({name}) => name === arguments[0]);
        table.box.scrollTop = at * 20;
        table.fill();
        const row = table.body.querySelector(`[data-row="${at}"]`);
        const {left, top, width, height} = row.getBoundingClientRect();
        return [left + width / 2, top + height / 2];""", name)
    browser.click_at(*place)
    browser.wait(f"return document.querySelector('#function h2').textContent === {name!r}")


def neighbours_of(browser, symbols, i):
    """Samples by symbol: of callers (1) or callees (2) of the open function."""
    found = collections.Counter()
    for both, _, name in table_rows(browser, f"#function .calls > div:nth-child({i}) .scroll"):
        found[symbols.find(name)] += samples_of(both)
    return found


def inverted_tree(browser, symbols, programs):
    """Samples by the path of symbols, the sampled one first; programs, which perf has not, are left
    out."""
    browser.click("#inverted")
    rows = browser.run("""
        const {tree} = page.flame, names = page.profile.functions;
        return Array.from(tree.fn, (fn, i) => [names[fn][0], tree.depth[i], tree.total[i],
            page.isProgram[fn]]);""")
    browser.click("#inverted")
    nodes, path = collections.Counter(), []
    for name, depth, samples, is_program in rows:
        path[depth:] = [symbols.find(name)]
        if not is_program:
            nodes[tuple(path)] += samples
        else:
            programs.add(path.pop())
    return nodes


# ---- against perf ----

def compare_functions(mine, symbols):
    perfs = perf_list(symbols)
    whole = sum(own for own, _ in mine.values())
    mine, perfs = dict(mine), dict(perfs)
    mine.pop("?", None)
    perfs.pop("?", None)
    check("%d functions, %d at least" % (len(mine), FUNCTIONS_LEAST),
          len(mine) >= FUNCTIONS_LEAST, True)
    check("the same functions", sorted(mine), sorted(perfs))
    for what, ours, theirs in (("own", 0, 1), ("inclusive", 1, 0)):
        apart = {name: (100 * mine[name][ours] / whole, perfs[name][theirs]) for name in mine
                 if abs(100 * mine[name][ours] / whole - perfs[name][theirs])
                 > ROUNDING * perfs[name][2]}
        check("%s samples within perf's rounding" % what, apart, {})


def calls_of(chains, name):
    """Samples by callers, and by callees; a call that is in a chain more than once counts once."""
    callers, callees = collections.Counter(), collections.Counter()
    for count, chain in chains:
        pairs = set(zip(chain, chain[1:]))
        for callee, caller in pairs:
            if callee == name:
                callers[caller] += count
            if caller == name:
                callees[callee] += count
    return callers, callees


def known(counts, programs):
    return {name: count for name, count in counts.items() if name not in {"?", *programs}}


def compare_calls(browser, symbols, chains, programs):
    names = [row[4] for row in table_rows(browser, "#panel .scroll")]
    of = collections.defaultdict(set)
    for name in names:
        of[symbols.find(name)].add(name)
    compared = 0
    for symbol, (name, *others) in sorted(of.items()):
        if symbol in {"?", "[vdso]", *programs} or others:
            continue
        open_function(browser, name)
        for i, (what, theirs) in enumerate(zip(("callers", "callees"), calls_of(chains, symbol))):
            check("%s of %s" % (what, symbol), known(neighbours_of(browser, symbols, i + 1), programs),
                  known(theirs, programs))
        compared += 1
    check("callers and callees of %d functions, %d at least" % (compared, FUNCTIONS_LEAST),
          compared >= FUNCTIONS_LEAST, True)


def compare(browser):
    browser.view(*VIEW)
    browser.open(os.path.abspath("page.html"))
    browser.wait("return window.page !== undefined")
    symbols, programs = Symbols(images_of()), set()
    browser.run("document.getElementById('measure').value = 'samples';"
                "document.getElementById('measure').dispatchEvent(new Event('change'))")
    compare_functions(functions_of(browser, symbols), symbols)
    chains = perf_chains(symbols)
    mine, perfs = inverted_tree(browser, symbols, programs), perf_tree(chains, True)
    check("inverted: nodes, %d" % len(mine), len(mine) > 100, True)
    check("inverted: samples of each node", dict(mine), dict(perfs))
    compare_calls(browser, symbols, chains, programs)


def main():
    if not shutil.which("chromedriver") or not shutil.which("chromium"):
        print("skipped: no Chromium (Debian packages chromium and chromium-driver)")
        return SKIP
    try:
        record(sys.argv[1], busy, seconds)
    except (FileNotFoundError, SystemExit) as error:
        print("skipped: perf may not record: %s" % error)
        return SKIP
    run(os.path.join(tools, "opreport"), "--html=page.html", "--demangle=none", "recording")
    with Browser(VIEW, limit=60) as browser:
        compare(browser)
    return finish()


tools, busy = [os.path.abspath(argument) for argument in sys.argv[2:4]]
seconds = sys.argv[4] if len(sys.argv) > 4 else "0.3"
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    sys.exit(main())
