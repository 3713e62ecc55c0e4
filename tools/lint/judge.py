#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Takes what a checker has found, and takes off what is known not to be a finding.
#
#	judge.py CHECKER EXEMPTIONS <FINDINGS
#
# FINDINGS are lines "file:line: text"; the same one twice counts once.  EXEMPTIONS is a file
# that explains itself.  One that exempts nothing is a finding, too, and so is one without a
# reason.  Prints the findings, then a line "FINDINGS EXEMPT".

import fnmatch
import re
import sys


def exemptions(path, checker):
    """Yield [line number, file pattern, text pattern] of this checker."""
    reason = False
    with open(path, encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                reason = bool(line)
                continue
            name, files, text = line.split(None, 2)
            if not reason:
                sys.exit(f"{path}:{number}: no reason in a comment above it")
            if name == checker:
                yield number, files, re.compile(text)


def main():
    checker, path = sys.argv[1:]
    rules = list(exemptions(path, checker))
    used = set()
    findings = exempt = 0
    for finding in dict.fromkeys(sys.stdin.read().splitlines()):
        file = finding.split(":", 1)[0]
        by = [number for number, files, text in rules
              if fnmatch.fnmatchcase(file, files) and text.search(finding)]
        used.update(by)
        if by:
            exempt += 1
        else:
            findings += 1
            print(finding)
    for number, files, text in rules:
        if number not in used:
            findings += 1
            print(f"{path}:{number}: exempts nothing: {checker} {files} {text.pattern} [stale]")
    print(findings, exempt)


main()
