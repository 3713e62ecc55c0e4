#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All tests, or one kind of them; the last line is the sum: "N passed, N failed".
#
#	check.sh [unit] [selftest] [vm]
#
# unit: Meson's tests; selftest: of the guest harness; vm: the guest cases on every kernel.
# A kind that can't be run at all counts as one failure.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$top/build}
[[ $# -gt 0 ]] || set -- unit selftest vm

"$top/tools/packages.sh" --tests
"$top/tools/build.sh"

tally=$(mktemp)
trap 'rm -f "$tally"' EXIT

# One line for each test that is not fine, and its counts into the tally.
unit()
{
	local log=$build/meson-logs/testlog

	rm -f "$log.json"
	meson test -C "$build" --no-rebuild --timeout-multiplier 10 --quiet >/dev/null 2>&1 || true
	python3 - "$log.json" "$tally" <<-'PYTHON'
	import json, sys

	passed = failed = skipped = 0
	for line in open(sys.argv[1]):
	    test = json.loads(line)
	    result = test["result"]
	    if result in ("OK", "EXPECTEDFAIL"):
	        passed += 1
	    elif result == "SKIP":
	        skipped += 1
	        print("skip    unit          ", test["name"])
	    else:
	        failed += 1
	        print("NOT OK  unit          ", test["name"], result)
	        print(test.get("stdout", "") + test.get("stderr", ""), end="")
	print(f"ok      unit           {passed} tests" if not failed else "", end="\n" if not failed else "")
	with open(sys.argv[2], "a") as tally:
	    print(passed, failed, skipped, file=tally)
	PYTHON
	echo "logs:   $log.txt"
}

for kind; do
	before=$(wc -l <"$tally")
	status=0
	case $kind in
	unit) unit || status=$? ;;
	selftest) "$top/tests/vm/selftest.sh" -t "$tally" || status=$? ;;
	vm) "$top/tests/vm/run.sh" -t "$tally" || status=$? ;;
	*) echo "check: error: no tests of kind $kind (unit, selftest, vm)" >&2; exit 2 ;;
	esac
	if [[ $(wc -l <"$tally") -eq $before ]]; then
		echo "NOT OK  $kind could not be run (exit status $status)"
		echo "0 1 0" >>"$tally"
	fi
done

awk '{ passed += $1; failed += $2; skipped += $3 }
	END {
		printf "%d passed, %d failed", passed, failed
		if (skipped)
			printf ", %d skipped", skipped
		print ""
		exit failed || !passed
	}' "$tally"
