#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/kunit/results.py is not fooled by a run of KUnit that lacks something."""

import copy
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = os.path.join(os.path.dirname(__file__), "..", "kunit", "results.py")

SOURCE = """
TEST_SUITE(oprofile_a, NULL, a_exit,
	   KUNIT_CASE(one),
	   KUNIT_CASE_PARAM(two, row_gen_params));
"""


def group(name, cases, groups=()):
    return {"name": name, "sub_groups": list(groups),
            "test_cases": [{"name": case, "status": status} for case, status in cases]}


GOOD = group("", [], [group("oprofile_a", [("one", "PASS")], [group("two", [("row", "PASS")])])])


def changed(change):
    run = copy.deepcopy(GOOD)
    change(run, run["sub_groups"][0])
    return run


# what, the run, further arguments, exit code, counts in the tally (None: no tally is written)
CASES = [
    ("all is well", GOOD, [], 0, (2, 0, 0)),
    ("skipped", changed(lambda run, suite: suite["test_cases"][0].update(status="SKIP")),
     [], 0, (1, 0, 1)),
    ("failed", changed(lambda run, suite: suite["test_cases"][0].update(status="FAIL")),
     [], 1, (1, 1, 0)),
    ("crashed", changed(lambda run, suite: suite["test_cases"][0].update(status="ERROR")),
     [], 1, (1, 1, 0)),
    ("one row of a table failed",
     changed(lambda run, suite: suite["sub_groups"][0]["test_cases"].append(
         {"name": "other", "status": "FAIL"})), [], 1, (1, 1, 0)),
    ("a table without rows", changed(lambda run, suite: suite["sub_groups"].__setitem__(
        0, group("two", []))), [], 1, (1, 1, 0)),
    ("a case is missing", changed(lambda run, suite: suite["test_cases"].clear()),
     [], 1, (1, 1, 0)),
    ("a case ran twice", changed(lambda run, suite: suite["test_cases"].append(
        {"name": "one", "status": "PASS"})), [], 1, (3, 1, 0)),
    ("a case of no source", changed(lambda run, suite: suite["test_cases"].append(
        {"name": "three", "status": "PASS"})), [], 1, (3, 1, 0)),
    ("the suite is missing", group("", []), [], 1, (0, 2, 0)),
    ("a suite of no source", changed(lambda run, suite: run["sub_groups"].append(
        group("oprofile_b", [("one", "PASS")]))), [], 1, (2, 1, 0)),
    ("a complaint about the kernel's log", GOOD, ["-c", "BUG: something"], 1, (2, 1, 0)),
    ("not a run", {}, [], 2, None),
]


def counts_of(tally):
    for line in tally.splitlines():
        fields = line.split("\t")
        if fields[:3] == ["ran", "uml", "kunit"]:
            return tuple(map(int, fields[3:]))
    return None


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: os.path.join(folder, name) for name in ("a_test.c", "json", "tally")}
        with open(paths["a_test.c"], "w", encoding="utf-8") as file:
            file.write(SOURCE)
        for what, run, arguments, code, counts in CASES:
            with open(paths["json"], "w", encoding="utf-8") as file:
                json.dump(run, file)
            open(paths["tally"], "w", encoding="utf-8").close()
            result = subprocess.run([sys.executable, PROGRAM, "-t", paths["tally"], *arguments,
                                     paths["json"], paths["a_test.c"]],
                                    capture_output=True, text=True, check=False)
            with open(paths["tally"], encoding="utf-8") as file:
                said = counts_of(file.read())
            if (result.returncode, said) != (code, counts):
                failed += 1
                print(f"NOT OK  {what}: exit code {result.returncode}, counts {said}\n"
                      f"{result.stdout}{result.stderr}")
            else:
                print(f"ok      {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
