#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Looks at source files as text, and prints findings as "file:line: text [rule]".
#
#	text.py spdx FILE...	the first line (of a script the second) names the licence: that of
#				the kernel in code for the kernel, else that of userspace
#	text.py lines FILE...	at most 100 columns, with tabs of 8; no blanks at the ends; every
#				line ended; in C, a blank behind the asterisk of a comment.  A line
#				may be longer by what its string literals take: they are not
#				broken, so that they can be searched for.
#	text.py python FILE...	Python files compile
#	text.py names FILE...	source files that comments and documents name are in the tree
#	text.py exempt FILE	FILES of each line of tools/lint/exempt are in the tree

import ast
import fnmatch
import functools
import os
import re
import subprocess
import sys

COLUMNS = 100
KERNEL = re.compile(r"(^|/)(Kbuild|module/|tests/vm/modules/|tests/kunit/.*\.[ch]$)")
TIGHT = re.compile(r"^ \*[^\s*/]")  # code has tabs
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')


def spdx(path, text):
    licence = "GPL-2.0-only" if KERNEL.search(path) else "GPL-2.0-or-later"
    head = text.split("\n")[:2]
    if not head[0].startswith("#!"):
        head = head[:1]
    if not re.search(rf"SPDX-License-Identifier: {licence}(\s|$)", head[-1]):
        yield len(head), f"no SPDX-License-Identifier of {licence} here [spdx]"


def lines(path, text):
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "the last line is not ended [end]"
    for number, line in enumerate(text.splitlines(), 1):
        columns = len(line.expandtabs(8))
        if columns > COLUMNS and len(LITERAL.sub("", line).expandtabs(8)) > COLUMNS:
            yield number, f"{columns} columns [columns]"
        if line != line.rstrip():
            yield number, "blanks at the end [blanks]"
        if path.endswith((".c", ".h")) and TIGHT.match(line):
            yield number, "no blank behind the asterisk [comment]"


def python(path, text):
    try:
        compile(text, path, "exec", ast.PyCF_ONLY_AST)
    except SyntaxError as error:
        yield error.lineno, f"{error.msg} [syntax]"


COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.S)
NAMED = re.compile(r"(?<![\w./%*<-])((?:[\w-]+/)*[a-z][\w-]*\.[ch])\b(?!>)")
# Of other projects, and a file that a comment makes up.
ELSEWHERE = re.compile(r"^(asm|linux|sys)/|^(bfd\.h|prog\.c|a\.c|x\.[ch])$")


@functools.cache
def in_tree():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                            stdout=subprocess.PIPE, check=True)
    # one that is deleted is still known
    return [name for name in listed.stdout.decode().split("\n") if os.path.isfile(name)]


def names(path, text):
    """A name stands for any file that ends so: it may be without its folder."""
    is_code = path.endswith((".c", ".h"))
    for part in COMMENT.finditer(text) if is_code else [re.match(".*", text, re.S)]:
        if is_code and part[0].startswith('"'):
            continue
        for found in NAMED.finditer(part[0]):
            if ELSEWHERE.search(found[1]) or \
               any(f"/{name}".endswith("/" + found[1]) for name in in_tree()):
                continue
            yield text.count("\n", 0, part.start() + found.start()) + 1, \
                f"no file {found[1]} is in the tree [names]"


def exempt(_, text):
    """An exemption of a file that has moved shows at once, not when its checker runs."""
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith("#"):
            files = line.split()[1]
            if not fnmatch.filter(in_tree(), files):
                yield number, f"no file {files} is in the tree [exempt]"


def main():
    rule = {"spdx": spdx, "lines": lines, "python": python, "names": names,
            "exempt": exempt}[sys.argv[1]]
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8", errors="replace") as source:
            for number, finding in rule(path, source.read()):
                print(f"{path}:{number}: {finding}")


main()
