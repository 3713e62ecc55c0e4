#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The module on older stock kernels, on kernels with sanitisers and with PREEMPT_RT, and how much of
# it the tests reach; at the end a table as check.sh's, and the sum: "N passed, N failed".
#
#	check_kernel.sh [-t FILE] [SUITE...]
#
#	-t FILE		append to that tally (see tally.sh) instead
#
#	selftest	bugs on purpose are reported, each by the sanitiser that is there for it
#	guest		guest cases, each on the kernels that its line "check" has, but for the
#			newest stock one, on which check.sh runs it
#	kunit		KUnit's suites on 6.1-kasan, in the kernel's own framework
#	fuzz		random operations on 6.1-kasan: FUZZ_OPERATIONS=N, by default 150000
#	coverage	lines of module/ that all of these reached on 6.1-kasan, at least 95 %
#			of all; by itself, those of the last run
#
# A kernel's log without a report is part of each suite; a kernel that can't be had is a failure.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$top/build}
out=${VM_OUT:-$build/vm}
. "$top/tests/tally.sh"
. "$top/tests/vm/kernel.sh"
own_tally=''
tally=''
if [[ ${1:-} == -t ]]; then
	tally=$2
	shift 2
fi
[[ $# -gt 0 ]] || set -- selftest guest kunit fuzz coverage
for suite; do
	case $suite in
	selftest | guest | kunit | fuzz | coverage) ;;
	*)
		echo "check_kernel: error: no suite $suite (there are selftest, guest, kunit," \
			"fuzz, coverage)" >&2
		exit 2
		;;
	esac
done
wanted=" $* "
runs=("$out/run/6.1-kasan" "$build/kunit/run/6.1-kasan" "$out/fuzz/run/6.1-kasan")

"$top/tools/packages.sh" --tests

[[ -n $tally ]] || tally=$(mktemp) own_tally=$tally
building=''
# shellcheck disable=SC2317
finish()
{
	[[ -z $building ]] || kill "$building" 2>/dev/null || true
	[[ -z $own_tally ]] || rm -f "$own_tally"
}
trap finish EXIT

# note SUITE "KERNEL..." COMMAND... - run it with the tally, if it is wanted
note()
{
	[[ $wanted == *" $1 "* ]] || return 0
	tally_run "$tally" "$@" -t "$tally"
}

# coverage - print it, and note whether it is enough
coverage()
{
	local status=0

	"$top/tests/coverage.py" --least 95 --missed "$out/missed" "${runs[@]}" || status=$?
	echo "lines that nothing reached: $out/missed"
	if [[ $status -eq 0 ]]; then
		tally_ran "$tally" 6.1-kasan coverage 1 0 0
	else
		tally_ran "$tally" 6.1-kasan coverage 0 1 0
		tally_fail "$tally" 6.1-kasan coverage "lines of module/" \
			"too few of them were reached, or nothing is known (status $status)"
	fi
}

# The first kernel is needed at once; while it is built, so are the programs.  The second is built
# beside the suites that boot one guest at a time, with what time these leave.
begin=$SECONDS
if [[ $wanted != " coverage " ]]; then
	rm -rf "$out"/run/6.1-{kasan,kcsan,rt} "$out/fuzz/run/6.1-kasan"
	"$top/tools/build.sh" &
	programs=$!
	"$top/tests/vm/sanitised.sh" 6.1-kasan || true # the suites say that it is missing
	wait $programs
	nice -n 15 "$top/tests/vm/sanitised.sh" 6.1-kcsan &
	building=$!
	echo "time:   the first kernel: $((SECONDS - begin)) s"
fi

note selftest 6.1-kasan "$top/tests/vm/selftest.sh" -k 6.1-kasan
note kunit 6.1-kasan "$top/tests/kunit/guest.sh" -k 6.1-kasan
note fuzz 6.1-kasan "$top/tests/vm/fuzz.sh" -k 6.1-kasan -n "${FUZZ_OPERATIONS:-150000}"
if [[ -n $building ]]; then
	wait "$building" || true
	building=''
	echo "time:   both kernels and what needs one: $((SECONDS - begin)) s"
fi
note selftest 6.1-kcsan "$top/tests/vm/selftest.sh" -k 6.1-kcsan
# The newest stock one has nothing left to do, wherever a case has something for it.
note guest "${kernels_stock% *} $kernels_own $kernels_rt" "$top/tests/vm/run.sh" -c others
[[ $wanted != *" coverage "* ]] || coverage

echo "time:   all: $((SECONDS - begin)) s"
[[ -z $own_tally ]] || "$top/tests/table.py" --slowest=20 "$tally"
