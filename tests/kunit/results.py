#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges a run of KUnit by what should have run: each case of each suite in the sources, once,
and nothing else.  So a suite that is not linked, a case that does not begin, and a kernel that
ends in the midst of one are failures, whatever else was said.

	results.py [-k KERNEL] [-t TALLY] [-c COMPLAINT] JSON SOURCE...

	JSON		what kunit.py makes of the kernel's output (--json=JSON)
	SOURCE		the *_test.c files that were built
	-k KERNEL	what to call the kernel; default: uml
	-t TALLY	note down results there, see tests/tally.sh
	-c COMPLAINT	something else that is wrong with the run: a failure of its own

Exit codes: 0 all passed or were skipped, 1 not so, 2 a file is not what it should be."""

import argparse
import json
import re
import sys

SUITE = re.compile(r"^TEST_SUITE\w*\((\w+),(.*?)\);$", re.S | re.M)
CASE = re.compile(r"\bKUNIT_CASE\w*\((\w+)")


def expected_of(paths):
    """{suite: [case, ...]} of the sources."""
    suites = {}
    for path in paths:
        with open(path, encoding="utf-8") as source:
            text = source.read()
        found = SUITE.findall(text)
        if not found:
            raise ValueError(f"{path}: no suite is in it")
        for name, body in found:
            cases = CASE.findall(body)
            if not cases or name in suites:
                raise ValueError(f"{path}: suite {name} has no cases, or is there twice")
            suites[name] = cases
    return suites


def results_of(group):
    """[(name, status)] of a suite; a case with parameters is as bad as the worst of them."""
    results = [(case["name"], case["status"]) for case in group["test_cases"]]
    for case in group["sub_groups"]:
        parameters = results_of(case)
        statuses = {status for _, status in parameters}
        status = next((s for s in ("FAIL", "ERROR", "PASS", "SKIP") if s in statuses), "ERROR")
        bad = [name for name, status in parameters if status not in ("PASS", "SKIP")]
        results.append((case["name"] + "".join(f" [{name}]" for name in bad), status))
    return results


def judge(run, suites, complaint):
    """[(verdict, test, reason)]"""
    groups = {}
    for group in run["sub_groups"]:
        groups.setdefault(group["name"], []).append(group)
    verdicts = [("fail", "the run", complaint)] if complaint else []
    verdicts += [("fail", case["name"], "outside of any suite") for case in run["test_cases"]]
    for name in groups.keys() - suites.keys():
        verdicts.append(("fail", name, "a suite of no source"))
    for name, cases in suites.items():
        results = [result for group in groups.get(name, []) for result in results_of(group)]
        plain = [result.partition(" [")[0] for result, _ in results]
        for case in set(cases) | set(plain):
            if plain.count(case) != cases.count(case):
                verdicts.append(("fail", f"{name}.{case}", f"ran {plain.count(case)} times, "
                                 f"not {cases.count(case)}"))
        for case, status in results:
            verdict = {"PASS": "pass", "SKIP": "skip"}.get(status, "fail")
            verdicts.append((verdict, f"{name}.{case}", {"FAIL": "failed", "SKIP": "skipped",
                             "ERROR": "ended in its midst"}.get(status, status)))
    return verdicts


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-k", dest="kernel", default="uml")
    parser.add_argument("-t", dest="tally")
    parser.add_argument("-c", dest="complaint")
    parser.add_argument("json")
    parser.add_argument("sources", nargs="+")
    arguments = parser.parse_args()
    try:
        suites = expected_of(arguments.sources)
        with open(arguments.json, encoding="utf-8") as file:
            verdicts = judge(json.load(file), suites, arguments.complaint)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"results: error: {error}", file=sys.stderr)
        return 2

    counts = {"pass": 0, "fail": 0, "skip": 0}
    lines = []
    for verdict, test, reason in verdicts:
        counts[verdict] += 1
        if verdict != "pass":
            print(f"{'NOT OK' if verdict == 'fail' else 'skip':<7} {arguments.kernel:<14} "
                  f"{test}: {reason}")
            lines.append((verdict, arguments.kernel, "kunit", test, reason))
    lines.insert(0, ("ran", arguments.kernel, "kunit", *counts.values()))
    good = counts["pass"] and not counts["fail"]
    print(f"{'ok' if good else 'NOT OK':<7} {arguments.kernel:<14} "
          f"{counts['pass']} cases of {len(suites)} KUnit suites passed")
    if arguments.tally:
        with open(arguments.tally, "a", encoding="utf-8") as tally:
            for line in lines:
                print(*(" ".join(str(field).split()) for field in line), sep="\t", file=tally)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
