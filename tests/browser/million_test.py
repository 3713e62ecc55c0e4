#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a million distinct stacks: how long it takes to open, how many frames a second it has,
and how large it is, against the least that perf.data of the same stacks would be.

million_test.py BUILD [STACKS]	exit status 77: there is no browser
"""
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from driver import Browser

STACKS = 1000000
OPEN_SECONDS = 3
FRAMES_A_SECOND = 30
SIZE_PARTS = 10  # of perf.data
# Bytes in perf.data: of a sample besides its frames, and of a frame.
SAMPLE_BYTES, FRAME_BYTES = 48, 8

# What is done at each frame of a second and a half.
MOTIONS = {
    "pan": "page.flame.move(page.flame.low + page.all / 400 * (i % 20 < 10 ? 1 : -1), page.all / 8)",
    "zoom": "page.flame.scale(i % 60 < 30 ? 0.9 : 1 / 0.9, 0.3)",
    "whole graph": "page.flame.isWhole() ? page.flame.redraw() : page.flame.zoom(-1)",
    "table": "page.table.box.scrollTop = i * 200",
    "pointer": "const box = page.flame.box.getBoundingClientRect();"
               "page.flame.box.dispatchEvent(new MouseEvent('mousemove',"
               "{clientX: box.left + i * 7 % box.width, clientY: box.top + 100, bubbles: true}))",
}


def make(build, page, stacks):
    """Makes the page.  Return: how many stacks it has, and bytes that perf.data has at least."""
    source = subprocess.Popen([sys.executable, Path(__file__).with_name("stacks.py"), str(stacks)],
                              stdout=subprocess.PIPE)
    writer = subprocess.Popen([build / "pp/opexport", "--from=-", "--from-format=folded",
                               "--to=html", "-o", page], stdin=subprocess.PIPE)
    n, size = 0, 0
    for line in source.stdout:
        n += 1
        size += SAMPLE_BYTES + FRAME_BYTES * line.count(b";")
        writer.stdin.write(line)
    writer.stdin.close()
    if source.wait() or writer.wait():
        raise RuntimeError("the page could not be made")
    return n, size


def frames_a_second(browser, motion):
    """Of the slowest tenth of frames."""
    browser.run("window.times = null; const times = []; let last = performance.now();"
                "const end = last + 1500; let i = 0;"
                "const next = (now) => { times.push(now - last); last = now; i++;" + motion + ";"
                "if (now < end) requestAnimationFrame(next); else window.times = times; };"
                "requestAnimationFrame(next)")
    times = sorted(browser.wait("return window.times")[1:])
    return 1000 / times[int(len(times) * 0.9)]


def main():
    build = Path(sys.argv[1])
    if not shutil.which("chromedriver") or not shutil.which("chromium"):
        print("skip: no Chromium (Debian packages chromium and chromium-driver)")
        return 77
    good = []

    def judge(what, value, is_good):
        print("ok" if is_good else "not ok", f"{what}: {value}")
        good.append(is_good)

    with tempfile.TemporaryDirectory() as folder, Browser((1400, 900)) as browser:
        page = Path(folder) / "million.html"
        n, least = make(build, page, int(sys.argv[2]) if len(sys.argv) > 2 else STACKS)
        size = page.stat().st_size
        judge(f"page of {n} stacks, part of perf.data of at least {least / 1e6:.0f} MB",
              f"{size / 1e6:.1f} MB, 1/{least / size:.1f}", size * SIZE_PARTS <= least)
        begin = time.monotonic()
        browser.open(page)
        browser.wait("return window.page !== undefined")
        taken = time.monotonic() - begin
        judge("opened after", f"{taken:.2f} s", taken <= OPEN_SECONDS)
        for what, motion in MOTIONS.items():
            rate = frames_a_second(browser, motion)
            judge(f"frames a second, {what}", f"{rate:.0f}", rate >= FRAMES_A_SECOND)
    return 0 if all(good) else 1


sys.exit(main())
