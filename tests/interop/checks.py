# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts of this folder share: comparisons that are counted, and commands that must not fail.

Exit codes of a script: 0 all is the same, 1 something is not, SKIP nothing could be compared.
"""

import os
import subprocess
import sys

SKIP = 77

failures = 0
left_out = 0


def check(what, ours, theirs):
    global failures

    if ours == theirs:
        print("ok      " + what)
        return
    failures += 1
    print("NOT OK  " + what)
    if isinstance(ours, dict) and isinstance(theirs, dict):
        differ = {key for key in set(ours) | set(theirs) if ours.get(key) != theirs.get(key)}
        ours = {key: ours[key] for key in ours if key in differ}
        theirs = {key: theirs[key] for key in theirs if key in differ}
    elif isinstance(ours, str) and isinstance(theirs, str):
        ours, theirs = ours.splitlines(), theirs.splitlines()
        ours, theirs = ([line for line in ours if line not in theirs],
                        [line for line in theirs if line not in ours])
    print("    ours:   " + str(ours)[:2000])
    print("    theirs: " + str(theirs)[:2000])


def leave_out(what, why):
    global left_out

    left_out += 1
    print("skipped %s: %s" % (what, why))


def run(*words, cwd=None, **variables):
    """Runs a command, with more variables in its environment.  Return: its stdout."""
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                            env=dict(os.environ, **variables), check=False)
    if result.returncode:
        sys.exit("%s: exit code %d: %s" % (" ".join(words), result.returncode,
                                           result.stderr.decode()))
    return result.stdout.decode(errors="replace")


def finish():
    """Ends the script."""
    if left_out:
        print("%d comparisons left out" % left_out)
    if failures:
        print("%d differences" % failures)
    sys.exit(1 if failures else 0)
