#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that make check sees something: in each mutant one line of the product is wrong, as
# mutants.table says, and the tests that are named there must fail, and not only once.
#
#	mutants.sh [-t FILE] [MUTANT...]
#
#	-t FILE		append to that tally (see tally.sh), as the suite "mutants"
#
# A mutant is made in a copy of the files that git knows; nothing in this tree is changed.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/tally.sh"

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

# try_mutant MUTANT FILE KINDS OLD NEW
try_mutant()
{
	local log=$scratch/$1.log begin=$SECONDS status=0

	cp "$copy/$2" "$scratch/whole"
	if ! OLD=$4 NEW=$5 perl -0pi -e '$n = s/\Q$ENV{OLD}\E/$ENV{NEW}/; END { exit !$n }' \
		"$copy/$2"; then
		verdict "$1" "$2 has no: $4"
		return
	fi
	# shellcheck disable=SC2086 # several kinds
	BUILD=$scratch/build "$copy/tests/check.sh" $3 >"$log" 2>&1 || status=$?
	cp "$scratch/whole" "$copy/$2"
	if [[ $status -eq 0 ]]; then
		verdict "$1" "$3: no test fails"
	elif ! grep -q '^failed:' "$log"; then
		verdict "$1" "it could not be tested: $(tail -n 1 "$log")"
	else
		verdict "$1"
		printf 'ok      mutant %-12s %3d s, %s; first: %s\n' "$1" $((SECONDS - begin)) \
			"$(tail -n 1 "$log")" "$(sed -n '/^failed:/ { n; p }' "$log" | cut -c 3-90)"
	fi
}

while IFS='|' read -r name file kinds old new; do
	[[ $# -eq 0 || " $* " == *" ${name% } "* ]] || continue
	try_mutant "${name% }" "$(xargs <<<"$file")" "$(xargs <<<"$kinds")" "${old# }" "${new# }"
done < <(grep -v '^#' "$top/tests/mutants.table" | sed 's/ | /|/g')
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
