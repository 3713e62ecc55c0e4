#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs tests by kind; at the end a table of them, by kernel and suite, and the sum:
# "N passed, N failed".
#
#	check.sh [KIND...]
#
# What gives the same verdict on any host at any load, and is run without a KIND ("make check"):
#
#	quick		those checkers of "make lint" that only read the sources
#	unit		Meson's tests, without the suite "measured"
#	compat		of what the module knows of each kernel, with its headers
#	kunit		KUnit's suites in a guest
#	whole		one guest a stock kernel, by count of instructions, that goes the whole way
#
# What judges by a clock or by samples of this machine, or takes long ("make check-all" runs all of
# these, too, for which KIND is "all"):
#
#	measured	Meson's suite of that name
#	lint		the whole of "make lint", with its selftest
#	selftest	of the guest harness
#	kunits		KUnit's suites in a guest of each kernel that has them
#	cases		all guest cases, each on the newest stock kernel of its line "check"
#	kernels		the same on all other kernels, sanitised ones and PREEMPT_RT among them,
#			the fuzzer, and coverage of the module (check_kernel.sh)
#	mutants		wrong lines that tests of make check must notice (mutants.sh)
#	platforms	README.md on another release, and other compilers (platforms.sh)
#
# Only if asked for:
#
#	uml		KUnit's suites that need no x86, on user-mode Linux
#
# What failed is run once more, alone; what passes then is "flaky" (rerun.py).  What can't be run at
# all counts as one failure.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$top/build}
. "$top/tests/tally.sh"
. "$top/tests/vm/kernel.sh"

kinds_check="quick unit compat kunit whole"
kinds_all="lint unit measured compat whole selftest kunits cases kernels mutants platforms"
if [[ $# -eq 0 ]]; then
	# shellcheck disable=SC2086
	set -- $kinds_check
elif [[ $* == all ]]; then
	# shellcheck disable=SC2086
	set -- $kinds_all
fi
for kind; do
	if [[ " $kinds_check $kinds_all uml " != *" $kind "* ]]; then
		echo "check: error: no tests of kind $kind ($kinds_check ${kinds_all#* } uml)" >&2
		exit 2
	fi
done
wanted=" $* "

wants() { [[ $wanted == *" $1 "* ]]; }

begin=$SECONDS
folder=$(mktemp -d)
tally=$folder/tally
: >"$tally"
# shellcheck disable=SC2046
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT

# time_print WHAT - how long this has taken, and what it and all that it waited for had of the CPUs
time_print()
{
	times >"$folder/times"
	tr ms '  ' <"$folder/times" |
		awk -v what="$1" -v seconds=$((SECONDS - begin)) '
			{ cpu += 60 * $1 + $2 + 60 * $3 + $4 }
			END { printf "time:   %s: %d s, of the CPUs %d s\n", what, seconds, cpu }'
}

# run SUITE "KERNEL..." COMMAND... - with its counts in the tally, and say how long it took
run() { tally_run "$tally" "$@"; }

# The first kernel's KUnit is enough where the verdict is all that is wanted.
kunit_first=${kernels_kunit%% *}

guests()
{
	! wants kunit || run kunit "$kunit_first" \
		"$top/tests/kunit/guest.sh" -k "$kunit_first" -t "$tally"
	! wants kunits || run kunit "$kernels_kunit" "$top/tests/kunit/guest.sh" -t "$tally"
	! wants uml || run kunit uml "$top/tests/kunit/uml.sh" -t "$tally"
	! wants compat || run compat "host $kernels_stock" "$top/tests/vm/compat.sh" -t "$tally"
	! wants whole || run guest "$kernels_stock" "$top/tests/vm/run.sh" -t "$tally" whole_way
}

lint_all()
{
	# A checker that is broken has no findings either.
	if "$top/tools/lint/selftest.sh"; then
		tally_ran "$tally" host lint 1 0 0
	else
		tally_ran "$tally" host lint 0 1 0
		tally_fail "$tally" host lint selftest "a checker does not find what is seeded"
	fi
	"$top/tools/lint.sh" -t "$tally"
}

"$top/tools/packages.sh" --tests
cache_status=0
if [[ " unit measured quick " != *"$wanted"* ]]; then
	"$top/tests/vm/cache.sh" >"$folder/cache" 2>&1 &
	cache=$!
	"$top/tools/build.sh"
	wait $cache || cache_status=$?
	cat "$folder/cache"
else
	"$top/tools/build.sh"
fi
time_print "packages, kernels and build"
if [[ $cache_status -ne 0 ]]; then
	echo "check: error: kernels and QEMU for the guests could not be fetched" >&2
	echo "0 passed, 1 failed"
	exit 1
fi

! wants quick || run lint host "$top/tools/lint.sh" -q -t "$tally"
guests >"$folder/guests" 2>&1 &
! wants unit || run unit host "$top/tests/unit.py" "$build" "$tally" testlog --no-suite measured
wait
cat "$folder/guests"

# These have the machine to themselves.
! wants lint || run lint host lint_all
! wants measured || run unit host "$top/tests/unit.py" "$build" "$tally" measured --suite measured
! wants selftest || run selftest "${kernels_stock%% *}" "$top/tests/vm/selftest.sh" -t "$tally"
! wants cases || run guest "$kernels_stock" "$top/tests/vm/run.sh" -c newest -t "$tally"
! wants mutants || run mutants host "$top/tests/mutants.sh" -t "$tally"
! wants platforms || run platforms host "$top/tests/platforms.sh" -t "$tally"
! wants kernels || "$top/tests/check_kernel.sh" -t "$tally" || true # it notes what failed

"$top/tests/rerun.py" "$tally" "$build"
time_print all
"$top/tests/table.py" --slowest=20 "$tally"
