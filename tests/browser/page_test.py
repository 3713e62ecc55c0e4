#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages of opexport --to=html and opreport --html in a browser, by clicks and keys.

page_test.py BUILD	leaves screenshots in BUILD/screens; exit status 77: there is no browser
"""
import csv
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pages
import service
from driver import Browser

VIEW = 1400, 900
ROWS_LEAST = 30  # of a table, beside the graph


class Failure(Exception):
    pass


def same(what, found, wanted):
    if found != wanted:
        raise Failure(f"{what}: {found!r}, not {wanted!r}")


def true(what, found):
    if not found:
        raise Failure(f"{what}: {found!r}")


def text_of(browser, selector):
    return browser.run("return document.querySelector(arguments[0]).textContent", selector)


def row(browser, name):
    """The cells of the row of the table in the panel that has `name` as a cell; or None."""
    return browser.run("""
        for (const row of document.querySelectorAll("#panel tbody tr")) {
            const cells = [...row.cells].map((cell) => cell.textContent);
            if (cells.includes(arguments[0]))
                return cells;
        }
        return null;""", name)


def click_row(browser, name, table="#panel"):
    place = browser.run("""
        for (const row of document.querySelectorAll(arguments[0] + " tbody tr")) {
            const box = row.getBoundingClientRect();
            if ([...row.cells].some((cell) =>
                    [cell.textContent, cell.title].includes(arguments[1])))
                return [box.left + box.width * 0.6, box.top + box.height / 2];
        }
        return null;""", table, name)
    true(f"there is a row {name}", place)
    browser.click_at(*place)


def frame(browser, *path):
    """Where the middle of a frame of the graph is in the window, by the functions from its program
    on; and its width."""
    found = browser.run("""
        const {flame, profile} = page, {tree} = flame, box = flame.canvas.getBoundingClientRect();
        const name = (i) => profile.functions[tree.fn[i]][0].replace(/[(<].*/, "");
        let at = -1;
        for (const wanted of arguments[0]) {
            let i = at + 1;
            const end = at < 0 ? tree.n : tree.end[at];
            while (i < end && name(i).split(" ").pop() !== wanted)
                i = tree.end[i];
            if (i >= end)
                return null;
            at = i;
        }
        const scale = box.width / (flame.high - flame.low);
        const left = Math.max(0, (flame.start[at] - flame.low) * scale);
        const right = Math.min(box.width, (flame.start[at] + tree.total[at] - flame.low) * scale);
        return [box.left + (left + right) / 2,
                box.top + flame.top(tree.depth[at], box.height) + 10, right - left];""", path)
    true(f"there is a frame {path}", found)
    return found


def click_frame(browser, *path):
    browser.click_at(*frame(browser, *path)[:2])


def wait_for_drawing(browser):
    browser.wait("return new Promise((done) => requestAnimationFrame(() =>"
                 "requestAnimationFrame(() => done(true))))")


def settle(browser):
    """Waits until nothing moves."""
    browser.wait("return !page.flame.animation")


def window_of(browser):
    return browser.run("return [page.flame.low, page.flame.high].map((at) =>"
                       "Math.round(at / page.all * 1e6) / 1e6)")


def focus_of(browser):
    """The function that is as wide as the graph."""
    return browser.run("""
        const {flame} = page, [low, high] = flame.rangeOf(flame.focus);
        return flame.focus >= 0 && low === flame.low && high === flame.high &&
            page.profile.functions[flame.tree.fn[flame.focus]][0];""")


def choose(browser, selector, value):
    browser.run("const list = document.querySelector(arguments[0]);"
                "list.value = arguments[1]; list.dispatchEvent(new Event('change'))", selector, value)


def open_function(browser, name):
    """Opens the function whose name has this in it."""
    browser.run("page.open(page.profile.functions.findIndex(([name]) =>"
                "name.includes(arguments[0])))", name)


def said(browser):
    return browser.run("return document.getElementById('said').textContent")


def tab(browser, name):
    browser.run("[...document.querySelectorAll('#tabs button')].find((one) =>"
                "one.textContent === arguments[0]).click()", name)


def seconds(text):
    """Of "8.26 s" or "124 ms"."""
    number, unit = text.replace("−", "-").split()
    return float(number) * {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]


# ---- of stacks ----

def function_table_counts_recursion_once(browser):
    same("fib", row(browser, "fib")[:4], ["20.00 %", "20", "20.00 %", "20"])
    same("main", row(browser, "main")[:4], ["10.00 %", "10", "60.00 %", "60"])


def click_zooms_and_escape_returns(browser):
    click_frame(browser, "prog", "main")
    same("focus", browser.run("return page.profile.functions[page.tree.fn[page.flame.focus]][0]"),
         "main")
    browser.wait("return !document.getElementById('reset').disabled")
    browser.keys("Escape", "Escape")
    browser.wait("return document.getElementById('reset').disabled")
    settle(browser)


def arrows_walk_through_call_chains(browser):
    browser.run("document.getElementById('flame').focus(); page.flame.selected = -1")
    browser.keys("ArrowDown")
    same("first", said(browser).split(";")[0], "prog")
    browser.keys("ArrowDown", "ArrowDown")
    same("heaviest callee", said(browser).split(";")[0], "hot")
    browser.keys("ArrowRight")
    same("neighbour", said(browser),
         "fib; prog; total 20.00 %, 20 samples; self 5.00 %, 5 samples")
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
    same("matched", browser.run("return document.getElementById('matched').textContent"), "")


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


def callers_and_callees_stand_beside_the_table(browser):
    click_row(browser, "hot")
    same("heading", text_of(browser, "#function h2"), "hot")
    rows = browser.run("return [...document.querySelectorAll('#function .calls tbody tr')]"
                       ".map((row) => row.textContent)")
    same("its caller", rows, ["30.00 %30main"])
    click_row(browser, "main", "#function .calls")
    same("heading", text_of(browser, "#function h2"), "main")
    same("all are in the window, side by side", browser.run("""
        const boxes = [...document.querySelectorAll("#panel table, #function .calls table")]
            .map((one) => one.getBoundingClientRect());
        return boxes.length === 3 &&
            boxes.every((box) => box.bottom <= innerHeight && box.top > 0) &&
            boxes.slice(1).every((box) => box.left >= boxes[0].right);"""), True)


def arrows_walk_through_a_table_and_open_functions(browser):
    browser.run("document.querySelector('#panel table').focus(); page.table.at = -1")
    browser.keys("ArrowDown")
    same("first", text_of(browser, "#function h2"), "idle")
    browser.keys("ArrowDown", "ArrowDown")
    same("third", text_of(browser, "#function h2"), "fib")
    same("its row", text_of(browser, "#panel tr[aria-selected=true] .name"), "fib")
    browser.keys("End")
    same("last", text_of(browser, "#function h2"), "main")
    same("focus", browser.run("return document.activeElement.tagName"), "TABLE")


def one_program_is_shown_alone(browser):
    tab(browser, "Programs")
    click_row(browser, "other")
    same("samples", browser.run("return page.all"), 40)
    tab(browser, "Functions")
    same("hot", row(browser, "hot"), None)
    browser.click("#filters button")
    same("samples", browser.run("return page.all"), 100)


def themes_differ(browser):
    background = "return getComputedStyle(document.body).backgroundColor"
    before = browser.run(background)
    browser.click("#theme")
    true("the theme changes", browser.run(background) != before)
    browser.click("#theme")


def nothing_is_wider_than_the_page(browser):
    same("width", browser.run("return document.documentElement.scrollWidth <= innerWidth"), True)


def small_windows_have_all_of_it(browser):
    browser.view(500, 800)
    wait_for_drawing(browser)
    nothing_is_wider_than_the_page(browser)
    same("all panes can be scrolled to", browser.run("""
        const page = document.documentElement;
        return [...document.querySelectorAll("#panes > section")].every((one) =>
            one.getBoundingClientRect().bottom + scrollY <= page.scrollHeight &&
            one.getBoundingClientRect().height > 100);"""), True)
    click_row_scrolls_nothing(browser)
    browser.view(*VIEW)


def click_row_scrolls_nothing(browser):
    browser.run("document.querySelector('#panel').scrollIntoView()")
    wait_for_drawing(browser)
    before = browser.run("return scrollY")
    true("the page is scrolled", before > 0)
    click_row(browser, "fib")
    same("after a click in the table", browser.run("return scrollY"), before)
    browser.run("scrollTo(0, 0)")


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
        true(f"there is {fact} in {facts!r}", fact in facts)
    browser.keys("Escape")
    same("closed by Escape", browser.run("return document.getElementById('about').open"), False)


def source_has_the_samples_of_its_lines(browser):
    open_function(browser, "hot")
    same("hottest line", browser.run(
        "return [...document.querySelectorAll('.code .hottest td')].map((cell) =>"
        "cell.textContent.trim())"), ["60.00 %", "15.0 ms", "60.00 %", "3", "hot_line();"])
    browser.click(".choice button:nth-child(2)")
    same("head", text_of(browser, ".code thead"), "SelfTimeTotalAddressInstruction")
    same("samples", browser.run("return document.querySelector('.code .hottest .number').textContent"),
         "60.00 %")


# ---- of a recording ----

def as_text(build, recording, *options):
    """Samples by function, as opreport says them in text."""
    out = subprocess.run([build / "pp/opreport", "-l", "--csv", "--demangle=smart", *options, recording],
                         check=True, capture_output=True, text=True).stdout
    found = {}
    rows = [cells for cells in csv.reader(out.splitlines()) if cells and cells[0].isdecimal()]
    for samples, _, _, name, *_ in rows:
        name = name.replace(" (inlined)", "").split(" (tgid:")[0]
        found[name] = found.get(name, 0) + int(samples)
    return found


def inclusive(build, recording):
    """Inclusive samples of the program's functions in text."""
    out = subprocess.run([build / "pp/opreport", "--children", "--demangle=smart", recording],
                         check=True, capture_output=True, text=True).stdout
    return {name: int(samples) for samples, name in re.findall(
        r"^(\d+) +\S+ +\d+ +\S+ +service +(.*)$", out, re.MULTILINE)}


def as_page(browser, key="self"):
    """The same of the page's table, which has all of them."""
    found = browser.run("""
        return page.table.rows.map((row) => [page.profile.functions[row.at][0], row[arguments[0]]])
            .filter(([, values]) => values.some((one) => one));""", key)
    sums = {}
    for name, values in found:
        before = sums.get(name, [0] * len(values))
        sums[name] = [a + b for a, b in zip(before, values)]
    return sums


def page_and_text_have_the_same_numbers(browser, build, folder):
    choose(browser, "#measure", "samples")
    same("without inlined functions", {name: one for name, (one,) in as_page(browser).items()},
         as_text(build, folder / "before.data"))
    browser.click("#inlined")
    same("with inlined functions", {name: one for name, (one,) in as_page(browser).items()},
         as_text(build, folder / "before.data", "--inline"))
    true("inlined functions are told apart", "squeeze" in as_page(browser))
    browser.click("#inlined")
    true("and are not", "squeeze" not in as_page(browser))
    total, wanted = as_page(browser, "total"), inclusive(build, folder / "before.data")
    true(f"functions of text: {len(wanted)}", len(wanted) > 8)
    same("with callees", {name: total[name][0] for name in wanted if name in total}, wanted)
    choose(browser, "#measure", "events")


def lines_of_a_function_add_up_to_it(browser):
    open_function(browser, "normalise(std::string)")
    sum_of = ("const sum = [0, 0]; document.querySelectorAll('.code tbody tr:not(.gap)').forEach((row) =>"
              "{ sum[0] += parseFloat(row.cells[0].textContent) || 0; });"
              "return Math.abs(sum[0] - page.sums[0].self[page.opened] / page.all * 100)")
    true("lines, with what is inlined in them", browser.run(sum_of) < 0.06)
    same("the hot line", browser.run(
        "return document.querySelector('.code .hottest .text').textContent.trim()"), "squeeze(word);")
    open_function(browser, "count<std::map<std::string, int> >(std::string const&, ")
    line = browser.run("return [...document.querySelectorAll('.code tr')].find((row) =>"
                       "row.textContent.includes('HOT')).cells[2].textContent")
    true(f"total of a line that calls: {line}", float(line.split()[0]) > 20)


def lines_of_what_is_selected_add_up_to_the_function(browser):
    tab(browser, "Threads")
    click_row(browser, "indexer 800/801")
    tab(browser, "Functions")
    browser.drag("#timeline", 0.5, 0.75)
    sums = []
    for inlined in (False, True):
        open_function(browser, "squeeze" if inlined else "normalise(std::string)")
        same("columns", text_of(browser, ".code thead"), "SelfTimeTotalLineSource")
        sums.append(browser.run("""
            let sum = 0;
            for (const row of document.querySelectorAll(".code tbody tr:not(.gap)"))
                sum += Number((row.cells[0].title.match(/([0-9,]+) samples?$/) || [0, "0"])[1]
                    .replace(",", ""));
            const {parts, samples, all} = page.tree;
            return [sum, Math.round(page.sums[0].self[page.opened] / all * samples)];"""))
        browser.click("#inlined")
    browser.click("#all-time")
    choose(browser, "#filter", 0)
    for found, wanted in sums:
        true(f"samples of the part: {wanted}", 20 < wanted < 600)
        same("of all lines", found, wanted)


def text_lines(build, recording, *selection):
    """(inclusive, own) samples of the program's lines in text, by function."""
    out = subprocess.run([build / "pp/opreport", "--lines", "--children", "--demangle=smart",
                          *selection, recording], check=True, capture_output=True, text=True).stdout
    found = {}
    for both, own, line, name in re.findall(
            r"^(\d+) +\S+ +(\d+) +\S+ +service\.cc:(\d+) +service +(.*)$", out, re.MULTILINE):
        found.setdefault(name.replace(" (inlined)", ""), {})[int(line)] = [int(both), int(own)]
    return found


def page_lines(browser):
    """The same of the lines that the page shows of the function that is open."""
    rows = browser.run("""
        return [...document.querySelectorAll(".code tbody tr:not(.gap)")].map((row) =>
            [2, 0].map((i) => row.cells[i].title).concat(row.querySelector(".place").textContent));""")
    samples = [[int((re.search(r"([0-9,]+) samples?$", title) or [0, "0"])[1].replace(",", ""))
                for title in titles] + [int(line)] for *titles, line in rows]
    return {line: [both, own] for both, own, line in samples if both}


def compare_lines(browser, wanted):
    """Of functions, by clicks; those that only call are above others if totals are in order."""
    browser.click("#panel th:nth-child(3) button")
    for name, lines in wanted.items():
        click_row(browser, name)
        same(f"lines of {name}", page_lines(browser), lines)
    browser.click("#panel th:nth-child(1) button")


CALLING = ("main", "build_index(std::string const&)", "normalise(std::string)", "squeeze",
           "next_word(std::string const&, unsigned long&, std::string&)")


def lines_of_a_selection_are_those_of_text(browser, build, folder):
    choose(browser, "#measure", "samples")
    browser.click("#inlined")
    tab(browser, "Threads")
    click_row(browser, "indexer 800/801")
    tab(browser, "Functions")
    texts = [text_lines(build, folder / "before.data", "tid:801")]
    compare_lines(browser, {name: texts[0][name] for name in CALLING})
    browser.drag("#timeline", 0.5, 0.75)
    part = service.cut(folder, build / "tests/commands/make_profile",
                       *browser.run("return page.selection.range"))
    texts.append(text_lines(build, part, "tid:801"))
    compare_lines(browser, {name: texts[1][name] for name in CALLING})
    choose(browser, "#filter", 0)
    texts.append(text_lines(build, part))
    compare_lines(browser, {name: texts[2][name] for name in CALLING})
    true("selections differ", texts[0] != texts[1] != texts[2])
    true("lines that only call", any(own == 0 < both for lines in texts[1].values()
                                     for both, own in lines.values()))
    browser.click("#all-time")
    browser.click("#inlined")
    choose(browser, "#measure", "events")


def hottest_lines(build, recording):
    """Lines of "opreport --hottest", as the page names them."""
    out = subprocess.run([build / "pp/opreport", "--hottest", recording], check=True,
                         capture_output=True, text=True).stdout.split("line of function")[1]
    return [f"Hottest line: {line} in {name}, {share} %" for share, name, line in re.findall(
        r"^ +([0-9.]+) +[0-9.]+ (.*?) +(\S+:\d+)$", out, re.MULTILINE)]


def marked_row(browser):
    """The marked row of the code that is shown: share, line; and whether it is in the window."""
    return browser.run("""
        const row = document.querySelector(".code .hottest"), box = row.closest(".code");
        const {top, bottom} = row.getBoundingClientRect(), around = box.getBoundingClientRect();
        return [row.cells[0].textContent, row.querySelector(".place").textContent,
                top >= around.top && bottom <= around.bottom];""")


def hottest_line_is_named_at_once_and_found(browser, build, folder):
    named = hottest_lines(build, folder / "before.data")
    inlined_one, own = (next(filter(lambda line, name=name: f" in {name}" in line, named), "none")
                        for name in ("squeeze (inlined)", "next_word("))
    true(f"one of an inlined function, and another: {named}", "none" not in (inlined_one, own))
    click_row(browser, "next_word(std::string const&, unsigned long&, std::string&)")
    same("of the function itself", text_of(browser, ".hot"), own)
    for inlined in (False, True):
        click_row(browser, "normalise(std::string)")
        same(f"inlined functions apart: {inlined}", text_of(browser, ".hot"), inlined_one)
        browser.click("#inlined")
    share, line = re.search(r":(\d+) .*, (.* %)$", inlined_one).group(2, 1)
    true("before: another line", marked_row(browser)[1] != line)
    browser.click(".hot button")
    wait_for_drawing(browser)
    same("by a click", marked_row(browser), [share, line, True])
    click_row(browser, "normalise(std::string)")
    browser.run("document.querySelector('#panel table').focus()")
    browser.keys("h")
    wait_for_drawing(browser)
    same("by a key", marked_row(browser), [share, line, True])
    same("focus", browser.run("return document.activeElement.className"), "code")
    browser.click(".choice button")
    same("back, with the focus", [marked_row(browser)[1], browser.run(
        "return document.activeElement.textContent")], ["33", "Source"])
    tab(browser, "Threads")
    click_row(browser, "indexer 800/801")
    true(f"of a selection: {text_of(browser, '.hot')}",
         text_of(browser, ".hot") not in named and f":{line} in squeeze" in text_of(browser, ".hot"))
    choose(browser, "#filter", 0)
    tab(browser, "Functions")


def lines_of_two_ranges_are_compared(browser):
    choose(browser, "#measure", "samples")
    browser.drag("#timeline", 0.0, 0.4)
    browser.click("#compare-time")
    browser.drag("#timeline", 0.5, 0.75)
    choose(browser, "#basis", "counts")
    click_row(browser, "normalise(std::string)")
    same("columns", text_of(browser, ".code thead"), "Self ±OldNewTotal ±LineSource")
    same("their sum", sums_of_compared_rows(browser),
         browser.run("return page.sums.map(({self}) => self[page.opened])"))
    same("nothing is doubtful", doubts(browser), [])
    browser.click("#compare-time")
    browser.click("#all-time")
    choose(browser, "#measure", "events")


def names_are_those_of_people(browser):
    true("std::string", row(browser, "normalise(std::string)"))
    same("no long one", browser.run(
        "return page.profile.functions.filter(([name]) => name.includes('basic_string<char')).length"), 0)


def totals_and_times_are_told(browser):
    chips = browser.run("return [...document.querySelectorAll('#chips li')].map((one) => one.textContent)")
    all_of_it = browser.run("return page.profile.entries.samples[0].reduce((sum, n) => sum + n, 0)")
    true(f"total and time: {chips}",
         re.fullmatch(rf"{all_of_it:,} samples of cpu-clock \([0-9.]+ s\)", chips[0]))
    true("time", abs(seconds(re.search(r"\((.*)\)", chips[0])[1]) - all_of_it * 0.004) < 0.1)
    cells = row(browser, "normalise(std::string)")
    samples = browser.run("return document.querySelector('#panel td.number').title")
    true(f"samples beside: {samples}", re.search(r", [0-9,]+ samples$", samples))
    true("time of a row", abs(seconds(cells[1]) - 0.004 * int(
        re.search(r"([0-9,]+) samples", samples)[1].replace(",", ""))) < 0.01)
    legend = text_of(browser, "#images")
    true(f"legend: {legend}", "service" in legend)


def losses_unnamed_and_cut_chains_are_in_the_head(browser):
    notes = browser.run("return [...document.querySelectorAll('#notes li')].map((one) => one.textContent)")
    for wanted in (r"Lost: \S+ % of all samples", r"Unnamed: \S+ % of all samples: \D",
                   r"Call chains: \S+ % are cut"):
        true(f"{wanted} in {notes}", any(re.match(wanted, note) for note in notes))
    true("in one line each", browser.run(
        "return [...document.querySelectorAll('#notes li')].every((one) => one.offsetHeight < 24)"))


def threads_units_and_groups_are_filters(browser):
    whole = browser.run("return page.all")
    shares = {}
    for name, key in (("Units", "indexer.service"), ("Control groups", "/system.slice/web.service"),
                      ("Threads", "web 700/701"), ("Processes", "indexer 800")):
        tab(browser, name)
        click_row(browser, key)
        shares[name] = browser.run("return page.all") / whole
        same("told", browser.run("return document.querySelector('#filters button').title"),
             f"{name}: {key}")
        browser.click("#filters button")
        same("all again", browser.run("return page.all"), whole)
    same("unit and process of one service", shares["Units"], shares["Processes"])
    true(f"a thread is a part: {shares}", 0 < shares["Threads"] < shares["Control groups"] < 1)
    tab(browser, "Units")
    click_row(browser, "web.service")
    tab(browser, "Threads")
    click_row(browser, "web 700/701")
    same("both at once", len(browser.run(
        "return [...document.querySelectorAll('#filters button')].map((one) => one.title)")), 2)
    same("share", browser.run("return page.all") / whole, shares["Threads"])
    choose(browser, "#filter", 0)
    same("everything", browser.run("return page.all"), whole)
    tab(browser, "Functions")


def range_shows_the_burst(browser):
    browser.drag("#timeline", 0.51, 0.74)
    cells = row(browser, "build_index(…)")
    true(f"the index in the burst: {cells}", float(cells[2].split()[0]) > 70)
    browser.click("#all-time")


def view_of(browser):
    """What a click must not move."""
    return browser.run("return [scrollX, scrollY, document.documentElement.scrollHeight]")


def clicks_never_scroll_the_page(browser):
    before = view_of(browser)
    same("nothing to scroll", before, [0, 0, VIEW[1]])
    click_row(browser, "hash_bytes(std::string const&)")
    same("after a click in the table", view_of(browser), before)
    click_frame(browser, "web", "main", "serve")
    same("after a click in the graph", view_of(browser), before)
    settle(browser)
    same("opened", text_of(browser, "#function h2").startswith("serve("), True)
    click_row(browser, "main", "#function .calls")
    same("after a click in a list", view_of(browser), before)
    browser.keys("0")
    settle(browser)


def zoom_and_escape_work_wherever_the_focus_is(browser):
    whole = [0, 1]
    for where in ("#panel table", "#tab-1", "#event, #measure", "#flame", "#theme", ".code",
                  "#search", "#timeline"):
        browser.run("document.querySelector(arguments[0]).focus()", where)
        true(f"{where} has the focus", browser.run(
            "return document.activeElement !== document.body"))
        x, y, _ = frame(browser, "web", "main")
        browser.wheel(x, y, -300, "Control")
        browser.wait("return page.flame.high - page.flame.low < page.all * 0.6")
        same(f"button after the wheel, with {where}", browser.run(
            "return document.getElementById('reset').disabled"), False)
        browser.keys("Escape")
        settle(browser)
        same(f"Escape with {where}", window_of(browser), whole)
    browser.run("document.querySelector('#panel table').focus()")
    browser.keys("+")
    true("key", window_of(browser) != whole)
    browser.click("#reset")
    settle(browser)
    same("button", window_of(browser), whole)


def switching_during_an_animation_keeps_its_range(browser):
    x, y, _ = frame(browser, "web", "main", "serve")
    wanted = browser.run("""
        const {flame} = page, {tree} = flame;
        flame.nodeAt({clientX: arguments[0], clientY: arguments[1]});
        const node = flame.nodeAt({clientX: arguments[0], clientY: arguments[1]});
        flame.select(node);
        flame.zoom(node);
        const before = flame.rangeOf(node).map((at) => at / tree.all);
        document.getElementById("measure").value = "samples";
        document.getElementById("measure").dispatchEvent(new Event("change"));
        return before.map((at) => Math.round(at * 1e6) / 1e6);""", x, y)
    browser.wait("return new Promise((done) => setTimeout(() => done(true), 400))")
    same("another measure while it moves", window_of(browser), wanted)
    choose(browser, "#measure", "events")
    browser.run("page.flame.zoom(-1)")
    settle(browser)
    browser.run("""
        const node = page.flame.nodeAt({clientX: arguments[0], clientY: arguments[1]});
        page.flame.zoom(node);
        document.getElementById("inverted").click();""", x, y)
    browser.wait("return new Promise((done) => setTimeout(() => done(true), 400))")
    same("callers begin whole", window_of(browser), [0, 1])
    browser.click("#inverted")
    same("and back", window_of(browser), wanted)
    browser.click("#upward")
    same("flames", window_of(browser), wanted)
    browser.click("#upward")
    browser.run("const {flame} = page; flame.zoom(-1);"
                "flame.zoom(flame.tree.parent[flame.nodeAt({clientX: arguments[0],"
                "clientY: arguments[1]})]); document.getElementById('inlined').click()", x, y)
    browser.wait("return new Promise((done) => setTimeout(() => done(true), 400))")
    same("inlined functions", focus_of(browser), "main")
    browser.click("#inlined")
    same("and without", focus_of(browser), "main")
    browser.click("#inverted")
    browser.run("page.flame.zoom(0); document.getElementById('measure').value = 'samples';"
                "document.getElementById('measure').dispatchEvent(new Event('change'))")
    same("another measure of callers", focus_of(browser), "normalise(std::string)")
    choose(browser, "#measure", "events")
    browser.click("#inverted")
    browser.keys("0")
    settle(browser)
    same("whole", window_of(browser), [0, 1])


def tip_covers_no_callee(browser):
    for path in (("web",), ("web", "main"), ("web", "main", "serve"), ("web", "main", "serve", "parse")):
        x, y, _ = frame(browser, *path)
        browser.point_at(x, y)
        tip = browser.wait("const tip = document.getElementById('tip');"
                           "const {bottom, top, left, right, height} = tip.getBoundingClientRect();"
                           "return !tip.hidden && height && [bottom, top, left, right]")
        true(f"{path}: the tip ends at {tip[0]}, above the frame at {y}", tip[0] <= y - 9)
        true(f"{path}: it is in the window", tip[1] >= 0 and tip[2] >= 0 and tip[3] <= VIEW[0])
    browser.click("#upward")
    settle(browser)
    x, y, _ = frame(browser, "web", "main", "serve")
    browser.point_at(x, y)
    true("flames: below", browser.wait("const {top} = document.getElementById('tip')"
                                       ".getBoundingClientRect(); return top") >= y + 9)
    browser.click("#upward")


# ---- of two sessions ----

def difference_of_functions(browser):
    same("hot", row(browser, "hot")[:3], ["+150 ?", "100", "250"])
    same("fib", row(browser, "fib")[:3], ["−50 ?", "200", "150"])
    same("most changed first", browser.run(
        "return [...document.querySelectorAll('#panel tbody .name')].map((one) => one.textContent)"),
         ["hot", "fib", "main"])


def colours_show_growth_and_decline(browser):
    found = browser.run("""
        const {tree} = page.flame, found = {};
        for (let i = 0; i < tree.n; i++) {
            const {difference, verdict} = page.changeOfNode(i);
            found[page.profile.functions[tree.fn[i]][0]] = [Math.round(difference), MARKS[verdict]];
        }
        return found;""")
    same("changes", found, {"prog": [100, " ?"], "main": [100, " ?"], "hot": [150, " ?"],
                            "fib": [-50, " ?"]})


def shares_can_be_compared(browser):
    choose(browser, "#basis", "shares")
    same("hot", row(browser, "hot")[:3], ["+29.17 ?", "33.33 %", "62.50 %"])
    choose(browser, "#basis", "counts")


def widths_are_of_both_or_one(browser):
    hot = ("const {tree} = page.flame; for (let i = 0; i < tree.n; i++)"
           "if (page.profile.functions[tree.fn[i]][0] === 'hot')"
           "return Math.round(tree.total[i] / tree.all * 1e4) / 1e4;")
    for widths, wanted in (("new", 0.625), ("old", 0.3333), ("both", 0.4792)):
        choose(browser, "#widths", widths)
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


def change_and_text_have_the_same_numbers(browser, build, folder):
    out = subprocess.run([build / "pp/opreport", "-l", "--demangle=smart", "{", folder / "before.data",
                          "}", "{", folder / "after.data", "}"],
                         check=True, capture_output=True, text=True).stdout
    wanted = {}
    for old, new, noise, name in re.findall(
            r"^(\d+) +(\d+) +[-+]?\d+ +[-+][0-9.]+( [~?])? +\S+ +\S+ +(?:service|\[unknown\] \(.*?\)) +(.*)$",
            out, re.MULTILINE):
        wanted[name.split(" (tgid:")[0]] = [int(old), int(new), noise]
    true(f"rows of text: {len(wanted)}", len(wanted) > 6)
    true("some of them may be chance, and not all", len({noise for _, _, noise in wanted.values()}) == 2)
    choose(browser, "#measure", "samples")
    found = browser.run("""
        return page.table.rows.filter(({self}) => self.some((one) => one)).map(({at, self}) =>
            [page.profile.functions[at][0], [...self,
                MARKS[page.difference.of(...self, page.verdicts.of(at, "self")).verdict]]]);""")
    same("rows", dict(found), wanted)
    choose(browser, "#measure", "events")


def compared_lines(browser):
    """[old, new] samples of the lines that the page shows: inclusive ones, and their own."""
    rows = browser.run("""
        return [...document.querySelectorAll(".code tbody tr:not(.gap)")].map((row) =>
            [row.querySelector(".place").textContent, row.cells[3].title, row.cells[0].title]);""")
    found = {}
    for line, *titles in rows:
        pairs = [re.search(r"([0-9,]+) → ([0-9,]+) ", title) for title in titles]
        if pairs[0]:
            found[int(line)] = [[int(one.replace(",", "")) for one in pair.groups()] if pair
                                else [0, 0] for pair in pairs]
    return found


def lines_of_both_profiles_are_those_of_text(browser, build, folder):
    choose(browser, "#measure", "samples")
    browser.click("#inlined")
    old, new = (text_lines(build, folder / name) for name in ("before.data", "after.data"))
    for name in CALLING:
        lines = {line: [[before[i], after[i]] for i in (0, 1)]
                 for line in {*old[name], *new[name]}
                 for before, after in [(old[name].get(line, [0, 0]), new[name].get(line, [0, 0]))]}
        open_function(browser, name)
        same("columns", text_of(browser, ".code thead"), "Self ±OldNewTotal ±LineSource")
        same(f"lines of {name}", compared_lines(browser), lines)
    browser.click("#inlined")
    choose(browser, "#measure", "events")


def most_changed_line_is_named(browser):
    click_row(browser, "normalise(std::string)")
    named = text_of(browser, ".hot")
    line = re.fullmatch(r"Most changed line: service\.cc:(\d+) in squeeze \(inlined\), −\d+ ms \?", named)
    true(f"it is named: {named}", line)
    browser.click(".hot button")
    wait_for_drawing(browser)
    share, place, is_seen = marked_row(browser)
    same("by a click", [share, place, is_seen], [named.split(", ")[1], line[1], True])


def sums_of_compared_rows(browser):
    """[old, new] samples of all rows that the page shows, of their own."""
    titles = browser.run("""
        return [...document.querySelectorAll(".code tbody tr:not(.gap)")].map((row) =>
            row.cells[0].title).filter(Boolean);""")
    pairs = [re.search(r"self ([0-9,]+) → ([0-9,]+) ", title).groups() for title in titles]
    return [sum(int(one.replace(",", "")) for one in side) for side in zip(*pairs)]


def instructions_of_one_build_are_compared(browser):
    choose(browser, "#measure", "samples")
    click_row(browser, "hash_bytes(std::string const&)")
    browser.click(".choice button:nth-child(2)")
    same("columns", text_of(browser, ".code thead"), "Self ±OldNewTotal ±AddressInstruction")
    same("their sum", sums_of_compared_rows(browser),
         browser.run("return page.sums.map(({self}) => self[page.opened])"))
    same("nothing is doubtful", doubts(browser), [])
    choose(browser, "#measure", "events")


def doubts(browser):
    return browser.run("return [...document.querySelectorAll('.listing .problem')].map((one) =>"
                       "one.textContent)")


# ---- of two builds ----

def code_says_what_of_the_old_build_is_not_there(browser):
    choose(browser, "#measure", "samples")
    click_row(browser, "hot")
    same("the line", browser.run("return [...document.querySelectorAll('.code .hottest td')].map("
                                 "(cell) => cell.textContent.trim())"),
         ["−300 ?", "600", "300", "−300 ?", "3", "hot_line();"])
    same("two builds", doubts(browser), [
        "Of two builds: each has its own line numbers, and the text is that of now."])
    browser.click(".choice button:nth-child(2)")
    same("instructions", doubts(browser), [
        "Instructions of the old profile are not here: it is of another build."])
    same("of the new one only", [text_of(browser, ".code thead"), text_of(browser, ".code .hottest .number")],
         ["SelfSamplesTotalAddressInstruction", "88.24 %"])
    click_row(browser, "main")
    same("another file", doubts(browser), [
        "Lines of the old profile are not here: its file has another name, or its lines are not "
        "known."])
    same("its lines", text_of(browser, ".code .hottest .number"), "11.76 %")
    same("no change of a line is told", browser.run("return document.querySelector('.hot')"), None)
    choose(browser, ".choice select", browser.run(
        "return [...document.querySelectorAll('.choice option')].find((one) =>"
        "one.textContent.endsWith('moved.c')).value"))
    same("the other one", doubts(browser), [
        "Lines of the new profile are not here: its file has another name, or its lines are not "
        "known."])
    same("old lines", text_of(browser, ".code .hottest .number"), "14.29 %")


# ---- of a time ----

def range_selects_its_samples(browser):
    browser.drag("#timeline", 0.0, 0.5)
    browser.wait("return page.tree.samples === 50")
    same("cold", row(browser, "cold"), None)
    same("hot", row(browser, "hot")[:2], ["100.00 %", "12.5 ms"])


def two_ranges_are_compared(browser):
    browser.click("#compare-time")
    same("said", text_of(browser, "#compared").endswith("now select another range"), True)
    browser.drag("#timeline", 0.501, 1.0)
    browser.wait("return page.tree.parts[1].samples === 50")
    same("by what a second has", browser.run("return page.selection.basis"), "seconds")
    choose(browser, "#basis", "shares")
    same("hot", row(browser, "hot")[:3], ["−100.00 ?", "100.00 %", "0.00 %"])
    same("cold", row(browser, "cold")[:3], ["+100.00 ?", "0.00 %", "100.00 %"])


def comparison_ends(browser):
    browser.click("#compare-time")
    same("parts", browser.run("return page.tree.parts"), None)
    browser.click("#all-time")
    same("all", browser.run("return page.tree.samples"), 100)
    browser.run("document.getElementById('timeline').focus()")
    browser.keys("ArrowRight")
    same("by keys", browser.run("return page.selection.range.map(Math.round)"),
         browser.run("const {last} = page.timeline; return [0, Math.round(last / 10)]"))
    browser.keys("Escape")
    same("all", browser.run("return page.tree.samples"), 100)


# ---- of little ----

def one_sample_is_shown(browser):
    same("samples", browser.run("return page.all"), 1)
    same("chip", text_of(browser, "#chips li"), "1 sample")


def selection_of_nothing_says_so(browser):
    browser.run("page.change('shown', () => false)")
    same("rows", browser.run("return document.querySelectorAll('#panel tbody tr').length"), 0)
    same("none", text_of(browser, "#panel .none"), "Functions: none")


def chains_that_begin_nowhere_are_told(browser):
    same("note", text_of(browser, "#notes li"), "Call chains: 10.00 % are cut, as they do not begin "
         "where a program or thread does; 10.00 % are of one function")


# ---- of names that mean something in HTML ----

def names_are_text_wherever_they_are_shown(browser):
    title = browser.run("return document.title")
    elements = "return document.querySelectorAll('img, script').length"
    before = browser.run(elements)
    names = browser.run("return page.table.rows.map((row) => row.name)")
    true(f"names: {names}", sum("<" in name for name in names) >= 2)
    for i in range(len(names)):
        open_function(browser, names[i])
        same("heading", text_of(browser, "#function h2"), names[i])
    browser.run("document.getElementById('flame').focus()")
    browser.keys("ArrowDown", "ArrowDown", "ArrowDown")
    true("said", "<" in said(browser))
    x, y, _ = browser.run("const b = page.flame.canvas.getBoundingClientRect();"
                          "return [b.left + b.width * 0.2, b.top + 10, 0]")
    browser.point_at(x, y)
    same("tip", browser.wait("const tip = document.getElementById('tip');"
                             "return !tip.hidden && tip.textContent.split('\\n')[0]"), pages.MARKUP)
    for name in browser.run("return [...document.querySelectorAll('#tabs button')].map((one) =>"
                            "one.textContent)"):
        tab(browser, name)
    wait_for_drawing(browser)
    browser.click("#panel tbody tr")
    wait_for_drawing(browser)
    same("elements", browser.run(elements), before)
    same("title", browser.run("return document.title"), title)


# ---- of long names ----

def thirty_rows_stand_beside_the_graph(browser):
    found = browser.run("""
        const graph = document.getElementById("flame").getBoundingClientRect();
        const boxes = [...document.querySelectorAll("#panel tbody tr")].map((one) =>
            one.getBoundingClientRect());
        return [innerWidth, innerHeight, graph.width * graph.height, boxes.filter((box) =>
            box.right <= graph.left && box.top >= 0 && box.bottom <= innerHeight &&
            box.height <= 20 && box.height >= 16).length];""")
    same("window", found[:2], list(VIEW))
    true(f"the graph is large: {found[2]}", found[2] > 700 * 300)
    true(f"rows of one line: {found[3]}", found[3] >= ROWS_LEAST)


def thirty_rows_have_room_below_notes_and_times(browser):
    same("notes and times", browser.run("return ['notes', 'time'].map((id) =>"
                                        "document.getElementById(id).hidden)"), [False, False])
    browser.click("#inlined")
    thirty_rows_stand_beside_the_graph(browser)
    browser.click("#inlined")


def long_names_leave_numbers_their_place(browser):
    same("all functions are in the table", browser.run("return page.table.rows.length"), 201)
    browser.run("document.querySelector('#panel .scroll').scrollTop = 1e6")
    browser.wait("return [...document.querySelectorAll('#panel tbody tr')].pop().ariaRowIndex === '202'")
    same("rows of one line", browser.run(
        "return [...document.querySelectorAll('#panel tbody tr')].every((one) =>"
        "one.offsetHeight <= 20)"), True)
    same("no number is cut", browser.run(
        "return [...document.querySelectorAll('#panel td.number')].every((one) =>"
        "one.scrollWidth <= one.clientWidth)"), True)


# By page: what is looked at, and the pictures that are taken at the end, with what shows something.
GROUPS = {
    "plain": [hottest_function_is_opened, function_table_counts_recursion_once,
              click_zooms_and_escape_returns, arrows_walk_through_call_chains,
              search_counts_each_sample_once, callers_begin_with_sampled_functions,
              tabs_show_programs, callers_and_callees_stand_beside_the_table,
              arrows_walk_through_a_table_and_open_functions, one_program_is_shown_alone,
              themes_differ, names_are_shortened_by_their_parts, nothing_is_wider_than_the_page,
              small_windows_have_all_of_it],
    "session": [head_says_how_it_was_taken, source_has_the_samples_of_its_lines,
                nothing_is_wider_than_the_page],
    "service": [thirty_rows_have_room_below_notes_and_times, names_are_those_of_people,
                totals_and_times_are_told,
                losses_unnamed_and_cut_chains_are_in_the_head, page_and_text_have_the_same_numbers,
                lines_of_a_function_add_up_to_it,
                lines_of_what_is_selected_add_up_to_the_function,
                lines_of_a_selection_are_those_of_text, hottest_line_is_named_at_once_and_found,
                lines_of_two_ranges_are_compared,
                threads_units_and_groups_are_filters, range_shows_the_burst,
                clicks_never_scroll_the_page, zoom_and_escape_work_wherever_the_focus_is,
                switching_during_an_animation_keeps_its_range, tip_covers_no_callee,
                nothing_is_wider_than_the_page],
    "difference": [difference_of_functions, colours_show_growth_and_decline, shares_can_be_compared,
                   widths_are_of_both_or_one, callers_have_changes_too,
                   nothing_is_wider_than_the_page],
    "change": [change_and_text_have_the_same_numbers, lines_of_both_profiles_are_those_of_text,
               most_changed_line_is_named, instructions_of_one_build_are_compared,
               nothing_is_wider_than_the_page],
    "builds": [code_says_what_of_the_old_build_is_not_there, nothing_is_wider_than_the_page],
    "time": [range_selects_its_samples, two_ranges_are_compared, comparison_ends,
             nothing_is_wider_than_the_page],
    "tiny": [one_sample_is_shown, selection_of_nothing_says_so, nothing_is_wider_than_the_page],
    "hostile": [names_are_text_wherever_they_are_shown, nothing_is_wider_than_the_page],
    "alone": [chains_that_begin_nowhere_are_told],
    "templates": [thirty_rows_stand_beside_the_graph, long_names_leave_numbers_their_place,
                  nothing_is_wider_than_the_page],
}


def run_cases(browser, page, cases, build, folder):
    failed = 0
    browser.view(*VIEW)
    browser.open(page)
    browser.wait("return window.page !== undefined")
    for case in cases:
        try:
            case(browser, *([build, folder] if case.__code__.co_argcount == 3 else []))
            print(f"ok {case.__name__}")
        except (Failure, RuntimeError) as failure:
            failed += 1
            print(f"not ok {case.__name__}: {failure}")
    return failed


def take_picture(browser, path):
    settle(browser)
    browser.run("document.getElementById('tip').hidden = true")
    wait_for_drawing(browser)
    browser.screenshot(path)


def take_pictures(browser, made, shots):
    """Of the recording: all of it, in both themes; the source of a function; a range of time; and
    what changed."""
    browser.open(made["service"])
    browser.wait("return window.page !== undefined")
    take_picture(browser, shots / "light.png")
    browser.click("#theme")
    take_picture(browser, shots / "dark.png")
    browser.click("#theme")
    browser.click("#inlined")
    open_function(browser, "squeeze")
    take_picture(browser, shots / "source.png")
    browser.click("#inlined")
    browser.drag("#timeline", 0.5, 0.75)
    take_picture(browser, shots / "time.png")
    browser.open(made["change"])
    browser.wait("return window.page !== undefined")
    take_picture(browser, shots / "difference.png")


def main():
    build = Path(sys.argv[1])
    shots = build / "screens"
    if not shutil.which("chromedriver") or not shutil.which("chromium"):
        print("skip: no Chromium (Debian packages chromium and chromium-driver)")
        return 77
    shots.mkdir(parents=True, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as name, Browser(VIEW, limit=30) as browser:
        folder = Path(name)
        made = pages.make(build, folder)
        for group, cases in GROUPS.items():
            failed += run_cases(browser, made[group], cases, build, folder)
        take_pictures(browser, made, shots)
    return 1 if failed else 0


sys.exit(main())
