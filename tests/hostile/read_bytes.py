#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How much of the files of others processes of root have read, by what strace has seen.
#
#	read_bytes.py DIRECTORY TRACE
#
# TRACE is of `strace -f -y`, of a command that root runs.  A process is root's until a setresuid()
# that it makes is successful.  Prints "FILE ROOT OTHERS": how many different bytes of each file
# below DIRECTORY processes of root, and others, have read or mapped.  Fails if one of root has
# read any.

import re
import sys

LINE = re.compile(r"(\d+)\s+(.*)")
CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+|0x[0-9a-f]+)")
FILE = re.compile(r"(-?\d+)<([^>]*)>")


class Ranges:
    """Different bytes of a file."""

    def __init__(self):
        self.ranges = []

    def add(self, start, length):
        self.ranges.append((start, start + length))

    def total(self):
        total, at = 0, 0
        for start, end in sorted(self.ranges):
            total += max(0, end - max(start, at))
            at = max(at, end)
        return total


class Trace:
    def __init__(self, directory):
        self.directory = directory
        self.dropped = set()    # processes that are not root's
        self.unfinished = {}
        self.places = {}        # of descriptors, by file
        self.seen = {}          # (path, is_root): Ranges

    def note(self, process, path, start, length):
        if path.startswith(self.directory) and length > 0:
            key = path, process not in self.dropped
            self.seen.setdefault(key, Ranges()).add(start, length)

    def call(self, process, name, arguments, result):
        if name in ("setresuid", "setuid") and not result and not arguments.startswith("0"):
            self.dropped.add(process)
        files = FILE.findall(arguments)
        if not files or result < 0:
            return
        descriptor, path = files[0]
        rest = arguments.rsplit(", ", 2)
        if name in ("read", "readv"):
            at = self.places.get((path, descriptor), 0)
            self.note(process, path, at, result)
            self.places[path, descriptor] = at + result
        elif name == "lseek":
            self.places[path, descriptor] = result
        elif name in ("pread64", "preadv", "preadv2"):
            self.note(process, path, int(rest[-1], 0), result)
        elif name == "mmap":
            length = int(arguments.split(", ")[1], 0)
            self.note(process, path, int(rest[-1], 0), length)
        elif name in ("sendfile", "copy_file_range", "splice"):
            for _, other in files:
                self.note(process, other, 0, result)
        elif name == "openat":
            self.places.pop((path, descriptor), None)

    def line(self, text):
        found = LINE.match(text)
        if not found:
            return
        process, text = found.groups()
        if text.endswith("<unfinished ...>"):
            self.unfinished[process] = text[:-len("<unfinished ...>")]
            return
        resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", text)
        if resumed:
            text = self.unfinished.pop(process, "") + resumed[1]
        called = CALL.match(text)
        if called:
            self.call(process, called[1], called[2], int(called[3], 0))
        for descriptor in re.findall(r"= (\d+)<", text):
            for key in [key for key in self.places if key[1] == descriptor]:
                del self.places[key]


def main(directory, path):
    trace = Trace(directory)
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            trace.line(line.rstrip("\n"))
    status = 0
    for name in sorted({name for name, _ in trace.seen}):
        root, others = (trace.seen.get((name, is_root), Ranges()).total()
                        for is_root in (True, False))
        print(f"{name[len(directory):]} {root} {others}{' READ BY ROOT' if root else ''}")
        status |= bool(root)
    return status


sys.exit(main(sys.argv[1], sys.argv[2]))
