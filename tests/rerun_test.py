#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""unit.py and rerun.py on a project whose tests fail once, fail always, and more often than is an
accident."""

import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

# Fails the first time that it is run, with a reason.
ONCE = '[ -e "$0.ran" ] || { touch "$0.ran"; echo "a reason"; exit 1; }'
ALWAYS = 'echo "another reason" >&2; exit 1'
BUSY = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done"


def run(script, *arguments):
    return subprocess.run([os.path.join(HERE, script), *arguments], capture_output=True, text=True,
                          check=False)


class Rerun(unittest.TestCase):
    def table(self, tests, noted=""):
        """Returns what is printed of a project with these tests, {name: shell commands}, and of
        what else was noted."""
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/meson.build", "w", encoding="utf-8") as build:
                print("project('scratch')", file=build)
                for name in tests:
                    print(f"test('{name}', find_program('{name}.sh'), suite: 'it')", file=build)
            for name, commands in tests.items():
                with open(f"{folder}/{name}.sh", "w", encoding="utf-8") as script:
                    print(f"#!/bin/sh\n{commands}", file=script)
                os.chmod(f"{folder}/{name}.sh", 0o755)
            subprocess.run(["meson", "setup", f"{folder}/build", folder], check=True,
                           stdout=subprocess.DEVNULL)
            tally = f"{folder}/tally"
            run("unit.py", f"{folder}/build", tally, "testlog")
            with open(tally, "a", encoding="utf-8") as notes:
                notes.write(noted)
            again = run("rerun.py", tally, f"{folder}/build")
            self.assertEqual(again.returncode, 0, again.stderr)
            return run("table.py", "--slowest=9", tally).stdout

    def test_passes_the_second_time(self):
        said = self.table({"good": BUSY, "once": ONCE})
        self.assertIn("flaky:\n  unit: once (host): FAIL: a reason\n", said)
        self.assertTrue(said.endswith("\n2 passed, 0 failed\n"), said)
        # CPU time, and time
        self.assertRegex(said, r"\n +([1-9]|0\.0*[1-9])\S* +\d\S+  unit: good \(host\)\n")
        self.assertRegex(said, r"\n +\d\S* +\d\S+  unit: once \(host\)\n")

    def test_fails_twice(self):
        said = self.table({"good": "true", "always": ALWAYS})
        self.assertIn("failed:\n  unit: always (host): FAIL: another reason\n", said)
        self.assertTrue(said.endswith("\n1 passed, 1 failed\n"), said)

    def test_too_many_failures_are_no_accident(self):
        said = self.table({f"once{number}": ONCE for number in range(11)})
        self.assertTrue(said.endswith("\n0 passed, 11 failed\n"), said)

    def test_what_has_no_command_stays_failed(self):
        with tempfile.NamedTemporaryFile("w") as tally:
            tally.write("ran\t6.1\tguest\t1\t1\t0\nfail\t6.1\tguest\tkernel-log smp2\tBUG: x\n")
            tally.flush()
            self.assertEqual(run("rerun.py", tally.name, "/nonexistent").returncode, 0)
            self.assertTrue(run("table.py", tally.name).stdout.endswith("1 passed, 1 failed\n"))

    def test_a_test_that_does_not_exist_does_not_pass(self):
        said = self.table({"good": "true"}, "ran\thost\tunit\t0\t1\t0\n"
                          "fail\thost\tunit\tnone\tFAIL: x\n")
        self.assertTrue(said.endswith("\n1 passed, 1 failed\n"), said)


if __name__ == "__main__":
    unittest.main()
