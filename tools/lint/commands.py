#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes of Meson's compile_commands.json one for checkers: each C file of the tree once, by its
# whole path.  Prints the files that are in it, relative to the tree.
#
#	commands.py FROM TREE TO

import json
import os
import sys


def main():
    source, tree, target = sys.argv[1:]
    with open(source, encoding="utf-8") as commands:
        entries = json.load(commands)
    kept = {}
    for entry in entries:
        path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        if path.startswith(tree + "/") and path.endswith(".c"):
            entry["file"] = path
            kept.setdefault(path, entry)
    with open(target, "w", encoding="utf-8") as commands:
        json.dump(list(kept.values()), commands)
    for path in sorted(kept):
        print(os.path.relpath(path, tree))


main()
