#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that the tests of suite hostile see something: in each mutant one promise of libop/foreign
# is broken, as mutants.table says, and the test that is named there must fail.
#
#	mutants.sh BUILD [MUTANT...]
#
# BUILD is complete; nothing in it is changed.  A mutant is one file, compiled as in BUILD and put
# before the library into a copy of the test, or of opreport.

set -uo pipefail

build=$(cd "$1" && pwd) || exit 1
shift
top=$(cd "$(dirname "$0")/../.." && pwd)
[[ $(id -u) -eq 0 ]] || { echo "skip: not root"; exit 77; }
scratch=$(mktemp -d /tmp/hostile-mutants-XXXXXX)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
limit=120	# seconds for a test that a mutant keeps busy
failures=0

# made_of MUTANT FILE OLD NEW - writes the mutant, and compiles it
made_of()
{
	local command object

	# headers are beside the original
	if ! OLD=$3 NEW=$4 FOLDER=$top/libop/${2%/*} perl -0pe \
		'$n = s/\Q$ENV{OLD}\E/$ENV{NEW}/; s{^#include "([^/"]+)"}{#include "$ENV{FOLDER}/$1"}mg;
		END { exit !$n }' "$top/libop/$2" >"$scratch/$1.c"; then
		echo "$2 has no: $3"
		return 1
	fi
	object=$(ninja -C "$build" -t targets all | grep -o "^libop.*[/_]${2##*/}\.o:" | head -n 1)
	command=$(ninja -C "$build" -t commands "${object%:}" | tail -n 1)
	(cd "$build" && eval "${command%% -o *} -w -o '$scratch/$1.o' -c '$scratch/$1.c'")
}

# linked MUTANT TARGET FILE - links a target with the mutant
linked()
{
	local command

	command=$(ninja -C "$build" -t commands "$2" | tail -n 1)
	(cd "$build" && eval "${command/ -o $2 / -o \'$3\' \'$scratch/$1.o\' }")
}

# script MUTANT NAME - runs a script of this folder with a report of the mutant
script()
{
	rm -rf "$scratch/build"
	mkdir "$scratch/build" "$scratch/build/pp"
	ln -s "$build"/* "$scratch/build" 2>/dev/null	# but pp, which is there
	ln -s "$build"/pp/* "$scratch/build/pp"
	rm "$scratch/build/pp/opreport"
	linked "$1" pp/opreport "$scratch/build/pp/opreport" || return 0
	timeout -s KILL $limit "$top/tests/hostile/$2" "$scratch/build"
}

# program MUTANT TARGET - runs a test program of the mutant
program()
{
	linked "$1" "tests/$2" "$scratch/$1.test" || return 0
	timeout -s KILL $limit "$scratch/$1.test"
}

# tried MUTANT FILE TEST OLD NEW - fails if the test does not
tried()
{
	local status=0

	made_of "$1" "$2" "$4" "$5" || return 1
	if [[ $3 == *.sh ]]; then
		script "$1" "$3" || status=$?
	else
		program "$1" "$3" || status=$?
	fi >"$scratch/said" 2>&1
	if [[ $status -eq 0 || $status -eq 77 ]]; then
		echo "NOT OK $1: $3 does not fail"
		return 1
	fi
	printf 'ok     %-18s %s\n' "$1" "$(grep -aE 'FAILED  \] [a-z]|NOT OK|TOO MUCH|Killed' \
		"$scratch/said" | head -n 1 | cut -c 1-90)"
}

begin=$SECONDS
while IFS= read -r line; do
	[[ -n $line ]] || continue
	name=${line%% *} rest=${line#* | }
	file=${rest%% | *} rest=${rest#* | }
	test=${rest%% | *} rest=${rest#* | }
	[[ $# -eq 0 || " $* " == *" $name "* ]] || continue
	old=${rest% | *} new=${rest##* | }
	tried "$name" "$file" "$test" "$old" "$new" || failures=$((failures + 1))
done < <(grep -v "^#" "$top/tests/hostile/mutants.table")
echo "$failures mutants survived, $((SECONDS - begin)) s"
[[ $failures -eq 0 ]]
