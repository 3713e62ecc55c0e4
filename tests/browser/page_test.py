#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages of opexport --to=html and opreport --html in a browser, by clicks and keys.

page_test.py BUILD	leaves screenshots in BUILD/pictures; exit status 77: there is no browser
"""
import shutil
import sys
import tempfile
from pathlib import Path

import pages
from driver import Browser


class Failure(Exception):
    pass


def same(what, found, wanted):
    if found != wanted:
        raise Failure(f"{what}: {found!r}, not {wanted!r}")


def text_of(browser, selector):
    return browser.run("return document.querySelector(arguments[0]).textContent", selector)


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


def hottest_function_is_opened(browser):
    same("heading", text_of(browser, "#function h2"), "idle")


def callers_and_callees_of_a_function(browser):
    browser.click("#panel tbody tr:nth-child(2) td.name button")
    same("heading", text_of(browser, "#function h2"), "hot")
    rows = browser.run("return [...document.querySelectorAll('#function .lists tbody tr')]"
                       ".map((row) => row.textContent)")
    same("its caller", rows, ["30.00 %30main"])


def one_program_is_shown_alone(browser):
    browser.run("const list = document.getElementById('shown');"
                "list.value = [...list.options].find((one) => one.text === 'other').value;"
                "list.dispatchEvent(new Event('change'))")
    same("samples", browser.run("return page.all"), 40)
    same("hot", row(browser, "hot"), None)
    browser.run("const list = document.getElementById('shown'); list.value = 0;"
                "list.dispatchEvent(new Event('change'))")
    same("samples", browser.run("return page.all"), 100)


def themes_differ(browser):
    background = "return getComputedStyle(document.body).backgroundColor"
    before = browser.run(background)
    browser.click("#theme")
    if browser.run(background) == before:
        raise Failure("the theme does not change")
    browser.click("#theme")


def nothing_is_wider_than_the_page(browser):
    same("width", browser.run("return document.documentElement.scrollWidth <= innerWidth"), True)


def names_are_shortened_by_their_parts(browser):
    name = "void server::order<std::pair<int, long>, main::{lambda(int)#1}>(std::vector<int>&)"
    for n, wanted in ((100, name), (60, "void server::order<…>(std::vector<…>&)"),
                      (25, "void server::order<…>(…)"), (20, "server::order<…>(…)"),
                      (9, "order<…>"), (5, "order"), (4, "or…r")):
        same(n, browser.run("return shorten(arguments[0], arguments[1])", name, n), wanted)
    for name, n, wanted in (("A<B>::operator->() const", 20, "A<…>::operator->()"),
                            ("bool operator< <char>(S const&, S const&)", 30,
                             "bool operator< <…>(…)"),
                            ("F::operator()(int, int) const", 20, "F::operator()(…)"),
                            ("(anonymous namespace)::f(int)", 20, "{anonymous}::f(int)")):
        same(name, browser.run("return shorten(arguments[0], arguments[1])", name, n), wanted)


# ---- of a session ----

def head_says_how_it_was_taken(browser):
    browser.click("#about summary")
    facts = text_of(browser, "#facts")
    for fact in ("Session", "Event", "cpu-clock"):
        if fact not in facts:
            raise Failure(f"there is no {fact} in {facts!r}")


def source_has_the_samples_of_its_lines(browser):
    browser.run("page.open(page.profile.functions.findIndex(([name]) => name === 'hot'), true)")
    same("hottest line", browser.run(
        "return [...document.querySelectorAll('.code .hottest td')].map((cell) =>"
        "cell.textContent.trim())"), ["60.00 %", "3", "hot_line();"])
    browser.click(".choice button:nth-child(2)")
    same("head", text_of(browser, ".code thead"), "SelfAddressInstruction")
    same("samples", browser.run("return document.querySelector('.code .hottest .number').textContent"),
         "60.00 %")


# ---- of two sessions ----

def difference_of_functions(browser):
    same("hot", row(browser, "hot")[:3], ["+29.17", "33.33 %", "62.50 %"])
    same("most changed first", browser.run(
        "return [...document.querySelectorAll('#panel tbody .wide')].map((one) => one.textContent)"),
         ["hot", "fib", "main"])


def colours_show_growth_and_decline(browser):
    found = browser.run("""
        const {tree} = page.flame, found = {};
        for (let i = 0; i < tree.n; i++) {
            const {difference, isChance} = page.changeOfNode(i);
            found[page.profile.functions[tree.fn[i]][0]] =
                [Math.sign(Math.round(difference * 1e6)), isChance];
        }
        return found;""")
    same("changes", found, {"prog": [0, True], "main": [0, True], "hot": [1, False],
                            "fib": [-1, False]})


def widths_are_of_both_or_one(browser):
    hot = ("const {tree} = page.flame; for (let i = 0; i < tree.n; i++)"
           "if (page.profile.functions[tree.fn[i]][0] === 'hot')"
           "return Math.round(tree.total[i] / tree.all * 1e4) / 1e4;")
    for widths, wanted in (("new", 0.625), ("old", 0.3333), ("both", 0.4792)):
        browser.run("const list = document.getElementById('widths'); list.value = arguments[0];"
                    "list.dispatchEvent(new Event('change'))", widths)
        same(widths, browser.run(hot), wanted)


def callers_have_changes_too(browser):
    browser.click("#inverted")
    same("roots", browser.run("""
        const {tree} = page.flame, roots = [];
        for (let i = 0; i < tree.n; i = tree.end[i])
            roots.push([page.profile.functions[tree.fn[i]][0],
                tree.parts.map(({total}) => total[i])]);
        return roots;"""), [["fib", [200, 150]], ["hot", [100, 250]]])
    browser.click("#inverted")


# ---- of a time ----

def range_selects_its_samples(browser):
    browser.drag("#timeline", 0.0, 0.5)
    browser.wait("return page.all === 50")
    same("cold", row(browser, "cold"), None)
    same("hot", row(browser, "hot")[:2], ["100.00 %", "50"])


def two_ranges_are_compared(browser):
    browser.click("#compare-time")
    same("said", text_of(browser, "#compared").endswith("now select another range"), True)
    browser.drag("#timeline", 0.501, 1.0)
    browser.wait("return page.tree.parts[1].all === 50")
    same("hot", row(browser, "hot")[:3], ["−100.00", "100.00 %", "0.00 %"])
    same("cold", row(browser, "cold")[:3], ["+100.00", "0.00 %", "100.00 %"])


def comparison_ends(browser):
    browser.click("#compare-time")
    same("parts", browser.run("return page.tree.parts"), None)
    browser.click("#all-time")
    same("all", browser.run("return page.all"), 100)
    browser.run("document.getElementById('timeline').focus()")
    browser.keys("ArrowRight")
    same("by keys", browser.run("return page.selection.range.map(Math.round)"),
         browser.run("const {last} = page.timeline; return [0, Math.round(last / 10)]"))
    browser.keys("Escape")
    same("all", browser.run("return page.all"), 100)


# ---- of little ----

def one_sample_is_shown(browser):
    same("samples", browser.run("return page.all"), 1)
    same("chip", text_of(browser, "#chips li"), "1 sample")


def selection_of_nothing_says_so(browser):
    browser.run("page.change('shown', () => false)")
    same("rows", browser.run("return document.querySelectorAll('#panel tbody tr').length"), 0)
    same("none", browser.run("return document.querySelector('#panel .none').hidden"), False)


# ---- of long names ----

def long_names_leave_numbers_their_place(browser):
    same("all functions are in the table or behind its button", browser.run(
        "return document.querySelectorAll('#panel tbody tr').length"), 50)
    browser.click("#panel .more")
    same("rows", browser.run("return document.querySelectorAll('#panel tbody tr').length"), 200)
    same("rows of one line", browser.run(
        "return [...document.querySelectorAll('#panel tbody tr')].every((one) =>"
        "one.offsetHeight < 30)"), True)


# By page: what is looked at, and the picture that is taken at the end, with what shows something.
GROUPS = {
    "plain": ([hottest_function_is_opened, function_table_counts_recursion_once,
               click_zooms_and_escape_returns, arrows_walk_through_call_chains,
               search_counts_each_sample_once, callers_begin_with_sampled_functions,
               tabs_show_programs, callers_and_callees_of_a_function, one_program_is_shown_alone,
               themes_differ, names_are_shortened_by_their_parts, nothing_is_wider_than_the_page],
              None),
    "session": ([head_says_how_it_was_taken, source_has_the_samples_of_its_lines,
                 nothing_is_wider_than_the_page], "light"),
    "difference": ([difference_of_functions, colours_show_growth_and_decline,
                    widths_are_of_both_or_one, callers_have_changes_too,
                    nothing_is_wider_than_the_page], "difference"),
    "time": ([range_selects_its_samples, two_ranges_are_compared, comparison_ends,
              nothing_is_wider_than_the_page], "time"),
    "tiny": ([one_sample_is_shown, selection_of_nothing_says_so, nothing_is_wider_than_the_page],
             None),
    "templates": ([long_names_leave_numbers_their_place, nothing_is_wider_than_the_page],
                  "templates"),
}


def run_cases(browser, page, cases):
    failed = 0
    browser.open(page)
    browser.wait("return window.page !== undefined")
    for case in cases:
        try:
            case(browser)
            print(f"ok {case.__name__}")
        except (Failure, RuntimeError) as failure:
            failed += 1
            print(f"not ok {case.__name__}: {failure}")
    return failed


def take_picture(browser, name, shots):
    if name == "time":
        browser.drag("#timeline", 0.1, 0.6)
    browser.run("scrollTo(0, 0)")
    browser.screenshot(shots / f"{name}.png")
    if name == "light":
        browser.click("#theme")
        browser.screenshot(shots / "dark.png")


def main():
    build = Path(sys.argv[1])
    shots = build / "pictures"
    if not shutil.which("chromedriver") or not shutil.which("chromium"):
        print("skip: no Chromium (Debian packages chromium and chromium-driver)")
        return 77
    shots.mkdir(parents=True, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, Browser((1400, 1000)) as browser:
        made = pages.make(build, Path(folder))
        for name, (cases, picture) in GROUPS.items():
            failed += run_cases(browser, made[name], cases)
            if picture:
                take_picture(browser, picture, shots)
    return 1 if failed else 0


sys.exit(main())
