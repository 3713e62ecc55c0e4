# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a process ends, judged by what it does, not by how long it takes on a busy host.

A process and its descendants hang if they compute for longer than what they do can take, or if all
of them sleep and nobody runs: what is ready to run but has no CPU, or waits for a disk, does not
hang.  Beyond WALL_LIMIT the verdict is the same for one that wakes up every now and then.
"""

import os
import time

COMPUTING_LIMIT = 30  # seconds of CPU time, of all processes together
SLEEPING_LIMIT = 20  # seconds in which all sleep
WALL_LIMIT = 900
LOOK_EVERY = 0.02


class Hangs(Exception):
    """A process does not end; the text says how."""


def lines_of(path):
    """Returns the text of a file of /proc, "" if its process has ended."""
    try:
        with open(path, encoding="ascii", errors="replace") as text:
            return text.read()
    except OSError:
        return ""


def family(pid):
    """Returns a process and its descendants."""
    pids = [pid]
    for one in pids:
        for thread in threads(one):
            pids += map(int, lines_of(f"/proc/{one}/task/{thread}/children").split())
    return pids


def threads(pid):
    """Returns the threads of a process."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def look(pid):
    """Returns seconds computed, of processes that live, and whether any of their threads is not
    asleep."""
    computed, awake = 0, False
    for one in family(pid):
        for thread in threads(one):
            place = f"/proc/{one}/task/{thread}"
            computed += int((lines_of(f"{place}/schedstat").split() or [0])[0]) / 1e9
            state = lines_of(f"{place}/stat").rpartition(") ")[2][:1]
            awake |= state not in ("S", "Z", "X", "")
    return computed, awake


class Patience:
    """How much longer is waited for a process."""

    def __init__(self, pid, sleeping=SLEEPING_LIMIT):
        self.pid, self.sleeping = pid, sleeping
        self.begun = self.looked = time.monotonic()
        self.first = self.computed = look(pid)[0]
        self.slept = 0

    def look(self):
        """Takes note of what the processes do.  Raises Hangs if that is nothing."""
        now = time.monotonic()
        computed, awake = look(self.pid)
        if awake or computed != self.computed:
            self.slept = 0
        else:
            # one that looks rarely, because it had no CPU itself, has seen no more than a moment
            self.slept += min(now - self.looked, 10 * LOOK_EVERY)
        self.looked, self.computed = now, computed
        if self.slept > self.sleeping:
            raise Hangs(f"sleeps for {self.slept:.0f} s")
        if computed - self.first > COMPUTING_LIMIT:
            raise Hangs(f"computes for {computed - self.first:.0f} s")
        if now - self.begun > WALL_LIMIT:
            raise Hangs(f"has not ended in {now - self.begun:.0f} s")


def wait(process):
    """Waits until a subprocess.Popen has ended; returns its status.  Raises Hangs."""
    patience = Patience(process.pid)
    while process.poll() is None:
        patience.look()
        time.sleep(LOOK_EVERY)
    return process.returncode
