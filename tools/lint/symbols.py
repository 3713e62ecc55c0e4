#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges the symbols of the compiled kernel module.

    symbols.py MODULE.ko TREE

* Functions and variables can be told apart in kallsyms: no two have the same name, and the name of
  a function is more than one word.
* What an NMI reaches, from ENTRIES on by calls and jumps, is NOKPROBE_SYMBOL: a probe there would
  interrupt the NMI, and let the next one come before this one is over.

Prints "FILE:LINE: NAME: what is wrong" for each finding.
"""
import collections
import re
import subprocess
import sys
from pathlib import Path

# What the kernel calls in NMI, and what is called there by a pointer.
ENTRIES = ("handle_counter_nmi", "handle_timer_nmi", "on_overflow", "op_backtrace")
MARK = "_kbl_addr_"  # what NOKPROBE_SYMBOL() adds to a name

HEAD = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
JUMP = re.compile(r"\s(?:call|j[a-z]+)\s+[0-9a-f]+ <([^+>]+)(?:\+0x[0-9a-f]+)?>")
RELOCATION = re.compile(r"R_X86_64_(?:PLT32|PC32)\s+([\w.$]+)")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(module):
    """Names with their type letter, as of nm(1)."""
    for line in run("nm", module).splitlines():
        fields = line.split()
        if len(fields) == 3:
            yield fields[2], fields[1]


def calls(module):
    """By function: what it calls or jumps to."""
    graph = collections.defaultdict(set)
    here = None
    for line in run("objdump", "-dr", "--no-show-raw-insn", module).splitlines():
        head = HEAD.match(line)
        if head:
            here = head[1]
            graph[here]  # pylint: disable=pointless-statement
            continue
        for pattern in (JUMP, RELOCATION):
            found = pattern.search(line)
            if found:
                graph[here].add(found[1])
    return graph


def reached(graph):
    done = set()
    left = list(ENTRIES)
    while left:
        name = left.pop()
        if name in done or name not in graph:
            continue
        done.add(name)
        left.extend(graph[name])
    return done


class Source:
    def __init__(self, tree):
        self.tree = Path(tree)
        self.files = sorted((self.tree / "module").rglob("*.[ch]"))

    def place(self, name):
        """Where a name is defined: "FILE:LINE"."""
        base = re.escape(name.split(".")[0])
        definition = re.compile(rf"^[A-Za-z].*\b{base}\b[^;]*$|^[A-Za-z].*\b{base}\b.*[;=]")
        for path in self.files:
            if path.suffix == ".h":
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if definition.match(line):
                    return f"{path.relative_to(self.tree)}:{number}"
        return "module/Kbuild.include:1"


def judge(module):
    names = collections.Counter()
    marked = set()
    functions = set()
    for name, kind in symbols(module):
        if name.startswith(MARK):
            marked.add(name[len(MARK):])
        elif kind in "tTbBdDrR" and not name.startswith(("_", ".")) and "." not in name:
            names[name] += 1
            if kind in "tT":
                functions.add(name)
    for name, times in sorted(names.items()):
        if times > 1:
            yield name, f"{times} symbols have this name"
    for name in sorted(functions):
        if "_" not in name:
            yield name, "a word alone says little in kallsyms"
    graph = calls(module)
    for name in ENTRIES:
        if name not in graph:
            yield name, "is no function of the module, but an entry of NMIs: see symbols.py"
    for name in sorted(reached(graph) - marked):
        yield name, "runs in NMI and is not NOKPROBE_SYMBOL"


def main():
    module, tree = sys.argv[1:]
    source = Source(tree)
    for name, what in judge(module):
        print(f"{source.place(name)}: {name}: {what}")


main()
