#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All tests, or one kind of them; at the end a table of them, by kernel and suite, and the sum:
# "N passed, N failed".
#
#	check.sh [unit] [selftest] [vm]
#
# unit: Meson's tests; selftest: of the guest harness; vm: the guest cases on every kernel.
# What can't be run at all counts as one failure.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$top/build}
. "$top/tests/tally.sh"
. "$top/tests/vm/kernel.sh"
[[ $# -gt 0 ]] || set -- unit selftest vm

"$top/tools/packages.sh" --tests
"$top/tools/build.sh"

tally=$(mktemp)
trap 'rm -f "$tally"' EXIT

# One line for each test that is not fine, and all into the tally.
unit()
{
	local log=$build/meson-logs/testlog

	rm -f "$log.json"
	meson test -C "$build" --no-rebuild --timeout-multiplier 10 --quiet >/dev/null 2>&1 || true
	python3 - "$log.json" "$tally" <<-'PYTHON'
	import json, sys

	counts = {"passed": 0, "failed": 0, "skipped": 0}
	with open(sys.argv[2], "a") as tally:
	    def note(*fields):
	        print(*(" ".join(str(f).split()) for f in fields), sep="\t", file=tally)

	    for line in open(sys.argv[1]):
	        test = json.loads(line)
	        name, result = test["name"], test["result"]
	        said = (test.get("stdout", "") + test.get("stderr", "")).strip()
	        if result in ("OK", "EXPECTEDFAIL"):
	            counts["passed"] += 1
	        elif result == "SKIP":
	            counts["skipped"] += 1
	            reason = said.rpartition("\n")[2] or "no reason given"
	            print(f"skip    host           {name}: {reason}")
	            note("skip", "host", "unit", name, reason)
	        else:
	            counts["failed"] += 1
	            print(f"NOT OK  host           {name} {result}\n{said}")
	            note("fail", "host", "unit", name, result)
	    note("ran", "host", "unit", *counts.values())
	print(f"ok      host           {counts['passed']} unit tests")
	PYTHON
	echo "logs:   $log.txt"
}

for kind; do
	status=0
	case $kind in
	unit)
		unit || status=$?
		tally_expect "$tally" host unit "ended with status $status"
		;;
	selftest)
		"$top/tests/vm/selftest.sh" -t "$tally" || status=$?
		tally_expect "$tally" "${kernels_stock%% *}" selftest "ended with status $status"
		;;
	vm)
		"$top/tests/vm/run.sh" -t "$tally" || status=$?
		for kernel in $kernels_stock; do
			tally_expect "$tally" "$kernel" guest "ended with status $status"
		done
		;;
	*) echo "check: error: no tests of kind $kind (unit, selftest, vm)" >&2; exit 2 ;;
	esac
done

"$top/tests/table.py" "$tally"
