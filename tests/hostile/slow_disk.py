#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A daemon whose main thread waits, as for the journal of a file system, loses no sample meanwhile.

    slow_disk.py OPROFILED CHURN

It is stopped by ptrace(2), which stops this one thread, while new programs fill the kernel's rings
more than twice.
"""

import ctypes
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

OPROFILED, CHURN = sys.argv[1:3]
SCRATCH = tempfile.mkdtemp(prefix="slow.")
SESSION = f"{SCRATCH}/session"
PROGRAMS = 8000  # their records fill the rings, of 512 KiB, more than twice
LIMIT = 60  # seconds, for what takes none
SKIP = 77
PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000
LIBRARY = ctypes.CDLL(None, use_errno=True)


def ptrace(request, pid):
    """Calls ptrace(2)."""
    if LIBRARY.ptrace(ctypes.c_long(request), ctypes.c_long(pid), ctypes.c_void_p(),
                      ctypes.c_void_p()):
        raise OSError(ctypes.get_errno(), "ptrace")


def status():
    """Returns what the daemon says of itself."""
    text = b""
    with socket.socket(socket.AF_UNIX) as control:
        control.settimeout(LIMIT)
        control.connect(f"{SESSION}/control")
        control.sendall(b"status\n")
        while not re.search(rb"^(ok|error.*)$", text, re.M):
            part = control.recv(4096)
            if not part:
                break
            text += part
    return dict(line.split(" ", 1) for line in text.decode().splitlines() if " " in line)


def wait_until_it_answers():
    """Waits for the daemon."""
    end = time.monotonic() + LIMIT
    while True:
        try:
            return status()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def run_programs():
    """Runs new programs, as fast as they can be."""
    folder = tempfile.mkdtemp(dir=SCRATCH)
    subprocess.run([CHURN, folder, str(PROGRAMS), "100000", "10", "0.2"], check=True,
                   stdout=subprocess.DEVNULL)


def check(daemon):
    """Returns whether nothing is lost while the daemon's first thread is stopped."""
    before = wait_until_it_answers()
    try:
        ptrace(PTRACE_SEIZE, daemon.pid)
    except OSError as error:
        print(f"skip: {error}")
        return SKIP
    ptrace(PTRACE_INTERRUPT, daemon.pid)
    os.waitpid(daemon.pid, WALL)
    run_programs()
    ptrace(PTRACE_DETACH, daemon.pid)
    after = wait_until_it_answers()
    print(f"received {before['received']}, then {after['received']}; "
          f"lost in rings {before['lost-by-source']}, then {after['lost-by-source']}")
    return 0 if after["lost-by-source"] == before["lost-by-source"] else 1


def main():
    """Starts a daemon and ends it."""
    if os.geteuid():
        print("skip: the whole system is root's to profile")
        return SKIP
    environment = dict(os.environ, OPROFILE_SYMBOLS=f"{SCRATCH}/symbols")
    daemon = subprocess.Popen([OPROFILED, "--perf", "--foreground", "--no-pack",
                               "--events=cpu-clock:0:0:1000000:0:1:1",
                               f"--session-dir={SESSION}"], env=environment,
                              stderr=subprocess.DEVNULL)
    try:
        return check(daemon)
    finally:
        daemon.terminate()
        daemon.wait()


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
