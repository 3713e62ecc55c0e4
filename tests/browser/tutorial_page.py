#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of the tutorial's page: the source of main(), beside the graph.

tutorial_page.py PAGE PICTURE	the picture is a small PNG that has the words of the page, too
"""
import struct
import sys
import zlib
from collections import Counter
from pathlib import Path

from driver import Browser

VIEW = 1200, 620
COLORS = 64  # that are left
SIGNATURE = 8  # bytes before the first chunk


def chunks_of(png):
    """Yields: type, data."""
    at = SIGNATURE
    while at < len(png):
        size = struct.unpack_from(">I", png, at)[0]
        yield png[at + 4:at + 8], png[at + 8:at + 8 + size]
        at += 12 + size


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def paeth(left, above, corner):
    """The one of the three that is nearest to left + above - corner, as PNG has it."""
    return min((abs(above - corner), 0, left), (abs(left - corner), 1, above),
               (abs(left + above - 2 * corner), 2, corner))[2]


def rows_of(png):
    """Yields the pixels of each row: red, green, blue."""
    width, height, depth, kind = struct.unpack_from(">IIBB", png, SIGNATURE + 8)
    if (depth, kind) != (8, 2):
        sys.exit(f"tutorial_page.py: error: pixels of {depth} bits, type {kind}")
    raw = zlib.decompress(b"".join(data for kind, data in chunks_of(png) if kind == b"IDAT"))
    step = 3 * width
    before = bytes(step)
    for at in range(0, height * (step + 1), step + 1):
        row = bytearray(raw[at + 1:at + 1 + step])
        for i, above in enumerate(before):
            left, corner = (row[i - 3], before[i - 3]) if i > 2 else (0, 0)
            row[i] = row[i] + (0, left, above, (left + above) // 2,
                               paeth(left, above, corner))[raw[at]] & 0xff
        before = bytes(row)
        yield list(zip(before[::3], before[1::3], before[2::3]))


def reduce(png, words):
    """The picture with a palette, a quarter of the size, and with the words."""
    rows = list(rows_of(png))
    counts = Counter(pixel for row in rows for pixel in row)
    palette = [color for color, _ in counts.most_common(COLORS)]
    nearest = {color: min(range(len(palette)), key=lambda i: sum(
        (a - b) ** 2 for a, b in zip(palette[i], color))) for color in counts}
    pixels = b"".join(b"\0" + bytes(nearest[pixel] for pixel in row) for row in rows)
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)
    return (png[:SIGNATURE] + chunk(b"IHDR", head) +
            chunk(b"PLTE", b"".join(bytes(color) for color in palette)) +
            chunk(b"iTXt", b"Description\0\0\0\0\0" + words.encode()) +
            chunk(b"IDAT", zlib.compress(pixels, 9)) + chunk(b"IEND", b""))


def main():
    page, picture = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    with Browser(VIEW, limit=60) as browser:
        browser.view(*VIEW)
        browser.open(page)
        browser.wait("return window.page && page.flame")
        browser.click("#inlined")
        browser.run("page.open(page.profile.functions.findIndex(([name]) => name === 'main'))")
        browser.wait("return document.querySelector('.code .hottest') && !page.flame.animation")
        browser.wait("return new Promise((done) => requestAnimationFrame(() =>"
                     "requestAnimationFrame(() => done(true))))")
        words = browser.run("return ['#panel', '.code'].map((part) =>"
                            "document.querySelector(part).innerText).join('\\n')")
        browser.screenshot(picture)
    picture.write_bytes(reduce(picture.read_bytes(), words))


main()
