#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a stranger's program (see tests/install/inside_stranger.sh) leads to its hot line.

stranger_test.py PAGE BUILD	leaves a screenshot in BUILD/screens
"""
import sys
from pathlib import Path

from driver import Browser


def main():
    page, shots = Path(sys.argv[1]), Path(sys.argv[2]) / "screens"
    shots.mkdir(parents=True, exist_ok=True)
    with Browser((1400, 1000)) as browser:
        browser.open(page)
        browser.wait("return window.page && page.flame")
        first = browser.run("return [...document.querySelector('#panel tbody tr').cells]"
                            ".map((cell) => cell.textContent)")
        browser.click("#panel tbody tr")
        browser.click(".hot button")  # the line is of a template that is inlined
        line = browser.wait("const row = document.querySelector('.code .hottest');"
                            "return row && row.textContent")
        browser.screenshot(shots / "stranger.png")
    print(f"first function: {first}\nhottest line: {line}")
    return 0 if "// HOT" in line else 1


sys.exit(main())
