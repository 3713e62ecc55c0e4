# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings that are the same at each run: perf.data and gperftools' CPU profiles, as if the
program had been sampled in its own functions.  Recordings of live programs have a part of their
samples where it depends on the host, its load and chance.
"""

import itertools
import re
import struct

from checks import run

BASE = 0x555555554000  # of a program that is linked to no fixed address
COMMAND = b"interop"
PIDS = 3000001, 3000002  # nobody has them
USER = 2  # PERF_RECORD_MISC_USER
CONTEXT_USER = 2 ** 64 - 512
EVENTS = {"cpu-clock": 0, "task-clock": 1}
PERIOD = 1000000


class Program:
    """Where a program has its functions in memory, and its code in the file."""

    def __init__(self, path):
        self.path = path
        offset, address, size = [int(number, 16) for number in re.search(
            r"LOAD +(0x\w+) (0x\w+) 0x\w+ 0x\w+ (0x\w+) R E", run("readelf", "-lW", path)).groups()]
        base = 0 if "EXEC (" in run("readelf", "-hW", path) else BASE
        self.offset = offset & ~0xfff
        self.start = base + (address & ~0xfff)
        self.end = base + (address + size + 0xfff & ~0xfff)
        self.functions = {words[2]: base + int(words[0], 16)
                          for words in map(str.split, run("nm", path).splitlines())
                          if len(words) == 3 and words[1] in "tT"}

    def chain(self, functions):
        """Addresses, the leaf first: of an instruction in it, and behind calls in the others."""
        return [self.functions[name] + (4 if not i else 8) for i, name in enumerate(functions)]


def recursion(depth):
    """descend() calls left() and right(), which call descend() again: all ways down."""
    for length in range(1, depth + 1):
        for way in itertools.product(("left", "right"), repeat=length):
            below = [name for step in way for name in ("descend", step)]
            leaf = "scatter" if way[-1] == "left" else "hash"
            yield tuple([leaf, *reversed(below), "main"]), 1 + length % 3


def chains_of(program):
    """Chains of functions, the leaf first, and how many samples have them."""
    chains = [(("hash", "mix", "main"), 50), (("scatter", "mix", "main"), 30),
              (("mix", "main"), 4), (("compare", "sort", "main"), 20), (("sort", "main"), 3),
              (("main",), 2)]
    if "descend" in program.functions:
        chains += [(("enter_kernel", "main"), 10), (("descend", "main"), 2), *recursion(5)]
    return chains


def samples_of(program):
    """Addresses of a chain at a time; those of one chain are not all in a row."""
    left = [[program.chain(chain), count] for chain, count in chains_of(program)]
    while left:
        for entry in left:
            entry[1] -= 1
            yield entry[0]
        left = [entry for entry in left if entry[1]]


# ---- perf.data ----

IP, TID, TIME, CALLCHAIN, PERIODS, IDENTIFIER = 1, 2, 4, 0x20, 0x100, 0x10000
MMAP, COMM, FREQUENCY, TASK, ID_ALL, NO_GUEST, MMAP2 = (
    1 << bit for bit in (8, 9, 10, 13, 18, 20, 23))
RECORD_COMM, RECORD_FORK, RECORD_SAMPLE, RECORD_MMAP2, RECORD_ATTR = 3, 7, 9, 10, 64
ATTR_SIZE = 112


def attr(event, has_chains, has_periods):
    sample_type = (IP | TID | TIME | IDENTIFIER | (CALLCHAIN if has_chains else 0) |
                   (PERIODS if has_periods else 0))
    flags = MMAP | COMM | TASK | ID_ALL | NO_GUEST | MMAP2 | (FREQUENCY if has_periods else 0)
    return struct.pack("<IIQQQQQ", 1, ATTR_SIZE, EVENTS[event], 999 if has_periods else PERIOD,
                       sample_type, 0, flags).ljust(ATTR_SIZE, b"\0")


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(value):
    return value + b"\0" * (8 - len(value) % 8)


class Recording:
    """The records, in the order of their times."""

    def __init__(self, program, events, has_chains, has_periods):
        self.program, self.has_chains, self.has_periods = program, has_chains, has_periods
        self.time, self.records = 1000000000, b""
        self.ids = {event: 11 + i for i, event in enumerate(events)}
        self.begin(PIDS[0])
        self.put(RECORD_FORK, 0, PIDS[0], struct.pack("<IIIIQ", PIDS[1], PIDS[0], PIDS[1], PIDS[0],
                                                      self.time))
        for i, addresses in enumerate(samples_of(program)):
            for event in events:
                self.sample(event, PIDS[i % 3 == 0], addresses, i)

    def put(self, kind, misc, pid, body):
        self.time += 1000
        self.records += record(kind, misc, body + struct.pack(
            "<IIQQ", pid, pid, self.time, next(iter(self.ids.values()))))

    def begin(self, pid):
        program = self.program
        self.put(RECORD_COMM, 1 << 13, pid, struct.pack("<II", pid, pid) + text(COMMAND))
        self.put(RECORD_MMAP2, USER, pid, struct.pack(
            "<IIQQQIIQQII", pid, pid, program.start, program.end - program.start, program.offset,
            8, 1, 12345, 0, 5, 2) + text(program.path.encode()))

    def sample(self, event, pid, addresses, i):
        self.time += 1000
        body = struct.pack("<QQIIQ", self.ids[event], addresses[0], pid, pid, self.time)
        if self.has_periods:
            body += struct.pack("<Q", 1000 + 37 * i % 1000)
        if self.has_chains:
            body += struct.pack("<QQ%dQ" % len(addresses), len(addresses) + 1, CONTEXT_USER,
                                *addresses)
        self.records += record(RECORD_SAMPLE, USER, body)


def write_perf(path, program, events=("cpu-clock",), has_chains=True, has_periods=False,
               is_pipe=False):
    """Writes perf.data, or what perf writes to a pipe."""
    recording = Recording(Program(program), events, has_chains, has_periods)
    attrs = [(attr(event, has_chains, has_periods), struct.pack("<Q", recording.ids[event]))
             for event in events]
    with open(path, "wb") as file:
        if is_pipe:
            file.write(b"PERFILE2" + struct.pack("<Q", 16))
            for head, ident in attrs:
                file.write(record(RECORD_ATTR, 0, head + ident))
            file.write(recording.records)
            return
        ids_at = 104
        attrs_at = ids_at + 8 * len(attrs)
        data_at = attrs_at + (ATTR_SIZE + 16) * len(attrs)
        file.write(struct.pack("<8s12Q", b"PERFILE2", 104, ATTR_SIZE + 16, attrs_at,
                               (ATTR_SIZE + 16) * len(attrs), data_at, len(recording.records),
                               0, 0, 0, 0, 0, 0))
        file.write(b"".join(ident for head, ident in attrs))
        for i, (head, ident) in enumerate(attrs):
            file.write(head + struct.pack("<QQ", ids_at + 8 * i, 8))
        file.write(recording.records)


# ---- gperftools ----

def write_cpuprofile(path, program):
    """Writes what libprofiler does; the callers of a chain are return addresses there, too."""
    program = Program(program)
    words = [0, 3, 0, 4000, 0]
    for chain, count in chains_of(program):
        words += [count, len(chain), *program.chain(chain)]
    words += [0, 1, 0]
    with open(path, "wb") as file:
        file.write(struct.pack("<%dQ" % len(words), *words))
        file.write(b"%x-%x r-xp %08x 08:01 12345 %s\n" % (
            program.start, program.end, program.offset, program.path.encode()))
