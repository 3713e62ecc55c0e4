#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""table.py on tallies that are right, lack something, or are none; and what tally.sh writes."""

import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

# tally, lines that must be there, the last line, exit code
CASES = {
    "all passed": ("ran 6.1 guest 3 0 0\nran 6.1 guest 2 0 0\n",
                   ["6.1     guest       5       0        0      0"], "5 passed, 0 failed", 0),
    "a flaky test has passed": ("ran 6.1 guest 2 1 0\nfail 6.1 guest split~smp2 too~few\n"
                                "flaky 6.1 guest split~smp2 too~few\n",
                                ["6.1     guest       3       0        0      1", "flaky:",
                                 "  guest: split smp2 (6.1): too few"], "3 passed, 0 failed", 0),
    "one of two failures is flaky": ("ran host unit 2 2 0\nfail host unit a why\n"
                                     "fail host unit b why\nflaky host unit b why\n",
                                     ["  unit: a (host): why", "  unit: b (host): why"],
                                     "3 passed, 1 failed", 1),
    "flaky without a failure": ("ran host unit 2 0 0\nflaky host unit a why\n", [], "", 2),
    "skips have reasons": ("ran 6.1 guest 3 0 1\nskip 6.1 guest stat no~PMU\n"
                           "ran 7.2 guest 4 0 1\nskip 7.2 guest stat no~PMU\n",
                           ["  guest: stat (6.1, 7.2): no PMU"], "7 passed, 0 failed, 2 skipped",
                           0),
    "failures are named": ("ran host unit 9 1 0\nfail host unit odb wrong~sum\n",
                           ["failed:", "  unit: odb (host): wrong sum"], "9 passed, 1 failed", 1),
    "a skip without a reason": ("ran 6.1 guest 3 0 1\n",
                                ["  guest: the tally (6.1): 1 tests counted as skip, but 0 named"],
                                "3 passed, 1 failed, 1 skipped", 1),
    "a failure without a name": ("ran 6.1 guest 3 1 0\n",
                                 ["  guest: the tally (6.1): 1 tests counted as fail, but 0 named"],
                                 "3 passed, 2 failed", 1),
    "a reason without a count": ("ran 6.1 guest 3 0 0\nskip 6.1 guest stat why\n",
                                 ["  guest: the tally (6.1): 0 tests counted as skip, but 1 named"],
                                 "3 passed, 1 failed", 1),
    "nothing at all": ("", [], "0 passed, 0 failed", 1),
    "only skips": ("ran 6.1 guest 0 0 1\nskip 6.1 guest stat why\n", [],
                   "0 passed, 0 failed, 1 skipped", 1),
    "no tally": ("passed everything\n", [], "", 2),
    "no number": ("ran 6.1 guest -3 0 0\n", [], "", 2),
    "too few numbers": ("ran 6.1 guest 3 0\n", [], "", 2),
}


def table(path, *options):
    return subprocess.run([os.path.join(HERE, "table.py"), path, *options], capture_output=True,
                          text=True, check=False)


class Table(unittest.TestCase):
    def test_cases(self):
        for name, (tally, lines, last, status) in CASES.items():
            with self.subTest(name), tempfile.NamedTemporaryFile("w") as file:
                file.write(tally.replace(" ", "\t").replace("~", " "))
                file.flush()
                done = table(file.name)
                said = done.stdout.splitlines()
                self.assertEqual(done.returncode, status)
                self.assertEqual(said[-1] if said else "", last)
                for line in lines:
                    self.assertIn(line, said)

    def test_slowest_by_cpu_time(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("ran\thost\tunit\t4\t0\t0\n" + "".join(
                f"took\thost\tunit\t{times}\n".replace(" ", "\t")
                for times in ("a 0.5", "waits 99.0 0.1", "works 12.0 34.5", "unknown 3.1")))
            file.flush()
            done = table(file.name, "--slowest=2")
            self.assertIn("slowest:  CPU s    time s\n"
                          "           34.5      12.0  unit: works (host)\n"
                          "                      3.1  unit: unknown (host)\n\n", done.stdout)

    def test_no_file(self):
        self.assertEqual(table("/nonexistent").returncode, 2)

    def test_what_scripts_note(self):
        """Tabs and newlines in reasons do no harm, and a suite without counts has failed."""
        script = """
            . "$0/tally.sh"
            tally_ran "$1" 6.1 guest 1 0 1
            tally_skip "$1" 6.1 guest $'a\\tb' $'two\\nlines'
            tally_expect "$1" 6.1 guest "not this"
            tally_expect "$1" 7.2 guest "status 2" >/dev/null"""
        with tempfile.NamedTemporaryFile("r") as file:
            subprocess.run(["bash", "-euc", script, HERE, file.name], check=True)
            done = table(file.name)
            self.assertEqual(done.returncode, 1)
            self.assertIn("  guest: the suite (7.2): status 2", done.stdout)
            self.assertIn("  guest: a b (6.1): two lines", done.stdout)
            self.assertNotIn("not this", done.stdout)
            self.assertTrue(done.stdout.endswith("\n1 passed, 1 failed, 1 skipped\n"))


if __name__ == "__main__":
    unittest.main()
