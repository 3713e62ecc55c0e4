#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: files of another user beyond each cap (libop/foreign/limits.h): they cost their own names
# covers: only, which is said, and little memory of all processes and little time
#
#	caps.py BUILD
#
# Prints what each took: the most memory of all processes at a time, in MiB, and seconds.

import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

NOBODY = 65534
# A report with a process apart has some 60 MiB; a cap that is missing costs far more.
MEMORY_MOST = 600
SECONDS_MOST = 45
PAGE = os.sysconf("SC_PAGESIZE")


def memory_of(session):
    """MiB of all processes of a session, shared pages more than once."""
    pages = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            pages += int(fields[21])
    return pages * PAGE >> 20


class Watch:
    """A command, and the memory of all its processes while it runs."""

    def __init__(self, command, out):
        self.most, self.begin = 0, time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                                        stderr=subprocess.STDOUT, start_new_session=True)
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while self.process.poll() is None:
            self.most = max(self.most, memory_of(self.process.pid))
            time.sleep(0.005)

    def end(self, limit):
        """The exit status; None: it did not end."""
        try:
            status = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            status = None
        self.thread.join()
        self.seconds = time.monotonic() - self.begin
        return status


class Elf:
    """A program, whose sections are replaced."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = bytearray(file.read())

    def set_sections(self, sections, names):
        """@sections: (name, type, flags, offset, size); the last one has the names."""
        self.bytes += bytes(-len(self.bytes) % 8)
        place = len(self.bytes)
        self.bytes += names
        sections = sections + [(0, 3, 0, place, len(names))]
        self.bytes += bytes(-len(self.bytes) % 8)
        table = len(self.bytes)
        self.bytes += bytes(64)
        for name, kind, flags, offset, size in sections:
            self.bytes += struct.pack("<IIQQQQIIQQ", name, kind, flags, 0, offset, size, 0, 0, 1, 0)
        struct.pack_into("<Q", self.bytes, 40, table)
        struct.pack_into("<HHH", self.bytes, 58, 64, len(sections) + 1, len(sections))

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.bytes)
        os.chmod(path, 0o755)


def strip(source, path, *options):
    subprocess.run(["objcopy", *options, source, path], check=True)


# ---- files beyond a cap ----


def notes(program):
    """65,000 sections of notes, each of which is most of the file."""
    strip(program, "notes", "--strip-all", "--remove-section=.note*")
    elf = Elf("notes")
    elf.set_sections([(1, 7, 2, 0, 4 << 20)] * 65000, b"\0.note\0")
    elf.write("notes")
    return "notes"


def inflated(program):
    """Debug sections of 3.8 MB that are 3.8 GB when they are inflated."""
    elf = Elf(program)
    maker = zlib.compressobj(9)
    piece = maker.compress(bytes(64 << 20)) + maker.flush(zlib.Z_FULL_FLUSH)
    head, repeated = piece[:2], piece[2:]
    size = 60 * (64 << 20)
    packed = struct.pack("<IIQQ", 1, 0, size, 1) + head + repeated * 60
    start = len(elf.bytes)
    elf.bytes += packed
    names = b"\0.debug_info\0.debug_line\0"
    elf.set_sections([(1, 1, 0x800, start, len(packed)), (13, 1, 0x800, start, len(packed))], names)
    elf.write("inflated")
    return "inflated"


def linked(program):
    """.gnu_debuglink names a file of 40 GB, which is all hole."""
    strip(program, "linked", "--strip-all", "--remove-section=.note*")
    with open("hole.debug", "wb") as file:
        file.write(b"nothing")
    subprocess.run(["objcopy", "--add-gnu-debuglink=hole.debug", "linked"], check=True)
    os.truncate("hole.debug", 40 << 30)
    return "linked"


def stored(program):
    """.gnu_debuglink names a file that is within the limit of its size, but not of its CRC."""
    strip(program, "stored", "--strip-all", "--remove-section=.note*")
    with open("full.debug", "wb") as file:
        file.write(b"nothing")
    subprocess.run(["objcopy", "--add-gnu-debuglink=full.debug", "stored"], check=True)
    with open("full.debug", "wb") as file:
        file.write(bytes(160 << 20))
        file.truncate(2560 << 20)
    return "stored"


def put_map(path, lines):
    with open(path, "w", encoding="ascii") as file:
        file.writelines(lines)


def large_map(_):
    """perf-PID.map of 120 MB."""
    put_map("jit/perf-77.map", (f"{0x7f0000000000 + 16 * i:x} 10 a_function_of_a_jit_{i:08}\n"
                                for i in range(2500000)))


def full_map(_):
    """perf-PID.map within the limit of its size, with more functions than there may be."""
    put_map("jit/perf-77.map", (f"{0x7f0000000000 + 16 * i:x} 10 f{i:x}\n"
                                for i in range(1200000)))


def split_map(_):
    """One function with a name of 30 MB, which is split a million times by others."""
    put_map("jit/perf-77.map", [f"7f0000000000 {1 << 40:x} {'n' * (30 << 20)}\n"] +
            [f"{0x7f0000000000 + 32 * i:x} 10 f\n" for i in range(1000000)])


def fifo_modules(_):
    """A FIFO in the place of a session's list of modules."""
    os.mkfifo("samples/current/modules")


#  name, how it is made, options of opreport, what is said of it
CASES = [
    ("sections of notes", notes, ["-l"], None),
    ("inflated debug sections", inflated, ["-l", "-g"], r"inflated: .* is not read: too much|"
     r"inflated: (symbols|lines) may be missing"),
    ("debug link to a hole of 40 GB", linked, ["-l", "-g"], None),
    ("CRC of 2.5 GB", stored, ["-l", "-g"], None),
    ("perf-PID.map of 120 MB", large_map, ["-l"], r"perf-77.map: larger than 64 MiB"),
    ("1,200,000 functions", full_map, ["-l"], r"perf-77.map: more than 1048576 functions"),
    ("a name in a million pieces", split_map, ["-l"], None),
    ("FIFO as modules", fifo_modules, ["-l"], None),
]


class Test:
    def __init__(self, build):
        self.build, self.failures = build, 0
        self.program = f"{build}/tests/native/workloads/storm"

    def wrong(self, text):
        print("NOT OK", text)
        self.failures += 1

    def own(self, *paths):
        for path in paths:
            os.chown(path, NOBODY, NOBODY)

    def result(self, name, watch, status):
        print(f"{name:32} {watch.most:6} MiB {watch.seconds:6.1f} s")
        if status is None:
            self.wrong(f"{name}: it does not end")
        elif status:
            self.wrong(f"{name}: it ended with {status}")
        if watch.most > MEMORY_MOST:
            self.wrong(f"{name}: too much memory")

    def report(self, name, make, options, said):
        os.makedirs("jit", exist_ok=True)
        shutil.copy(self.program, "plain")
        if make is not fifo_modules:
            path = make(self.program)
        images = ["plain"] + ([path] if make is not fifo_modules and path else [])
        text = "".join(f"image {os.getcwd()}/{image} TIMER\n0x{self.hot():x} 3\n"
                       for image in images)
        text += ("image /usr/bin/node {anon:anon}/77.0x7f0000000000.0x7f1000000000 TIMER\n"
                 "0x100 1\n")
        subprocess.run([f"{self.build}/tests/commands/make_session", "."], input=text, text=True,
                       check=True)
        if make is fifo_modules:
            make(None)
        self.own(*images, *(f"jit/{file}" for file in os.listdir("jit")))
        with open("said", "w+", encoding="utf-8", errors="replace") as out:
            watch = Watch([f"{self.build}/pp/opreport", "--session-dir=.", "--jit-dir=jit",
                           *options], out)
            self.result(name, watch, watch.end(SECONDS_MOST))
            out.seek(0)
            found = out.read()
        if "storm_spin" not in found:
            self.wrong(f"{name}: it costs the names of another file\n{found[-2000:]}")
        if said and not re.search(said, found):
            self.wrong(f"{name}: nothing is said of it\n{found[-2000:]}")

    def hot(self):
        """The offset of a function that has samples."""
        names = subprocess.run(["nm", self.program], capture_output=True, text=True, check=True)
        address = int(re.search(r"^(\w+) t storm_spin", names.stdout, re.M)[1], 16)
        return address

    def daemon(self):
        """The program with 65,000 sections of notes runs while the daemon looks."""
        path = notes(self.program)
        shutil.copy(self.program, "plain")
        self.own(path, "plain")
        with open("said", "w+", encoding="utf-8", errors="replace") as out:
            watch = Watch([f"{self.build}/daemon/oprofiled", "--perf", "--foreground",
                           "--freq=200", "--session-dir=."], out)
            end = time.monotonic() + SECONDS_MOST
            while b"is ready" not in open("said", "rb").read() and time.monotonic() < end:
                time.sleep(0.05)
            for program in path, "plain":
                subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                f"./{program}", "threads", "32", "30"], check=False,
                               stdout=subprocess.DEVNULL)
            begin = time.monotonic()
            watch.process.terminate()
            status = watch.end(SECONDS_MOST)
            self.result("daemon: sections of notes", watch, status)
            print(f"{'its end':32} {'':10} {time.monotonic() - begin:6.1f} s")
        shown = subprocess.run([f"{self.build}/pp/opreport", "--session-dir=.", "-l"],
                               capture_output=True, text=True, check=False)
        for program in path, "plain":
            if not re.search(rf"\b{program}\b", shown.stdout):
                self.wrong(f"no samples of {program}")


def main():
    if os.geteuid():
        print("skip: not root")
        return 77
    test = Test(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="hostile-caps-") as top:
        os.chmod(top, 0o755)
        os.environ.update(HOME=top, OPROFILE_SYMBOLS=f"{top}/symbols", LC_ALL="C")
        for number, case in enumerate(CASES):
            os.mkdir(f"{top}/{number}")
            os.chdir(f"{top}/{number}")
            test.report(*case)
            shutil.rmtree(f"{top}/{number}", ignore_errors=True)
        os.mkdir(f"{top}/daemon")
        os.chdir(f"{top}/daemon")
        test.daemon()
        os.chdir("/")
    return test.failures != 0


sys.exit(main())
