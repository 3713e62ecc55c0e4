#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Looks at source files as text, and prints findings as "file:line: text [rule]".
#
#	text.py spdx FILE...	the first line (of a script the second) names the licence: that of
#				the kernel in code for the kernel, else that of userspace
#	text.py lines FILE...	at most 100 columns, with tabs of 8; no blanks at the ends; every
#				line ended.  A line may be longer by what its string literals
#				take: they are not broken, so that they can be searched for.
#	text.py python FILE...	Python files compile

import ast
import re
import sys

COLUMNS = 100
KERNEL = re.compile(r"(^|/)(Kbuild|module/|tests/vm/modules/|tests/kunit/.*\.[ch]$)")
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')


def spdx(path, text):
    licence = "GPL-2.0-only" if KERNEL.search(path) else "GPL-2.0-or-later"
    head = text.split("\n")[:2]
    if not head[0].startswith("#!"):
        head = head[:1]
    if not re.search(rf"SPDX-License-Identifier: {licence}(\s|$)", head[-1]):
        yield len(head), f"no SPDX-License-Identifier of {licence} here [spdx]"


def lines(_, text):
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "the last line is not ended [end]"
    for number, line in enumerate(text.splitlines(), 1):
        columns = len(line.expandtabs(8))
        if columns > COLUMNS and len(LITERAL.sub("", line).expandtabs(8)) > COLUMNS:
            yield number, f"{columns} columns [columns]"
        if line != line.rstrip():
            yield number, "blanks at the end [blanks]"


def python(path, text):
    try:
        compile(text, path, "exec", ast.PyCF_ONLY_AST)
    except SyntaxError as error:
        yield error.lineno, f"{error.msg} [syntax]"


def main():
    rule = {"spdx": spdx, "lines": lines, "python": python}[sys.argv[1]]
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8", errors="replace") as source:
            for number, finding in rule(path, source.read()):
                print(f"{path}:{number}: {finding}")


main()
