#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of opexport --to=html in a browser, by clicks and keys.

page_test.py OPEXPORT FOLDER	screenshots are left in FOLDER; exit status 77: there is no browser
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from driver import Browser

# fib calls itself; 30 of 100 samples are hot's.
STACKS = """\
prog;main 10
prog;main;fib 5
prog;main;fib;fib 7
prog;main;fib;fib;fib 8
prog;main;hot 30
other;main;idle 40
"""


class Failure(Exception):
    pass


def same(what, found, wanted):
    if found != wanted:
        raise Failure(f"{what}: {found!r}, not {wanted!r}")


def row(browser, name):
    """The cells of the row of a table in the panel that has `name` as a cell; or None."""
    return browser.run("""
        for (const row of document.querySelectorAll("#panel tbody tr")) {
            const cells = [...row.cells].map((cell) => cell.textContent);
            if (cells.includes(arguments[0]))
                return cells;
        }
        return null;""", name)


def said(browser):
    return browser.run("return document.getElementById('said').textContent")


def function_table_counts_recursion_once(browser):
    same("fib", row(browser, "fib")[:4], ["20.00 %", "20", "20.00 %", "20"])
    same("main", row(browser, "main")[:4], ["10.00 %", "10", "60.00 %", "60"])


def click_zooms_and_escape_returns(browser):
    box = browser.run("const b = document.querySelector('#flame canvas').getBoundingClientRect();"
                      "return [b.left, b.top, b.width]")
    browser.click_at(box[0] + box[2] * 0.2, box[1] + 30)  # the second row: main of prog
    same("focus", browser.run("return page.profile.functions[page.tree.fn[page.flame.focus]][0]"),
         "main")
    browser.wait("return !document.getElementById('reset').disabled")
    browser.keys("Escape", "Escape")
    browser.wait("return document.getElementById('reset').disabled")


def arrows_walk_through_call_chains(browser):
    browser.run("document.getElementById('flame').focus(); page.flame.selected = -1")
    browser.keys("ArrowDown")
    same("first", said(browser).split(";")[0], "prog")
    browser.keys("ArrowDown", "ArrowDown")
    same("heaviest callee", said(browser).split(";")[0], "hot")
    browser.keys("ArrowRight")
    same("neighbour", said(browser), "fib; prog; total 20.00 %, 20; self 5.00 %, 5")
    browser.keys("ArrowUp")
    same("caller", said(browser).split(";")[0], "main")


def search_counts_each_sample_once(browser):
    browser.keys("/")
    browser.keys(*"FI")
    same("matched", browser.run("return document.getElementById('matched').textContent"),
         "20.00 % matched")
    browser.type("#search", "/^(fib|hot)$/")
    same("matched", browser.run("return document.getElementById('matched').textContent"),
         "50.00 % matched")
    browser.type("#search", "/(/")
    same("matched", browser.run("return document.getElementById('matched').textContent"),
         "not a regular expression")
    browser.keys("Escape")


def callers_begin_with_sampled_functions(browser):
    browser.click("#inverted")
    roots = browser.run("""
        const {tree} = page.flame, roots = [];
        for (let i = 0; i < tree.n; i = tree.end[i])
            roots.push([page.profile.functions[tree.fn[i]][0], tree.total[i]]);
        return roots;""")
    same("roots", roots, [["idle", 40], ["hot", 30], ["fib", 20], ["main", 10]])
    browser.click("#inverted")


def tabs_show_programs(browser):
    browser.click("#tab-2")
    same("prog", row(browser, "prog"), ["60.00 %", "60", "prog"])
    browser.keys("ArrowLeft")
    same("tab", browser.run("return document.activeElement.id"), "tab-1")
    browser.click("#tab-0")


def callers_and_callees_of_a_function(browser):
    browser.click("#panel tbody td.name button")
    same("heading", browser.run("return document.querySelector('#function h2').textContent"),
         "idle (other)")
    rows = browser.run("return [...document.querySelectorAll('#function tbody tr')]"
                       ".map((row) => row.textContent)")
    same("its caller", rows, ["40.00 %40main"])


def themes_differ(browser):
    background = "return getComputedStyle(document.body).backgroundColor"
    before = browser.run(background)
    browser.click("#theme")
    if browser.run(background) == before:
        raise Failure("the theme does not change")
    browser.click("#theme")


def nothing_is_wider_than_the_page(browser):
    same("width", browser.run("return document.documentElement.scrollWidth <= innerWidth"), True)


CASES = [function_table_counts_recursion_once, click_zooms_and_escape_returns,
         arrows_walk_through_call_chains, search_counts_each_sample_once,
         callers_begin_with_sampled_functions, tabs_show_programs,
         callers_and_callees_of_a_function, themes_differ, nothing_is_wider_than_the_page]


def run_cases(page, shots):
    failed = 0
    with Browser((1400, 1000)) as browser:
        browser.open(page)
        browser.wait("return window.page !== undefined")
        for case in CASES:
            try:
                case(browser)
                print(f"ok {case.__name__}")
            except (Failure, RuntimeError) as failure:
                failed += 1
                print(f"not ok {case.__name__}: {failure}")
        browser.run("scrollTo(0, 0)")
        browser.screenshot(shots / "light.png")
        browser.click("#theme")
        browser.screenshot(shots / "dark.png")
    return failed


def main():
    opexport, shots = sys.argv[1], Path(sys.argv[2])
    if not shutil.which("chromedriver") or not shutil.which("chromium"):
        print("skip: no Chromium (Debian packages chromium and chromium-driver)")
        return 77
    shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source, page = Path(folder, "stacks"), Path(folder, "page.html")
        source.write_text(STACKS)
        subprocess.run([opexport, f"--from={source}", "--from-format=folded", "--to=html", "-o",
                        page], check=True)
        return 1 if run_cases(page, shots) else 0


sys.exit(main())
