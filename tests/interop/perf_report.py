#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Imports of recordings weigh what "perf report" says: for each event, the periods of each
# symbol.  A symbol may have several names at one address: these are one here.  What has no symbol
# is one row for each image.
#
#	perf_report.py fixed|live TOOLS BUSY [SECONDS]
#
# fixed: of recordings that are always the same (fixed.py).  live: of fresh ones.
# TOOLS: the folder of opimport and opreport.  BUSY: something to profile.
# Exit codes: 0 all is the same, 1 something is not, 77 perf is absent, or it may not record.

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import fixed
from checks import SKIP, check, finish, leave_out, run
from symbol_names import names_of

DISTANCE_MOST = 0.01  # total variation
WAYS = {
    "-F 99": ("-e", "cpu-clock", "-F", "99"),
    "-F 999": ("-e", "cpu-clock", "-F", "999"),
    "-a": ("-a", "-e", "cpu-clock", "-F", "999"),
    "-c": ("-e", "cpu-clock", "-c", "700000"),
    # the kernel adapts the period of page faults, which samples weigh differently by
    "events": ("-e", "cpu-clock,page-faults,context-switches", "-F", "999"),
    "dwarf": ("-e", "cpu-clock", "-F", "499", "--call-graph", "dwarf,4096"),
    "--threads": ("-e", "cpu-clock", "-F", "999", "--threads"),
    "-z": ("-e", "cpu-clock", "-F", "999", "-z"),
}
FIXED_WAYS = {
    "-F": {"has_periods": True},
    "-c": {"has_chains": False},
    "events": {"events": ("cpu-clock", "task-clock"), "has_periods": True},
}


def row_of(image, symbol, paths):
    """An image and a symbol by names that both tools agree on."""
    base = image.rsplit("/", 1)[-1].strip("[]")
    if base in ("kallsyms", "kernel.kallsyms", "kernel.vmlinux", "no-vmlinux"):
        return "kernel", names_of("kernel").find(symbol.split(" [")[0])
    path = paths.get(base)
    if not path:
        return "no file", ""
    if symbol.startswith("0x") or symbol == path or symbol.startswith("anonymous symbol"):
        return base, ""
    if symbol.endswith("@plt"):
        # perf has no name for some stubs of calls
        return base, "@plt"
    return base, names_of(path).find(re.sub("@(?!plt).*", "", symbol))


def ours(path):
    """Weights by event and row; paths of images by their base names."""
    run("rm", "-rf", "session")
    run(os.path.join(tools, "opimport"), "-o", "session", path)
    report = json.loads(run(os.path.join(tools, "opreport"), "--session-dir=session", "-l",
                            "--json", "--demangle=none"))
    paths = {row["image"].rsplit("/", 1)[-1]: row["image"] for row in report["symbols"]
             if os.path.isfile(row["image"])}
    weights = collections.defaultdict(collections.Counter)
    for row in report["symbols"]:
        for i, event in enumerate(report["classes"]):
            if "weight" in event:
                weight = row["weights"][i]
            else:
                weight = row["counts"][i] * (event["period"] or 1)
            weights[event["event"]][row_of(row["image"], row["symbol"], paths)] += weight
    return weights, paths


def theirs(path, paths):
    result = subprocess.run(["perf", "report", "-i", path, "--stdio", "--no-children", "-g", "none",
                             "--percent-limit", "0", "-F", "period,dso,sym", "-t;",
                             "--no-demangle"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if result.returncode:
        return None
    weights, event = collections.defaultdict(collections.Counter), None
    for line in result.stdout.decode(errors="replace").splitlines():
        head = re.match("# Samples: .* of event '(.*?)'", line)
        if head:
            event = head.group(1)
        row = re.match(r" *(\d+) *;(.*?) *;\[(.)\] (.*?) *$", line)
        if row:
            image = row.group(2) if row.group(3) != "k" or row.group(2)[0] == "[" else "[kernel]"
            weights[event][row_of(image, row.group(4), paths)] += int(row.group(1))
    return weights


def distance(a, b):
    total = [sum(side.values()) or 1 for side in (a, b)]
    return sum(abs(a[row] / total[0] - b[row] / total[1]) for row in {*a, *b}) / 2


def compare(way, path):
    mine, paths = ours(path)
    perfs = theirs(path, paths)
    if perfs is None:
        leave_out(way, "perf report crashes on what perf record made")
        return
    for event, rows in perfs.items():
        apart = distance(mine[event], rows)
        print("        %s, %s: total variation %.4f %%, weights %d and %d" % (
            way, event, 100 * apart, sum(mine[event].values()), sum(rows.values())))
        check("%s: weights of %s" % (way, event), apart < DISTANCE_MOST, True)
        if apart >= DISTANCE_MOST:
            rest = collections.Counter(mine[event])
            rest.subtract(rows)
            print(sorted(rest.items(), key=lambda row: -abs(row[1]))[:20])
        # fixed periods are whole numbers; of a frequency they are rounded
        check("%s: sum of %s" % (way, event),
              abs(sum(mine[event].values()) / (sum(rows.values()) or 1) - 1) < 1e-3, True)


def live():
    try:
        run("perf", "record", "-qB", "-e", "cpu-clock", "-o", "/dev/null", busy, "0.01")
    except (FileNotFoundError, SystemExit) as error:
        print("skipped: perf may not record: %s" % error)
        sys.exit(SKIP)
    for way, options in WAYS.items():
        path = way.strip("-").replace(" ", "_")
        if subprocess.run(["perf", "record", "-qB", *options, "-o", path, busy, seconds],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode:
            leave_out(way, "perf may not record it here")
        else:
            compare(way, path)


def main():
    if sys.argv[1] == "live":
        live()
    elif not shutil.which("perf"):
        print("skipped: there is no perf (Debian: linux-perf)")
        sys.exit(SKIP)
    else:
        for way, options in FIXED_WAYS.items():
            fixed.write_perf("recording", busy, **options)
            compare(way, "recording")
    return finish()


tools, busy = [os.path.abspath(argument) for argument in sys.argv[2:4]]
seconds = sys.argv[4] if len(sys.argv) > 4 else "0.3"
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    sys.exit(main())
