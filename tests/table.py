#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the table of a tally (see tally.sh): what passed, failed and was skipped, by kernel and
suite, the reasons below it, and last the sum: "N passed, N failed[, N skipped]".

	table.py FILE [--slowest=N]

	--slowest=N	the N tests that had most CPU time, or took longest where that is not
			known, with their seconds, too

What is flaky failed once and passed when it was run again: it counts as passed.

Exit codes: 0 all passed or were skipped, 1 something failed or nothing passed, 2 the file is
no tally."""

import argparse
import sys


class Row:
    def __init__(self):
        self.counts = [0, 0, 0]
        self.reasons = {"fail": [], "flaky": [], "skip": []}
        self.seconds = []

    def forgive(self, test, reason):
        """A failure that was by chance."""
        self.reasons["fail"].remove([test, reason])
        self.reasons["flaky"].append([test, reason])
        self.counts[0] += 1
        self.counts[1] -= 1


def read_tally(path):
    rows = {}
    with open(path, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\n").split("\t")
            kind, key, rest = fields[0], tuple(fields[1:3]), fields[3:]
            row = rows.setdefault(key, Row())
            if kind == "ran" and len(rest) == 3 and all(n.isdecimal() for n in rest):
                row.counts = [a + int(b) for a, b in zip(row.counts, rest)]
            elif kind in ("fail", "skip") and len(rest) == 2:
                row.reasons[kind].append(rest)
            elif kind == "flaky" and rest in row.reasons["fail"]:
                row.forgive(*rest)
            elif kind == "took" and len(rest) in (2, 3):
                row.seconds.append((rest[0], *map(float, rest[1:])))
            else:
                raise ValueError(f"{path}:{number}: not a line of a tally: {line.rstrip()}")
    return rows


def account(rows):
    """Each skip has its reason, and each failure its name: what lacks one is a failure."""
    for row in rows.values():
        passed, failed, skipped = row.counts
        for kind, count in (("fail", failed), ("skip", skipped)):
            given = len(row.reasons[kind])
            if given != count:
                row.reasons["fail"].append(
                    ["the tally", f"{count} tests counted as {kind}, but {given} named"])
                row.counts[1] += 1


def print_table(rows):
    table = [("kernel", "suite", "passed", "failed", "skipped", "flaky")]
    table += [(*key, *map(str, row.counts), str(len(row.reasons["flaky"])))
              for key, row in rows.items()]
    widths = [max(len(cell) for cell in column) for column in zip(*table)]
    for row in table:
        left = "  ".join(cell.ljust(width) for cell, width in zip(row[:2], widths))
        right = "  ".join(cell.rjust(width) for cell, width in zip(row[2:], widths[2:]))
        print(f"{left}  {right}")


def print_reasons(rows):
    """Those that several kernels share are one line."""
    for kind, title in (("fail", "failed"), ("flaky", "flaky"), ("skip", "skipped")):
        kernels = {}
        for (kernel, suite), row in rows.items():
            for test, reason in row.reasons[kind]:
                kernels.setdefault((suite, test, reason), []).append(kernel)
        if kernels:
            print(f"\n{title}:")
        for (suite, test, reason), names in kernels.items():
            print(f"  {suite}: {test} ({', '.join(dict.fromkeys(names))}): {reason}")


def print_slowest(rows, number):
    """CPU time is what they cost; time depends on what else the machine does."""
    tests = [(cpu[0] if cpu else seconds, seconds, test, kernel, suite, bool(cpu))
             for (kernel, suite), row in rows.items() for test, seconds, *cpu in row.seconds]
    print("\nslowest:  CPU s    time s")
    for cpu, seconds, test, kernel, suite, known in sorted(tests, reverse=True)[:number]:
        print(f"{cpu if known else '':15.7} {seconds:9.1f}  {suite}: {test} ({kernel})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tally")
    parser.add_argument("--slowest", type=int, default=0)
    options = parser.parse_args()
    try:
        rows = read_tally(options.tally)
    except (OSError, ValueError) as error:
        print(f"table: error: {error}", file=sys.stderr)
        return 2
    account(rows)
    print_table(rows)
    if options.slowest:
        print_slowest(rows, options.slowest)
    print_reasons(rows)
    passed, failed, skipped = (sum(row.counts[i] for row in rows.values()) for i in range(3))
    print(f"\n{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
