#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: oppush as the user of a service, in an address space as small as its unit's memory, sends
# covers: a session with files of a user that are made to take memory, each alone or all together,
# covers: and with the programs of two others: it is sent, with the names of those, all processes
# covers: take no more than that memory, and files of users are read by processes apart, which have
# covers: no rights, a bound of memory and a filter of system calls
#
#	pushed.py BUILD

import gzip
import http.server
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

BUILD = os.path.realpath(sys.argv[1])
SOURCE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "unit", "pp", "prog.s")
SERVICE, HOSTILE, OTHERS = 54399, 65534, (54401, 54402)
MEMORY = 1 << 30  # as MemoryMax= of the unit
# Symbols of the files, and how many of them there are: what is too much for one, and what is not,
# of which all take too much together.
HOSTILE_FILES = {"large": (1_200_000, 8), "all": (250_000, 10)}
NAME = "20231114T221320Z-20231114T222320Z"
failures = 0


def check(what, good, said=""):
    global failures
    failures += not good
    print("ok     " if good else "NOT OK ", what, "" if good else f": {said}", flush=True)


def make_program(path):
    subprocess.run(["gcc", "-nostdlib", "-static", "-Wl,-Ttext=0x401000", "-o", path, SOURCE],
                   check=True)


def swell(source, path, n):
    """A copy of a program with far more symbols than code."""
    with open(source, "rb") as file:
        elf = bytearray(file.read())
    elf += bytes(-len(elf) % 8)
    names = b"\0" + b"".join(b"hostile_%08d\0" % i for i in range(1000))
    symbols = len(elf)
    elf += bytes(24)
    one = struct.Struct("<IBBHQQ")
    elf += b"".join(one.pack(1 + 17 * (i % 1000), 0x12, 0, 1, 0x401000 + 16 * i, 16)
                    for i in range(n))
    strings = len(elf)
    elf += names
    sections = len(elf) + -len(elf) % 8
    elf += bytes(-len(elf) % 8)
    end = 16 * n + 0x2000
    for kind, flags, address, place, size, link, info, entry in (
            (0, 0, 0, 0, 0, 0, 0, 0), (1, 6, 0x401000, 0x1000, end, 0, 0, 0),
            (2, 0, 0, symbols, strings - symbols, 3, 1, 24),
            (3, 0, 0, strings, len(names), 0, 0, 0), (3, 0, 0, strings, len(names), 0, 0, 0)):
        elf += struct.pack("<IIQQQQIIQQ", 0, kind, flags, address, place, size, link, info, 8, entry)
    struct.pack_into("<Q", elf, 40, sections)
    struct.pack_into("<HHH", elf, 58, 64, 5, 4)
    with open(path, "wb") as file:
        file.write(elf)


def own(path, user):
    os.chmod(path, 0o755)
    os.chown(path, user, user)


def make_session(top):
    """Closed, and for the service to read."""
    lines = []
    make_program("prog")
    names = ["other0", "other1"]
    for name, (symbols, n) in HOSTILE_FILES.items():
        swell("prog", name, symbols)
        own(name, HOSTILE)
        for i in range(n):
            os.link(name, f"{name}{i}")
        names += [f"{name}{i}" for i in range(n)]
    for i, user in enumerate(OTHERS):
        # each has functions of a name of its own
        subprocess.run(["objcopy", "--redefine-sym", f"hot=hot_of_{user}", "prog", f"other{i}"],
                       check=True)
        own(f"other{i}", user)
    for name in names:
        lines.append(f"image {top}/{name} TIMER\n0x1010 600, 0x102f 200, 0x1030 90")
    subprocess.run([f"{BUILD}/tests/commands/make_session", f"--name={NAME}", "session"],
                   input="\n".join(lines), text=True, check=True)
    subprocess.run(["chmod", "-R", "a+rX", "session"], check=True)


class Sink(http.server.BaseHTTPRequestHandler):
    got = []

    def do_POST(self):
        Sink.got.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def look_at(session, seen):
    """Notes what processes of a session with a filter of system calls may do.  Return: bytes of
    memory of all processes, shared ones more than once."""
    memory = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
            if int(fields[3]) != session:
                continue
            with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as status:
                lines = {key: rest.strip() for key, _, rest in
                         (line.partition(":") for line in status)}
            with open(f"/proc/{process}/limits", encoding="ascii") as limits:
                space = next(line for line in limits if line.startswith("Max address space"))
        except (OSError, StopIteration):
            continue
        memory += int(fields[21]) * os.sysconf("SC_PAGESIZE")
        if lines["Seccomp"] == "2":
            seen.add((int(space.split()[3]), lines["NoNewPrivs"], lines["CapPrm"].strip("0"),
                      lines["Uid"].split()[0]))
    return memory


def push(port, top):
    """oppush once.  Return: its status, what it said, what processes apart may do, and the most
    memory of all processes."""
    environment = dict(os.environ, PATH=f"{BUILD}/pp:{os.environ['PATH']}", LC_ALL="C",
                       HOME=f"{top}/home", XDG_CACHE_HOME=f"{top}/home/cache",
                       OPROFILE_SYMBOLS=f"{top}/home/symbols")
    command = ["prlimit", f"--as={MEMORY}", "setpriv", f"--reuid={SERVICE}", f"--regid={SERVICE}",
               "--clear-groups", "--no-new-privs", f"{BUILD}/utils/oppush/oppush", "--once",
               f"--to=pprof+http://127.0.0.1:{port}/sink", f"--session-dir={top}/session",
               f"--spool={top}/home/spool"]
    with open("said", "w", encoding="utf-8") as said, \
            subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=said,
                             stderr=said, start_new_session=True) as process:
        seen, most = set(), 0
        until = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < until:
            most = max(most, look_at(process.pid, seen))
            time.sleep(0.01)
        if process.poll() is None:
            process.kill()
        status = process.wait()
    with open("said", encoding="utf-8") as file:
        return status, file.read(), seen, most


def main():
    if os.geteuid():
        print("skip: not root")
        sys.exit(77)
    top = tempfile.mkdtemp()
    try:
        os.chmod(top, 0o755)
        os.chdir(top)
        make_session(top)
        os.mkdir("home")
        os.chown("home", SERVICE, SERVICE)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            status, said, seen, most = push(server.server_address[1], top)
            server.shutdown()
        log = subprocess.run("cat home/spool/*/opexport.log", shell=True, text=True,
                             capture_output=True, check=False).stdout
        check("oppush ends well", status == 0, f"{status}: {said} {log}")
        check("the session is sent, once", len(Sink.got) == 1, f"{len(Sink.got)}: {said} {log}")
        sent = gzip.decompress(Sink.got[0]) if Sink.got else b""
        for user in OTHERS:
            check(f"with the names of user {user}", f"hot_of_{user}".encode() in sent, log)
        check("files of users are read apart", seen, "no process with a filter was seen")
        for space, *rights in seen:
            check("by processes with less memory", space <= MEMORY // 2, space)
            check("and without rights", rights == ["1", "", str(SERVICE)], rights)
        check("all of them have no more memory than the unit", most <= MEMORY, f"{most >> 20} MiB")
        print(f"{most >> 20} MiB")
    finally:
        os.chdir("/")
        shutil.rmtree(top)
    sys.exit(1 if failures else 0)


main()
