#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Finds functions that a header declares and that no other file than the one that defines them
# names: they are static, or dead.  Tests are users, too.
#
#	exported.py FILE...	files of userspace, whose headers are looked at, and tests
#
# What other programs call of a library is in tools/lint/exempt.  Prints "file:line: text".

import collections
import re
import sys

# A declaration begins a line, is not static, and ends with ");" or an attribute.
DECLARATION = re.compile(r"^(?!static|typedef|extern \"C\"|return|\s|#|/|\*)[\w*,\s]*?\b(\w+)\("
                         r"[^;{}]*\)[^;{}()]*(?:\(\([^;{}]*\)\))?;", re.MULTILINE)
# What is no code: a string may have the beginning of a comment.
OTHER = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w+")
CODE = (".c", ".h", ".cc", ".s", ".S")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def code_of(path):
    with open(path, encoding="utf-8", errors="replace") as source:
        return OTHER.sub(blank, source.read())


texts = {path: code_of(path) for path in sys.argv[1:] if path.endswith(CODE)}
users = collections.defaultdict(set)
for name, text in texts.items():
    for word in set(WORD.findall(text)):
        users[word].add(name)

failed = False
for header, text in sorted(texts.items()):
    if not header.endswith(".h") or header.startswith("tests/"):
        continue
    for match in DECLARATION.finditer(text):
        others = users[match[1]] - {header}
        if len(others) < 2 and len(re.findall(rf"\b{match[1]}\b", text)) == 1:
            failed = True
            line = text.count("\n", 0, match.start(1)) + 1
            print(f"{header}:{line}: {match[1]}() is used where it is defined at most [exported]")
sys.exit(1 if failed else 0)
