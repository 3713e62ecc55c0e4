#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares the #includes of userspace with the drawing of layers in doc/internals.md, and prints
# findings as "file:line: text [rule]".
#
#	layers.py [TREE]	the tree to look at; without: the one that this file is in
#	layers.py --files [TREE]	only say how many source files there are
#
# The drawing is the block that begins with ```layers.  Each line has a folder, and its parts in
# ranks from the top down:
#
#	pp	. > annotate archive > report > symbols
#
# A part may include the parts of the ranks right of it, not those of its own rank or of ranks
# left of it.  Parts are paths below the folder and stand for everything in them, but for what a
# longer part has; "." is the files of the folder itself.  "/" is the top of the tree.  A line of
# a part's own follows for each part that has folders.
#
# Findings: a folder that the drawing does not have, an include of a part of the same rank or of
# one further left, cycles of files (x.c and x.h are one unit) and of folders, and folders of more
# than FILES_MOST sources.

import collections
import os
import re
import subprocess
import sys

TOPS = ("daemon", "libdb", "libop", "pp", "utils")
PAGE = "doc/internals.md"
FILES_MOST = 40
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')

Include = collections.namedtuple("Include", "source line target")


def sources(tree):
    listed = subprocess.run(["git", "-C", tree, "ls-files", "--cached", "--others",
                             "--exclude-standard", "--", "*.c", "*.h"],
                            check=True, capture_output=True, text=True).stdout.split("\n")
    return sorted(path for path in set(listed)
                  if path.split("/")[0] in TOPS and os.path.isfile(os.path.join(tree, path)))


def drawing(tree):
    """{folder: (line, [[part, ...], ...])} and the findings of the drawing itself."""
    folders, findings, inside = {}, [], False
    with open(os.path.join(tree, PAGE), encoding="utf-8") as page:
        for number, line in enumerate(page, 1):
            if line.startswith("```"):
                inside = line.strip() == "```layers"
            elif inside and line.strip():
                folder, _, rest = line.strip().replace("\t", " ").partition(" ")
                folder = folder.rstrip("/")  # the top is ""
                if folder in folders:
                    findings.append((PAGE, number, f"{folder or '/'} is drawn twice [drawing]"))
                folders[folder] = (number, [rank.split() for rank in rest.split(">")])
    if not folders:
        findings.append((PAGE, 1, "no block ```layers [drawing]"))
    return folders, findings


def part_of(ranks, below):
    """The (part, rank) of a line that has a path, which is relative to the line's folder."""
    found = [(part, rank) for rank, parts in enumerate(ranks) for part in parts
             if part == below or below.startswith(part + "/")]
    return max(found, key=lambda item: len(item[0]), default=(None, None))


def ranks_of(layers, path):
    """The way to a folder in the drawing, [(line's folder, part, rank)] from the top down, or
    None if it is not drawn."""
    way, folder = [], ""
    while folder in layers:
        below = os.path.relpath(path, folder or ".")
        part, rank = part_of(layers[folder][1], below)
        if part is None:
            return None
        way.append((folder, part, rank))
        if part == ".":
            return way
        folder = os.path.join(folder, part)
    return way if folder == path else None


def may_include(source, target):
    """Both are of ranks_of(): where their ways part, the source's rank is the one on the left."""
    for (_, part, rank), (_, other_part, other_rank) in zip(source, target):
        if part != other_part:
            return rank < other_rank
    return True


def read_includes(tree, files):
    """The includes that name files of the tree."""
    known = set(files)
    for source in files:
        with open(os.path.join(tree, source), encoding="utf-8", errors="replace") as text:
            for number, line in enumerate(text, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                beside = os.path.normpath(os.path.join(os.path.dirname(source), match[1]))
                target = beside if os.path.isfile(os.path.join(tree, beside)) else match[1]
                if target in known or os.path.isfile(os.path.join(tree, target)):
                    yield Include(source, number, target)


def components(graph):
    """Tarjan's: sets of nodes that all reach each other, of two nodes and more."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == index[node]:
            members = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(members) > 1:
                found.append(sorted(members))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def cycles(includes, name_of, what):
    graph, places = collections.defaultdict(set), {}
    for include in includes:
        source, target = name_of(include.source), name_of(include.target)
        if source != target:
            graph[source].add(target)
            places.setdefault((source, target), include)
    for members in components(graph):
        include = next(places[pair] for pair in sorted(places)
                       if pair[0] in members and pair[1] in members)
        yield include.source, include.line, f"cycle of {what}: {', '.join(members)} [cycle]"


def layer_findings(layers, includes, folders):
    for folder, first in sorted(folders.items()):
        if ranks_of(layers, folder) is None:
            yield first, 1, f"{folder} is not in the drawing of {PAGE} [folder]"
    for include in includes:
        source, target = os.path.dirname(include.source), os.path.dirname(include.target)
        source_ranks, target_ranks = ranks_of(layers, source), ranks_of(layers, target)
        if target_ranks is None and target not in folders:
            yield (include.source, include.line,
                   f"{target} is not in the drawing of {PAGE} [folder]")
        elif source != target and source_ranks and target_ranks and \
                not may_include(source_ranks, target_ranks):
            yield (include.source, include.line,
                   f"{source} may not include {include.target} [layer]")


def large_folders(files):
    count = collections.Counter(os.path.dirname(path) for path in files)
    for folder, n in sorted(count.items()):
        if n > FILES_MOST:
            first = next(path for path in files if os.path.dirname(path) == folder)
            yield first, 1, f"{folder} has {n} source files, more than {FILES_MOST} [size]"


def main():
    arguments = sys.argv[1:]
    only_count = arguments[:1] == ["--files"]
    tree = (arguments[only_count:] + [os.path.join(os.path.dirname(__file__), "../..")])[0]
    files = sources(tree)
    if only_count:
        print(len(files))
        return 0
    layers, findings = drawing(tree)
    includes = list(read_includes(tree, files))
    folders = {os.path.dirname(path): path for path in reversed(files)}
    if layers:
        findings += layer_findings(layers, includes, folders)
    findings += cycles(includes, lambda path: os.path.splitext(path)[0], "files")
    findings += cycles(includes, os.path.dirname, "folders")
    findings += large_folders(files)
    for path, line, text in findings:
        print(f"{path}:{line}: {text}")
    return 1 if findings else 0


sys.setrecursionlimit(10000)
sys.exit(main())
