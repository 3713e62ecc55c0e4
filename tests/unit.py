#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs Meson's tests, prints those that are not fine, and notes all in a tally (see tally.sh), as
the suite "unit".

	unit.py BUILD TALLY LOG [MESON-OPTION...]

	LOG		name of the log in BUILD/meson-logs, to which Meson appends the wrapper's
	MESON-OPTION	for `meson test`: a test's name, or --suite measured, for example

Exit codes: 0 all passed or were skipped, 1 something failed or nothing passed."""

import json
import os
import re
import shlex
import subprocess
import sys

CPU_TIME = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cpu_time.sh")
PASSED = ("OK", "EXPECTEDFAIL")


def run_tests(build, log, options):
    """Runs them, and returns where Meson's log is, without suffix, and what it has of each."""
    path = os.path.join(build, "meson-logs", f"{log}-{os.path.basename(CPU_TIME)}")
    if os.path.exists(f"{path}.json"):
        os.unlink(f"{path}.json")
    # a python3 that is a script (pyenv's) takes ten times as long to start as the one it finds
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    with open(f"{path}.out", "w", encoding="utf-8") as output:
        subprocess.run(["meson", "test", "-C", build, "--no-rebuild", "--timeout-multiplier", "10",
                        "--quiet", "--logbase", log, "--wrapper", shlex.quote(CPU_TIME), *options],
                       stdout=output, stderr=output, check=False)
    if not os.path.exists(f"{path}.json"):
        return path, []
    with open(f"{path}.json", encoding="utf-8", errors="replace") as lines:
        return path, [json.loads(line) for line in lines]


def cpu_split(stderr):
    """Returns what a test wrote to stderr, and its seconds of CPU time, None where it was ended
    before cpu_time.sh could say so."""
    said, _, times = stderr.rpartition("cpu: ")
    if not re.fullmatch(r"[0-9.,]+ [0-9.,]+\n", times):
        return stderr, None
    return said, sum(map(float, times.replace(",", ".").split()))


def main():
    build, tally, log, *options = sys.argv[1:]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    path, tests = run_tests(build, log, options)
    with open(tally, "a", encoding="utf-8") as notes:
        def note(*fields):
            print(*(" ".join(str(field).split()) for field in fields), sep="\t", file=notes)

        for test in tests:
            # "project:suite / name", of which `meson test` takes the name
            name, result = test["name"].rpartition(" / ")[2], test["result"]
            stderr, cpu = cpu_split(test.get("stderr", ""))
            said = (test.get("stdout", "") + stderr).strip()
            last = said.rpartition("\n")[2]
            note("took", "host", "unit", name, f"{test['duration']:.1f}",
                 *([] if cpu is None else [f"{cpu:.1f}"]))
            if result in PASSED:
                counts["passed"] += 1
            elif result == "SKIP":
                counts["skipped"] += 1
                reason = last or "no reason given"
                print(f"skip    host           {name}: {reason}")
                note("skip", "host", "unit", name, reason)
            else:
                counts["failed"] += 1
                print(f"NOT OK  host           {name} {result}\n{said}")
                note("fail", "host", "unit", name, f"{result}: {last}")
        note("ran", "host", "unit", *counts.values())
    print(f"ok      host           {counts['passed']} unit tests")
    print(f"logs:   {path}.txt")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
