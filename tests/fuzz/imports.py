#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Imports of mutated profiles, with extreme values: whatever they are, opimport ends within 20 s and
# 1 GiB, writes no more than 64 MB for each megabyte of its input (32 MB if it is smaller), and
# counts what it leaves out: received is stored and lost, and the sample files have what is stored.
#
#	imports.py TOOLS MAKE_PROFILE MAKE_SESSION COUNT [SEED [CORPORA]]
#
# TOOLS: the folder of opimport and opreport.  CORPORA: a folder of further profiles.  The same seed
# makes the same mutations.  Exit codes: 0 all is well, 1 something is not.

import glob
import gzip
import lzma
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

SECONDS, MEMORY, PER_BYTE, SIZE_LEAST = 20, 1 << 30, 64, 1 << 19
EXTREMES = [0, 1, 2, 0x7f, 0x80, 0xff, 0xffff, 1 << 16, 0x7fffffff, 1 << 31, 0xffffffff, 1 << 32,
            1 << 40, 1 << 47, 1 << 48, 1 << 62, 1 << 63, (1 << 63) - 1, (1 << 64) - 1]

RECORDING = """event type=1 period=1000000 id=11 sample_type=0x20 flags=0x1040000
event type=0 period=1000 id=12 sample_type=0x20 flags=0x1040000
%s 112
comm 10 11
mmap 20 11
record 9 2 q11 q0x400010 d42 d42 q30 q1 q3 q0xfffffffffffffe00 q0x400010 q0x400020
record 9 1 q12 q0xffffffff81000500 d42 d42 q30 q100000 q1 q0xffffffffffffff80
record 7 0 d43 d42 d43 d42 q31 d42 d42 q31 q11
record 2 0 q11 q5 d42 d42 q5 q11
record 9 2 q11 q0x400030 d43 d43 q32 q1 q2 q0x400030 q0x400020
round
"""
PPROF = """pprof 6='' 6='samples' 6='count' 6='space' 6='bytes' 6='/no/such/prog' 6='main' 6='f'
pprof 1=(1=1 2=2) 1=(1=3 2=4) 3=(1=1 2=0x400000 3=0x500000 5=5) 5=(1=1 2=6) 5=(1=2 2=7)
pprof 4=(1=1 2=1 3=0x400010 4=(1=1 2=3)) 4=(1=2 2=1 3=0x400020) 4=(1=3 4=(1=2 2=4))
pprof 2=(1=[1 2] 2=[5 4096]) 2=(1=[3 1] 2=[1 64]) 2=(1=[2] 2=[2 128])
"""
GPERFTOOLS = """u64 0 3 0 10000 0
u64 5 2 0x400010 0x400020
u64 1 3 0x400110 0x400020 0x400030
u64 0 1 0
text 00400000-00500000 r-xp 00000000 00:00 0 /no/such/prog
"""
DCPI = """text version pdb-0.06
text image 123
text epoch 9901011200
text platform test
text event cycles
text period 63488
text tstart 120000000
text tsize 65536
text cpuspeed 500
text path /no/such/prog
raw samples
u8 10
chunks 16 3 5 0 7 64 2 1 4000000000
"""
MAPS = "\nMAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 00:00 0 /no/such/prog\n"
TEXTS = [
    "main;f;g 3\nmain;f 18\nother;[kernel];h 1.5\n",
    "busy 12/13 [001] 100.000001:     250000 cycles:u:\n\t    55d4c0de1179 leaf+0x4 (/no/busy)\n"
    "\t    55d4c0de1179 helper (inlined)\n\t    55d4c0de1279 main+0x14 (/no/busy)\n\n"
    "job 7 of 9   12/14 [000] 100.5: cpu-clock:pppH:\n\tffffffff81000010 x ([kernel.kallsyms])\n\n"
    "busy 12/12 [000] 100.6: PERF_RECORD_LOST lost 17\n",
    '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":""},"children":[2,3]},{"id":2,'
    '"callFrame":{"functionName":"f","url":"file:///a.js","lineNumber":3},"hitCount":2},{"id":3,'
    '"callFrame":{"functionName":"g","url":"b"}}],"startTime":10,"endTime":99,"samples":[2,2,3],'
    '"timeDeltas":[1,2,-3]}',
    '{"shared":{"frames":[{"name":"a","file":"b","line":3},{"name":"c"}]},"profiles":[{"type":'
    '"sampled","name":"x","unit":"seconds","samples":[[0,1],[1],[]],"weights":[1.5,2,1e300]},'
    '{"type":"evented","unit":"none","events":[{"type":"O","frame":0,"at":0},{"type":"C",'
    '"frame":0,"at":7}]}],"exporter":"oprofile 2"}',
    '{"meta":{"preprocessedProfileVersion":57,"startTime":1.5},"libs":[{"path":"/x"}],"threads":[{'
    '"name":"a","processName":"a","pid":"1","tid":2,"samples":{"stack":[1,0,null],"time":[1,2,3],'
    '"weight":[1,2,3],"weightType":"bytes"},"stringArray":["m","w"],"funcTable":{"name":[0,1],'
    '"resource":[-1,0]},"resourceTable":{"lib":[0]},"frameTable":{"func":[0,1]},"stackTable":{'
    '"prefix":[null,0],"frame":[0,1]}}]}',
    "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\ncmd: ./demo\npositions: instr line"
    "\nevents: Ir Bc\nsummary: 100 3\n\nob=(1) /no/demo\nfl=(1) demo.c\nfn=(1) main\n"
    "0x1182 5 10 1\n+3 * 5\ncfn=(2) work\ncalls=1 -63 -2\n* * 85 2\nfn=(2)\n0x1200 +3 40\n",
    "heap profile: 14: 9000 [ 30: 20000] @ heap_v2/524288\n 4: 2000 [ 8: 4000] @ 0x401010 0x401110"
    "\n 0: 0 [ 2: 1000] @ 0x401200\n" + MAPS,
    "heap profile:      4:  4198400 [     4:  4198400] @ growthz\n"
    "     1:  1048576 [     1:  1048576] @ 0x401010 0x401110\n" + MAPS,
    "--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\n"
    "discarded samples = 7\n 19490304 27 @ 0x401010 0x401110\n" + MAPS,
    "--- threadz 1 ---\n\n--- Thread 7f00 (name: main/14748) stack: ---\n  PC: 0x401010 0x401110\n"
    "  0x401210\n--- Thread 7f01 (name: pool/1) stack: ---\n [same as previous thread]\n"
    "--- Memory map: ---\n" + MAPS,
]
SESSION = """image prog lib.so TIMER.10000.0.all.all.all
0x1010 5, 0x1030 2
"""


def made(tools, text):
    return subprocess.run([tools["make_profile"]], input=text.encode(), stdout=subprocess.PIPE,
                          check=True).stdout


def session_files(tools, packed):
    with tempfile.TemporaryDirectory() as folder:
        for options, text in (([], SESSION), (["--pack"], "")):
            if options and not packed:
                break
            subprocess.run([tools["make_session"], *options, folder], input=text.encode(),
                           check=True, stdout=subprocess.DEVNULL)
        found = {}
        for name in glob.glob(folder + "/**", recursive=True):
            if os.path.isfile(name):
                with open(name, "rb") as file:
                    found[os.path.relpath(name, folder)] = file.read()
        return found


def seeds_of(tools, corpora):
    """Each a list of files: their names, None if there is one only, and their bytes; those made
    here, which are valid, are first, and their number."""
    seeds = [{None: made(tools, text)} for text in
             (RECORDING % "pipe", RECORDING % "file" + "finish", PPROF, GPERFTOOLS, DCPI)]
    seeds += [{None: text.encode()} for text in TEXTS]
    seeds += [{None: gzip.compress(seeds[2][None])}, {None: lzma.compress(seeds[1][None])}]
    seeds += [session_files(tools, False), session_files(tools, True)]
    valid = len(seeds)
    for name in sorted(glob.glob(corpora + "/*/*")) if corpora else []:
        if os.path.isfile(name) and os.path.getsize(name) < 1 << 18:
            with open(name, "rb") as file:
                seeds.append({None: file.read()})
    return seeds, valid


def varint(value):
    text = bytearray()
    while value > 0x7f:
        text.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(text) + bytes([value])


def mutate(chance, data):
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 4, 16])):
        if not data:
            break
        at, value = chance.randrange(len(data)), chance.choice(EXTREMES)
        kind = chance.randrange(7)
        if kind == 0:
            data[at] = chance.randrange(256)
        elif kind in (1, 2):
            format_, size = ("<Q", 8) if kind == 1 else ("<I", 4)
            at -= at % size
            data[at:at + size] = struct.pack(format_, value & (1 << 8 * size) - 1)
        elif kind == 3:
            end = at
            while end < len(data) and data[end] & 0x80:
                end += 1
            data[at:end + 1] = varint(value)
        elif kind == 4:
            del data[at:at + chance.randrange(1, 64)]
        elif kind == 5:
            size = chance.randrange(1, 256)
            data[at:at] = data[at:at + size] * chance.choice([1, 2, 64])
        else:
            del data[at:]
    return bytes(data)


def put(files):
    for name, data in files.items():
        path = os.path.join("in", name) if name else "in"
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def remove():
    shutil.rmtree("out", ignore_errors=True)
    shutil.rmtree("in") if os.path.isdir("in") else os.remove("in")


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def size_of(folder):
    return sum(os.lstat(os.path.join(place, name)).st_blocks * 512
               for place, _, names in os.walk(folder) for name in names)


def account_of(folder):
    """The lines of the slot with the greatest sequence number: oprofile-session(5)."""
    slots = {}
    try:
        with open(folder + "/samples/current/account", "rb") as file:
            text = file.read()
    except FileNotFoundError:
        return {}
    for line in text.replace(b"\0", b"").decode("ascii").splitlines():
        words = line.split()
        if words[0] == "oprofile-account":
            numbers = slots.setdefault(int(words[2], 16), {})
        else:
            numbers[words[0]] = int(words[1])
    return slots[max(slots)]


def faults_of(tools, path, size, most):
    """What is wrong with the import of a profile.  most: the greatest values yet."""
    begin = time.monotonic()
    try:
        result = subprocess.run([tools["opimport"], "-o", "out", path], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, timeout=SECONDS, preexec_fn=limit,
                                check=False)
    except subprocess.TimeoutExpired:
        return ["took more than %d s" % SECONDS]
    faults, written = [], size_of("out")
    most["seconds"] = max(most["seconds"], time.monotonic() - begin)
    most["bytes"] = max(most["bytes"], written)
    most["bytes/limit"] = max(most["bytes/limit"], written / (PER_BYTE * max(size, SIZE_LEAST)))
    most["imported"] += result.returncode == 0
    if result.returncode not in (0, 1) or b"out of memory" in result.stderr:
        faults.append("exit code %d: %s" % (result.returncode, result.stderr[-200:]))
    if result.returncode == 1 and not result.stderr:
        faults.append("an error without a word")
    if written > PER_BYTE * max(size, SIZE_LEAST):
        faults.append("%d bytes became %d" % (size, written))
    numbers = account_of("out") if not os.path.isdir(path) else {}
    lost = sum(n for name, n in numbers.items() if name.startswith("lost"))
    if numbers and numbers["total_samples"] < (1 << 63) and \
       numbers["total_samples"] != numbers["samples_stored"] + lost:
        faults.append("received is not stored and lost: %s" % numbers)
    if numbers:
        report = subprocess.run([tools["opreport"], "--session-dir=out"], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        if b"Account: sample files have" in report.stdout and \
           numbers["samples_stored"] < 1 << 41 and "stands" not in result.stderr.decode("latin1"):
            faults.append(re.search(b"Account: .*", report.stdout).group().decode())
    return faults


def main():
    names = ("opimport", "opreport")
    tools = {name: os.path.join(os.path.abspath(sys.argv[1]), name) for name in names}
    tools["make_profile"], tools["make_session"] = map(os.path.abspath, sys.argv[2:4])
    count, seed = int(sys.argv[4]), int(sys.argv[5]) if len(sys.argv) > 5 else 1
    seeds, valid = seeds_of(tools, sys.argv[6] if len(sys.argv) > 6 else None)
    failed, most = 0, dict.fromkeys(("seconds", "bytes", "bytes/limit", "imported"), 0)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number in range(valid):
            put(seeds[number])
            faults = faults_of(tools, "in", 0, most)
            remove()
            if faults or most["imported"] != number + 1:
                print("NOT OK  profile %d is not imported as it is: %s" % (number, faults))
                return 1
        for number in range(count):
            chance = random.Random(seed * 1000003 + number)
            files = dict(chance.choice(seeds))
            which = chance.choice(sorted(files, key=str))
            files[which] = mutate(chance, files[which])
            put(files)
            faults = faults_of(tools, "in", sum(map(len, files.values())), most)
            for fault in faults:
                print("NOT OK  mutation %d of seed %d: %s" % (number, seed, fault), flush=True)
            failed += bool(faults)
            remove()
    print("%d mutations of %d profiles, %d with faults" % (count, len(seeds), failed))
    print("at most %.2f s, %d MiB of memory, %d bytes, %.3f of the limit; %d were imported" % (
        most["seconds"], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10,
        most["bytes"], most["bytes/limit"], most["imported"]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
