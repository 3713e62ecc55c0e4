#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What hangs is told from what is slow (ending.py)."""

import os
import signal
import subprocess
import sys
import time
import unittest

import ending

SPIN = [sys.executable, "-c", "import time\nwhile time.process_time() < {}: pass"]


def spin(seconds):
    """Returns a command that computes for so long."""
    return SPIN[:2] + [SPIN[2].format(seconds)]


class Ending(unittest.TestCase):
    """One case for each way to hang, and for each that only looks like it."""

    def setUp(self):
        self.processes = []
        ending.SLEEPING_LIMIT, ending.COMPUTING_LIMIT, ending.WALL_LIMIT = 1, 30, 900

    def tearDown(self):
        for process in self.processes:
            process.kill()
            process.wait()

    def start(self, command, **options):
        """Starts a process, which the test ends."""
        self.processes.append(subprocess.Popen(command, **options))
        return self.processes[-1]

    def patience(self, process):
        """Returns the patience with a process, with the limit of this test."""
        return ending.Patience(process.pid, ending.SLEEPING_LIMIT)

    def until_hangs(self, process):
        """Returns the verdict; an hour would do as well, if there were none."""
        patience = self.patience(process)
        while process.poll() is None:
            try:
                patience.look()
            except ending.Hangs as verdict:
                return str(verdict)
            time.sleep(ending.LOOK_EVERY)
        return f"ended: {process.returncode}"

    def test_one_that_ends_is_waited_for(self):
        self.assertEqual(ending.wait(self.start(["sh", "-c", "exit 3"])), 3)

    def test_one_that_sleeps_hangs(self):
        self.assertRegex(self.until_hangs(self.start(["sleep", "600"])), "sleeps")

    def test_one_whose_child_computes_does_not_hang(self):
        process = self.start(["sh", "-c", '"$@"; exit 4', "-", *spin(2)])
        self.assertEqual(self.until_hangs(process), "ended: 4")

    def test_one_that_computes_too_long_hangs(self):
        ending.COMPUTING_LIMIT = 0.5
        self.assertRegex(self.until_hangs(self.start(spin(60))), "computes")

    def test_one_that_wakes_up_hangs_at_last(self):
        ending.WALL_LIMIT = 2
        process = self.start(["sh", "-c", "while sleep 0.05; do :; done"])
        self.assertRegex(self.until_hangs(process), "has not ended")

    def test_one_that_has_no_cpu_does_not_hang(self):
        cpu = {min(os.sched_getaffinity(0))}
        starving = self.start(spin(60))
        for process in [starving] + [self.start(spin(600)) for _ in range(8)]:
            os.sched_setaffinity(process.pid, cpu)
        os.sched_setscheduler(starving.pid, os.SCHED_IDLE, os.sched_param(0))
        patience = self.patience(starving)
        end = time.monotonic() + 3  # of the time in which a sleeping one hangs
        while time.monotonic() < end:
            patience.look()
            time.sleep(ending.LOOK_EVERY)

    def test_one_that_was_stopped_is_not_taken_to_sleep(self):
        process = self.start(["sleep", "600"])
        process.send_signal(signal.SIGSTOP)
        while ending.lines_of(f"/proc/{process.pid}/stat").rpartition(") ")[2][:1] != "T":
            time.sleep(ending.LOOK_EVERY)
        patience = self.patience(process)
        end = time.monotonic() + 2
        while time.monotonic() < end:
            patience.look()
            time.sleep(ending.LOOK_EVERY)


if __name__ == "__main__":
    unittest.main()
