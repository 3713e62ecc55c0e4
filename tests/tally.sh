# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What test scripts note down for table.py, which makes one table of it.  A tally is a file of
# lines, each of fields with a tab between:
#
#	ran	KERNEL	SUITE	PASSED	FAILED	SKIPPED
#	fail	KERNEL	SUITE	TEST	REASON	one for each of the failed
#	skip	KERNEL	SUITE	TEST	REASON	one for each of the skipped
#	flaky	KERNEL	SUITE	TEST	REASON	a line "fail" before it was by chance: run again,
#						alone, the test passed (rerun.py)
#	took	KERNEL	SUITE	TEST	SECONDS [CPU-SECONDS]
#
# Lines "ran" of one kernel and suite add up.  KERNEL is a name of vm/kernel.sh, or "host" where
# the tests need none.  Sourced.

# tally_line FILE FIELD... - append a line; tabs and newlines in fields become blanks
tally_line()
{
	local file=$1 line
	shift

	[[ -n $file ]] || return 0
	line=$(printf '%s\x01' "$@" | tr -s '\t\n' ' ' | tr '\001' '\t')
	printf '%s\n' "${line%$'\t'}" >>"$file"
}

# tally_ran FILE KERNEL SUITE PASSED FAILED SKIPPED
tally_ran() { tally_line "$1" ran "${@:2}"; }

# tally_fail FILE KERNEL SUITE TEST REASON
tally_fail() { tally_line "$1" fail "${@:2}"; }

# tally_skip FILE KERNEL SUITE TEST REASON
tally_skip() { tally_line "$1" skip "${@:2}"; }

# tally_took FILE KERNEL SUITE TEST SECONDS [CPU-SECONDS]
tally_took() { tally_line "$1" took "${@:2}"; }

# tally_expect FILE KERNEL SUITE REASON - a suite that has left no counts could not be run, which
# is a failure
tally_expect()
{
	grep -qs "^ran"$'\t'"$2"$'\t'"$3"$'\t' "$1" && return
	printf 'NOT OK  %-14s %s: %s\n' "$2" "$3" "$4"
	tally_ran "$1" "$2" "$3" 0 1 0
	tally_fail "$1" "$2" "$3" "the suite" "$4"
}

# tally_run FILE SUITE "KERNEL..." COMMAND... - run a command that leaves counts of that suite in
# FILE, for each of the kernels, and say on standard error how long it took, and of the CPUs
tally_run()
{
	local file=$1 suite=$2 kernels=$3 kernel status=0
	local TIMEFORMAT="time:   $suite on $kernels: %0R s, of the CPUs %0U s and %0S s for the system"
	shift 3

	time "$@" || status=$?
	for kernel in $kernels; do
		tally_expect "$file" "$kernel" "$suite" "ended with status $status"
	done
}
