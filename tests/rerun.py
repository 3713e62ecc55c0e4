#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs what failed once more, alone, and notes what passes then as "flaky" in the tally (see
tally.sh): it counts as passed, and stands in the table with the reason of its first failure.

	rerun.py TALLY BUILD

Each test is run again at most once, and at most ten commands in all: more failures are no
accident.  A kernel's log with a complaint, and a suite that could not be run, are not tried again.

Exit codes: 0 done, whatever came of it, 2 the file is no tally."""

import os
import re
import subprocess
import sys

import table

TESTS = os.path.dirname(os.path.abspath(__file__))
MOST = 10
NEVER = ("kernel-log", "the ")  # beginnings of names that are no test's


def command_of(suite, kernel, test, build):
    """The command that runs a test alone, or None."""
    if suite == "unit":
        return [f"{TESTS}/unit.py", build, os.devnull, "again", test]
    if suite == "guest":
        # as run.sh notes it: the case, number of CPUs, and counters
        guest = re.fullmatch(r"(\S+) smp(\w+)(?:-boot\d+)?(?: (\S+))?", test)
        if guest:
            case, smp, pmu = guest.groups()
            return [f"{TESTS}/vm/run.sh", "-k", kernel, "-s", smp, "-p", pmu or "none", case]
    if suite == "kunit":
        return [f"{TESTS}/kunit/guest.sh", "-k", kernel]
    return None


def failures(rows, build):
    """{command: [(kernel, suite, test, reason)]}: one run may be for several tests."""
    found = {}
    for (kernel, suite), row in rows.items():
        for test, reason in row.reasons["fail"]:
            command = None if test.startswith(NEVER) else command_of(suite, kernel, test, build)
            if command:
                found.setdefault(tuple(command), []).append((kernel, suite, test, reason))
    return found


def main():
    tally, build = sys.argv[1:]
    try:
        again = failures(table.read_tally(tally), build)
    except (OSError, ValueError) as error:
        print(f"rerun: error: {error}", file=sys.stderr)
        return 2
    if len(again) > MOST:
        print(f"rerun: {len(again)} failures, more than {MOST}: none is run again")
        return 0
    for command, tests in again.items():
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        for kernel, suite, test, reason in tests:
            word = "failed" if done.returncode else "passed: flaky"
            print(f"again   {kernel:14} {test}: {word}")
            if not done.returncode:
                with open(tally, "a", encoding="utf-8") as notes:
                    print("flaky", kernel, suite, test, reason, sep="\t", file=notes)
        if done.returncode:
            print(done.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
