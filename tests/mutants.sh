#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that make check sees something: in each mutant one line of the product is wrong, as
# mutants.table says, and the test of make check that is named there must fail, twice, as what fails
# is run again; without a mutant it must pass.
#
#	mutants.sh [-t FILE] [MUTANT...]
#
#	-t FILE		append to that tally (see tally.sh), as the suite "mutants"
#
# A mutant is made in a copy of the files that git knows; nothing in this tree is changed.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/tally.sh"
. "$top/tests/vm/kernel.sh"

tally=''
if [[ ${1:-} == -t ]]; then
	tally=$2
	shift 2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
copy=$scratch/copy
mkdir "$copy"
git -C "$top" ls-files -z | tar -C "$top" --null -T - -c | tar -C "$copy" -x
export BUILD=$copy/build
passed=0 failed=0

# verdict MUTANT [WHY-NOT]
verdict()
{
	if [[ -z ${2:-} ]]; then
		passed=$((passed + 1))
		tally_ran "$tally" host mutants 1 0 0
	else
		echo "NOT OK  mutant $1: $2"
		failed=$((failed + 1))
		tally_ran "$tally" host mutants 0 1 0
		tally_fail "$tally" host mutants "$1" "$2"
	fi
}

# run_test TEST - of the copy: "kunit", "whole_way", or the name of a test of Meson's
run_test()
{
	case $1 in
	kunit) "$copy/tests/kunit/guest.sh" -k "${kernels_kunit%% *}" ;;
	whole_way) "$copy/tests/vm/run.sh" -k "${kernels_stock%% *}" whole_way ;;
	*) "$copy/tests/unit.py" "$BUILD" /dev/null mutant "$1" ;;
	esac
}

# try_mutant MUTANT FILE TEST OLD NEW
try_mutant()
{
	local log=$scratch/log begin=$SECONDS time why=''

	cp "$copy/$2" "$scratch/whole"
	if ! OLD=$4 NEW=$5 perl -0pi -e '$n = s/\Q$ENV{OLD}\E/$ENV{NEW}/; END { exit !$n }' \
		"$copy/$2"; then
		why="$2 has no: $4"
	elif ! "$copy/tools/build.sh" >"$log" 2>&1; then
		why="it does not build: $(grep -m 1 error "$log" || true)"
	fi
	for time in 1 2; do
		if [[ -z $why ]] && run_test "$3" >"$log" 2>&1; then
			why="$3 passes"
			[[ $time -eq 1 ]] || why+=" when it is run again"
		fi
	done
	cp "$scratch/whole" "$copy/$2"
	verdict "$1" "$why"
	[[ -n $why ]] || printf 'ok      mutant %-12s %3d s: %s\n' "$1" $((SECONDS - begin)) \
		"$(grep -m 1 '^NOT OK' "$log" | tr -s ' ' | cut -c 1-100)"
}

# mutants [MUTANT...] - of the table, by name
mutants()
{
	grep -v '^#' "$top/tests/mutants.table" | sed 's/ | /|/g' |
		while IFS='|' read -r name rest; do
			[[ $# -eq 0 || " $* " == *" $name "* ]] || continue
			echo "$name|$rest"
		done
}

"$copy/tools/build.sh" >"$scratch/log" 2>&1 || {
	tail "$scratch/log" >&2
	exit 1
}
for test in $(mutants "$@" | cut -d '|' -f 3 | sort -u); do
	if ! run_test "$test" >"$scratch/log" 2>&1; then
		verdict "none" "$test fails without a mutant: $(grep -m 1 '^NOT OK' "$scratch/log")"
	fi
done
while IFS='|' read -r name file test old new; do
	try_mutant "$name" "$file" "$test" "$old" "$new" </dev/null
done < <(mutants "$@")
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
