#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of every byte, and what text may hold of them.

    hostile_names.py word KIND          prints the word that stands for a name: path, low, event,
                                        symbol, line
    hostile_names.py fill PATH...       puts the names in the place of their words, in the contents
                                        and in the names of all files below PATH
    hostile_names.py check FILE...      says what of the files is not text; and whether names are
                                        in them, which are escaped once
    hostile_names.py each               runs the commands of stdin, one a line, split at blanks,
                                        with names for words; shows each, and says what of its
                                        output is not text, and the exit status if it is above 2
"""
import os
import re
import subprocess
import sys

C1 = bytes(sum(([0xC2, byte] for byte in range(0x80, 0xA0)), []))
LOW = bytes(range(1, 0x80))
HIGH = bytes(range(0x80, 0x100))
FORGED = b"\r\nforged\x7f\x1b[2J\x1b]0;title\x07"


def without(text, some):
    return bytes(byte for byte in text if byte not in some)


NAMES = {
    "path": FORGED + HIGH + C1,
    "low": b"forged" + without(LOW, b"/"),
    "event": FORGED + without(HIGH, b"") + b"\xc2\x9b",
    "symbol": FORGED + LOW + HIGH + C1,
    "line": without(FORGED + LOW + HIGH + C1, b"\n"),
}


def word(kind):
    return (b"%sNAME" % kind.upper().encode()).ljust(len(NAMES[kind]), b"z")


def named(text):
    for kind, name in NAMES.items():
        text = text.replace(word(kind), name)
    return text


def fill_file(path):
    with open(path, "rb") as file:
        before = file.read()
    after = named(before)
    if after != before:
        with open(path, "r+b") as file:
            file.write(after)


def fill(top):
    for folder, _, files in os.walk(top, topdown=False):
        for name in files:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                fill_file(path)
            os.rename(path, os.path.join(folder, named(name)))
        if folder != top:
            parent, name = os.path.split(folder)
            os.rename(folder, os.path.join(parent, named(name)))


def problems(text):
    """What is wrong with the text, as words."""
    found = set()
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        found.add("not UTF-8")
        decoded = text.decode(errors="ignore")
    for character in decoded:
        code = ord(character)
        if (code < 0x20 and character not in "\n\t") or 0x7F <= code < 0xA0:
            found.add("U+%04X" % code)
    if re.search(rb"^(..? )?forged", text, re.MULTILINE):
        found.add("a forged line")
    if re.search(rb"\\\\x1b|\\x5cx1b|\\\\u001b", text):
        found.add("escaped twice")
    return sorted(found)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def check(texts):
    escaped = False
    wrong = set()
    for text in texts:
        wrong.update(problems(text))
        escaped = escaped or re.search(rb"\\x1b|\\u001b", text) is not None
    if wrong:
        wrong = sorted(wrong)
        print("  NOT TEXT: " + ", ".join(wrong[:6]) + (" ..." if len(wrong) > 6 else ""))
    print("  escaped" if escaped else "  no name")


def run(line):
    """Runs a command in this one process, as starting one for each name and check takes longer."""
    print("$ " + re.sub(r"([A-Z]+NAME)z*", r"\1", " ".join(line.split())))
    command = [named(os.fsencode(argument)) for argument in line.split()]
    status = 127
    texts = []
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        texts = [done.stdout, done.stderr]
        status = done.returncode
    except OSError as error:
        texts = [str(error).encode()]
    check(texts)
    if status < 0 or status > 2:
        print("exit %d" % (status if status >= 0 else 128 - status))


def main():
    action, arguments = sys.argv[1], sys.argv[2:]
    if action == "word":
        print(word(arguments[0]).decode())
    elif action == "fill":
        for path in arguments:
            fill(os.fsencode(path))
    elif action == "check":
        check(read(path) for path in arguments)
    else:
        for line in sys.stdin:
            run(line)


main()
