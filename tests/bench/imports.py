#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What reading a large recording with call chains costs, beside perf report in the same run: CPU
# time and the most memory at a time.
#
#	imports.py COST OPIMPORT	measures; one metric a line: name, value, unit
#	imports.py --make FILE		only makes the recording
#
# The recording is made here, of one program and the C library: a million samples of 26 callers, of
# 4000 different stacks, in no order, half of the samples in an eighth of the stacks.

import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

SAMPLES, STACKS, DEPTH, REPEAT = 1000000, 4000, 27, 3
PID = 4711
USER = 0xfffffffffffffe00  # PERF_CONTEXT_USER
TYPE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 8  # IP, TID, TIME, CALLCHAIN, PERIOD


def text_of(path):
    """Address, offset and size of the executable segment of an ELF file."""
    with open(path, "rb") as elf:
        data = elf.read()
    phoff, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, flags, offset, address, _, length = struct.unpack_from("<IIQQQQ", data,
                                                                     phoff + i * size)
        if kind == 1 and flags & 1:
            return address, offset, length
    sys.exit("no code in %s" % path)


def record(kind, misc, body):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def sample_id(time):
    return struct.pack("<IIQ", PID, PID, time)


def mapping(path, start, offset, length):
    status = os.stat(path)
    return record(10, 2, struct.pack("<IIQQQIIQQII", PID, PID, start, length, offset,
                                     os.major(status.st_dev), os.minor(status.st_dev),
                                     status.st_ino, 0, 5, 2) +
                  path.encode() + b"\0" * (8 - len(path) % 8) + sample_id(1))


def make_stacks(places):
    """Stacks that share their first callers, as those of a program do."""
    stacks = []
    for i in range(STACKS):
        shared = random.randrange(DEPTH) if i else 0
        stack = stacks[random.randrange(i)][:shared] if i else []
        stacks.append(stack + [random.choice(places) for _ in range(DEPTH - shared)])
    return stacks


def make(path):
    random.seed(1)
    program = os.path.realpath(sys.executable)
    library = os.path.realpath("/lib/x86_64-linux-gnu/libc.so.6")
    data, places = [record(3, 0, struct.pack("<II", PID, PID) + b"work\0\0\0\0" + sample_id(1))], []
    for image, base in (program, 0x550000000000), (library, 0x7f0000000000):
        address, offset, length = text_of(image)
        start, skew = base + (address & ~4095), address & 4095
        data.append(mapping(image, start, offset - skew, (length + skew + 4095) & ~4095))
        places += [start + skew + random.randrange(length) for _ in range(2000)]
    bodies = []
    for stack in make_stacks(places):
        chain = stack[::-1]
        bodies.append((struct.pack("<QII", chain[0], PID, PID),
                       struct.pack("<QQQ", 1000000, DEPTH + 1, USER) +
                       struct.pack("<%dQ" % DEPTH, *chain)))
    length = 8 + len(bodies[0][0]) + 8 + len(bodies[0][1])
    head = struct.pack("<IHH", 9, 2, length)
    with open(path, "wb") as out:
        attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000000, TYPE, 0, 1 << 18)  # sample_id_all
        attr += b"\0" * (128 - len(attr)) + struct.pack("<QQ", 0, 0)
        size = sum(map(len, data)) + SAMPLES * length
        out.write(struct.pack("<QQQQQQQQQ", 0x32454c4946524550, 104, len(attr), 104, len(attr),
                              104 + len(attr), size, 0, 0) + b"\0" * 32 + attr)
        out.writelines(data)
        for i in range(SAMPLES):
            which = random.randrange(STACKS if i % 2 else STACKS // 8)
            first, rest = bodies[which]
            out.write(head + first + struct.pack("<Q", 1000 + i * 1000) + rest)


def cost(*words):
    """Return: CPU seconds and megabytes of the best of a few runs."""
    best = None
    for _ in range(REPEAT):
        result = subprocess.run([cost_program, *words], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, check=False)
        if result.returncode:
            sys.exit("%s: %s" % (" ".join(words), result.stderr.decode()))
        _, cpu, kib = map(float, result.stderr.decode().splitlines()[-1].split())
        best = (min(best[0], cpu), max(best[1], kib)) if best else (cpu, kib)
    return best[0], best[1] / 1024


def metric(name, value, unit):
    print("%s\t%.3f\t%s" % (name, value, unit), flush=True)


def main():
    with tempfile.TemporaryDirectory(prefix="op-bench-") as scratch:
        recording, session = scratch + "/perf.data", scratch + "/session"
        os.environ["XDG_CACHE_HOME"] = scratch + "/cache"
        make(recording)
        metric("imports_recording", os.path.getsize(recording) / 1e6, "MB")
        ours = cost("/bin/sh", "-c", 'rm -rf "$1" && exec "$0" -o "$1" "$2"', opimport, session,
                    recording)
        metric("imports_opimport_cpu", ours[0], "s")
        metric("imports_opimport_memory", ours[1], "MB")
        perf = shutil.which("perf")
        if not perf:
            print("skip: perf is not there to compare with")
            return
        theirs = cost(perf, "report", "--stdio", "-i", recording)
        metric("imports_perf_report_cpu", theirs[0], "s")
        metric("imports_perf_report_memory", theirs[1], "MB")
        metric("imports_cpu_ratio", ours[0] / theirs[0], "x (target 0.5)")


if sys.argv[1] == "--make":
    make(sys.argv[2])
else:
    cost_program, opimport = sys.argv[1:3]
    main()
