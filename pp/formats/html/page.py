#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts the page of --to=html together, as C strings: page.py OUTPUT page.html FILE...

In page.html, a line "@STYLE@" stands for all FILEs .css, "@SCRIPT@" for all .js in the order that
they are given, and "@DATA@" for what the program writes.
"""
import sys
from pathlib import Path


def text_of(path):
    """The text of a file without its first line, which names the licence."""
    return path.read_text().split("\n", 1)[1]


def whole(files, suffix):
    """The text of all files with this suffix."""
    return "".join(text_of(path) for path in files if path.suffix == suffix)


def quoted(text):
    """Text as C string literals, a line each."""
    table = {ord("\\"): "\\\\", ord('"'): '\\"', ord("\t"): "\\t"}
    lines = [f'\t"{line.translate(table)}\\n"' for line in text.splitlines()]
    return "\n".join(lines)


def main():
    output, _, page, *files = map(Path, sys.argv[1:])
    text = text_of(page)
    text = text.replace("@STYLE@\n", whole(files, ".css")).replace("@SCRIPT@\n", whole(files, ".js"))
    head, tail = text.split("@DATA@\n")
    output.write_text(
        '/* made by page.py */\n#include "pp/formats/html/page.h"\n\n'
        f"const char html_page_head[] =\n{quoted(head)};\n\n"
        f"const char html_page_tail[] =\n{quoted(tail)};\n")


main()
