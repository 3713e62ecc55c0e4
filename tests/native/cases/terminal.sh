#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: operf records call chains unless it is told not to; on a terminal it says what it samples,
# covers: and ends with the hottest functions and lines, in no line that is wider; elsewhere in one
# covers: line; reports of it fit into terminals of 80 and 200 columns; pictures of all these are
# covers: kept; --html alone has a file, and the words behind it are the command

sampling=1
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"
unset NO_COLOR

# keep_shown NAME - the picture of what on_terminal has shown, in which no line is wider
keep_shown()
{
	grep -q "$(printf '\033\\[[0-9;]*3[1-6]m')" "$scratch/screen" || fail "no colours"
	keep_screen "$1" $columns <"$scratch/screen"
}

cd "$scratch" || exit 1
work=$(as_often 4000 1000)
on_terminal operf -e "$(clock 1000)" "$own/shares" alone "$work" || fail "operf failed"
grep -q '^operf: sampling shares by cpu-clock.*, with call chains$' shown ||
	fail "it does not say what it does"
all=$(awk '/ samples of / { print $1 }' shown)
share "the hottest function" "$(awk -v n="$all" '$3 == "shares_three" {
	printf "%d\n", $1 * n / 100; exit }' shown)" "$all" 0.752
grep -q ' [a-z]*\.[ch]:[0-9]*$' shown || fail "no source line"
grep -q '^next: opreport' shown || fail "no next command"
keep_shown operf-80
for columns in 80 200; do
	on_terminal sh -c 'opreport; opreport --symbols' || fail "opreport failed"
	grep -q ' shares_three' shown || fail "the report has no hottest function"
	keep_shown opreport-$columns
done
columns=80

on_terminal operf --quiet "$own/shares" alone 100 || fail "operf failed"
same "lines of --quiet" "$(wc -l <shown)" 1
need operf -e "$(clock 1000)" "$own/shares" alone "$work" 2>said
same "lines without a terminal" "$(wc -l <said)" 1
grep -q 'look with "opreport"$' said || fail "no word of the report"

need opexport --session-dir=oprofile_data --to=folded -o folded
grep -q 'main;.*shares_three' folded || fail "no call chains"
need operf --no-call-graph -e "$(clock 1000)" "$own/shares" alone "$work" 2>said
need opexport --session-dir=oprofile_data --to=folded -o flat
grep -q 'shares_three' flat || fail "no samples"
! grep -q 'main;' flat || fail "call chains in spite of --no-call-graph"
refuse "--no-call-graph excludes" operf --no-call-graph -g true
refuse "--no-call-graph excludes" operf --no-call-graph --html=x true

# shellcheck disable=SC2016 # of the sh below
status 3 operf --html sh -c '"$0" alone 100; exit 3' "$own/shares"
[ -s oprofile.html ] || fail "no page of the default name"
status 0 operf --html other.html "$own/shares" alone 100
[ -s other.html ] || fail "no page of the name that was given"

is_root || exit 0
on_terminal operf --system-wide --duration=2 || fail "operf failed"
grep -q '1 s, [0-9]* samples, [0-9]* lost' shown || fail "no progress"
