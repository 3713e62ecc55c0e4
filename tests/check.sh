#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All tests, or one kind of them; at the end a table of them, by kernel and suite, and the sum:
# "N passed, N failed".
#
#	check.sh [unit] [selftest] [compat] [kunit] [vm] [uml]
#
#	unit		Meson's tests
#	selftest	of the guest harness
#	compat		of what the module knows of older kernels, with each kernel's headers
#	kunit		KUnit's suites in guests
#	vm		the guest cases, each on the newest stock kernel that its line "check" has;
#			check_kernel.sh runs them on the others
#	uml		KUnit's suites that need no x86, on user-mode Linux; only if asked for:
#			a kernel is built for them, and they all run in guests, too
#
# What can't be run at all counts as one failure.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$top/build}
. "$top/tests/tally.sh"
. "$top/tests/vm/kernel.sh"
[[ $# -gt 0 ]] || set -- unit selftest compat kunit vm
for kind; do
	case $kind in
	unit | selftest | compat | kunit | vm | uml) ;;
	*)
		echo "check: error: no tests of kind $kind (unit, selftest, compat, kunit, vm," \
			"uml)" >&2
		exit 2
		;;
	esac
done
wanted=" $* "

"$top/tools/packages.sh" --tests
"$top/tools/build.sh"

folder=$(mktemp -d)
tally=$folder/tally
: >"$tally"
trap 'rm -rf "$folder"' EXIT

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

# note KIND SUITE "KERNEL..." COMMAND... - run it, if tests of that kind are wanted
note()
{
	[[ $wanted == *" $1 "* ]] || return 0
	tally_run "$tally" "${@:2}"
}

# What does not mind a busy machine runs beside the unit tests, many of which leave a processor
# idle: a guest that is stuck on purpose, compilers, suites that count no time.
suites_without_hurry()
{
	[[ $wanted == " unit " ]] || "$top/tests/vm/cache.sh" || true # the suites say what is missing
	note selftest selftest "${kernels_stock%% *}" "$top/tests/vm/selftest.sh" -t "$tally"
	note compat compat "host $kernels_stock" "$top/tests/vm/compat.sh" -t "$tally"
	note kunit kunit "$kernels_kunit" nice -n 15 "$top/tests/kunit/guest.sh" -t "$tally"
	note uml kunit uml "$top/tests/kunit/uml.sh" -t "$tally"
}

begin=$SECONDS
suites_without_hurry >"$folder/beside" 2>&1 &
note unit unit host unit
wait
cat "$folder/beside"
note vm guest "$kernels_stock" "$top/tests/vm/run.sh" -c newest -t "$tally"

echo "time:   all: $((SECONDS - begin)) s"
"$top/tests/table.py" "$tally"
