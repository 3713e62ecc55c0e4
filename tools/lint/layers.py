#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares the #includes of userspace and of the module with the drawing of layers in
# doc/internals.md, and prints findings as "file:line: text [rule]".
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
# longer part has: folders, or files without their suffix (x.c and x.h are one unit); "." is the
# files of the folder itself.  "/" is the top of the tree.  A line of a part's own follows for each
# part that has folders.  A line that begins with a blank goes on with the one before.
#
# Findings: a folder, or a file in a folder without ".", that the drawing does not have, an include
# of a part of the same rank or of one further left, cycles of units and of folders, and folders of
# more than FILES_MOST sources.  Units that are drawn by themselves are of no folder.

import collections
import os
import re
import subprocess
import sys

TOPS = ("daemon", "libdb", "libop", "module", "pp", "utils")
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


def ranks_of_line(text):
    return [rank.split() for rank in text.split(">")]


def drawing(tree):
    """{folder: (line, [[part, ...], ...])} and the findings of the drawing itself."""
    folders, findings, inside = {}, [], False
    with open(os.path.join(tree, PAGE), encoding="utf-8") as page:
        for number, line in enumerate(page, 1):
            if line.startswith("```"):
                inside = line.strip() == "```layers"
            elif inside and folders and line[0].isspace() and line.strip():
                more = ranks_of_line(line)
                folders[folder][1][-1].extend(more[0])
                folders[folder][1].extend(more[1:])
            elif inside and line.strip():
                folder, _, rest = line.strip().replace("\t", " ").partition(" ")
                folder = folder.rstrip("/")  # the top is ""
                if folder in folders:
                    findings.append((PAGE, number, f"{folder or '/'} is drawn twice [drawing]"))
                folders[folder] = (number, ranks_of_line(rest))
    if not folders:
        findings.append((PAGE, 1, "no block ```layers [drawing]"))
    return folders, findings


def unit_of(path):
    return os.path.splitext(path)[0]


def part_of(ranks, below):
    """The (part, rank) of a line that has a unit, whose path is relative to the line's folder."""
    found = [(part, rank) for rank, parts in enumerate(ranks) for part in parts
             if part == below or below.startswith(part + "/") or
             (part == "." and "/" not in below)]
    return max(found, key=lambda item: len(item[0]), default=(None, None))


def ranks_of(layers, unit):
    """The way to a unit in the drawing, [(line's folder, part, rank)] from the top down, or None
    if neither it nor its folder is drawn."""
    way, folder = [], ""
    while folder in layers:
        part, rank = part_of(layers[folder][1], os.path.relpath(unit, folder or "."))
        if part is None:
            return None
        way.append((folder, part, rank))
        if part == ".":
            return way
        folder = os.path.join(folder, part)
    return way if folder in (unit, os.path.dirname(unit)) else None


def folder_of(layers, unit):
    """That of a unit; a unit that is drawn by itself is its own."""
    way = ranks_of(layers, unit)
    alone = way and os.path.join(*way[-1][:2]) == unit
    return unit if alone else os.path.dirname(unit)


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
                for root in (os.path.dirname(source), source.split("/")[0], ""):
                    target = os.path.normpath(os.path.join(root, match[1]))
                    if target in known or os.path.isfile(os.path.join(tree, target)):
                        yield Include(source, number, target)
                        break


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


def undrawn(layers, files):
    """Findings: once for a folder, or for each unit where others of the folder are drawn."""
    told = set()
    for path in files:
        folder, unit = os.path.dirname(path), unit_of(path)
        what = unit if folder in layers else folder
        if what not in told and ranks_of(layers, unit) is None:
            told.add(what)
            yield path, 1, f"{what} is not in the drawing of {PAGE} [folder]"


def layer_findings(layers, includes, files):
    yield from undrawn(layers, files)
    for include in includes:
        source, target = unit_of(include.source), unit_of(include.target)
        source_ranks, target_ranks = ranks_of(layers, source), ranks_of(layers, target)
        if target_ranks is None and include.target not in files:
            yield (include.source, include.line,
                   f"{os.path.dirname(target)} is not in the drawing of {PAGE} [folder]")
        elif source_ranks and target_ranks and not may_include(source_ranks, target_ranks):
            yield (include.source, include.line,
                   f"{folder_of(layers, source)} may not include {include.target} [layer]")


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
    if layers:
        findings += layer_findings(layers, includes, files)
    findings += cycles(includes, unit_of, "files")
    findings += cycles(includes, lambda path: folder_of(layers, unit_of(path)), "folders")
    findings += large_folders(files)
    for path, line, text in findings:
        print(f"{path}:{line}: {text}")
    return 1 if findings else 0


sys.setrecursionlimit(10000)
sys.exit(main())
