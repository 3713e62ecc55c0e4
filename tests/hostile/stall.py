#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk that stalls holds up the reply to a dump, and nothing else.

    stall.py OPROFILED LIBRARY CHURN
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

OPROFILED, LIBRARY, CHURN = sys.argv[1:4]
SCRATCH = tempfile.mkdtemp(prefix="stall.")
SESSION, STALL = f"{SCRATCH}/session", f"{SCRATCH}/stall"
LIMIT = 30  # seconds, for what takes none
SKIP = 77


def send(command):
    """Sends a command to the daemon; returns the connection."""
    control = socket.socket(socket.AF_UNIX)
    control.settimeout(LIMIT)
    control.connect(f"{SESSION}/control")
    control.sendall(f"{command}\n".encode())
    return control


def reply(control):
    """Waits for the reply."""
    text = b""
    while part := control.recv(4096):
        text += part
    return text.decode()


def is_answered(control):
    """Returns whether there is a reply already."""
    control.setblocking(False)
    try:
        control.recv(1, socket.MSG_PEEK)
        return True
    except BlockingIOError:
        return False
    finally:
        control.settimeout(LIMIT)


def received():
    """Returns how many samples the daemon has received, which it says at once."""
    return int(re.search(r"^received (\d+)$", reply(send("status")), re.M)[1])


def until(condition, what):
    """Waits for a condition."""
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def calls():
    """Returns how often the disk was asked to write."""
    return os.path.getsize(f"{STALL}.calls") if os.path.exists(f"{STALL}.calls") else 0


def start():
    """Starts a daemon; it is ready when this returns."""
    environment = dict(os.environ, LD_PRELOAD=LIBRARY, OP_STALL=STALL,
                       OPROFILE_SYMBOLS=f"{SCRATCH}/symbols")
    with open(f"{SCRATCH}/said", "w", encoding="utf-8") as said:
        daemon = subprocess.Popen([OPROFILED, "--perf", "--foreground", "--no-vmlinux",
                                   f"--session-dir={SESSION}",
                                   "--events=cpu-clock:0:0:1000000:0:1:1"],
                                  env=environment, stdout=said, stderr=said)
    until(lambda: os.path.exists(f"{SESSION}/control") or daemon.poll() is not None, "no daemon")
    if daemon.poll() is not None:
        print("skip:", said_by_daemon())
        sys.exit(SKIP)
    return daemon


def said_by_daemon():
    """Returns what the daemon wrote to its log."""
    with open(f"{SCRATCH}/said", encoding="utf-8") as said:
        return said.read()


def stall():
    """Lets the disk stall."""
    with open(STALL, "w", encoding="utf-8"):
        pass


def check_dumps():
    """While the disk stalls, samples are counted; dumps are answered when it has written."""
    stall()
    first = send("dump")
    until(lambda: calls() == 1, "no sync")
    before = received()
    later = [send("dump"), send("dump")]
    subprocess.run([CHURN, "spin", "300"], check=True)
    until(lambda: received() > before, "nothing is counted while the disk stalls")
    assert not is_answered(first) and not any(map(is_answered, later)), "too early"
    assert calls() == 1, f"{calls()} syncs at once"
    gone = send("dump")
    gone.close()
    os.unlink(STALL)
    assert reply(first).endswith("ok\n")
    assert all(reply(control).endswith("ok\n") for control in later)
    # what came after the first began needs another one, and all of that one suffices
    assert calls() == 2, f"{calls()} syncs"


def check_end(daemon):
    """The daemon does not wait for ever to end, and says so."""
    stall()
    last = send("dump")
    until(lambda: calls() == 3, "no sync")
    daemon.terminate()
    assert daemon.wait(LIMIT) == 0
    assert reply(last).startswith("error "), "acknowledged"
    assert "the disk has not written" in said_by_daemon(), said_by_daemon()


def main():
    """Runs the test."""
    daemon = start()
    try:
        check_dumps()
        check_end(daemon)
    finally:
        if daemon.poll() is None:
            daemon.kill()
            daemon.wait()


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
