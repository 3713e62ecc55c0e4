#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: the same run of the same programs, by operf and by perf record at once: totals of each
# covers: symbol are equal within sampling error, and so are those of each caller of the leaves

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

perf record -o "$scratch/try" -e cpu-clock:u true >/dev/null 2>&1 || skip "no perf that works here"

# equal WHAT OURS OUR-ALL THEIRS THEIR-ALL - may both be samples of one share?  Six standard errors
# of a difference of normal distributions are exceeded once in 5e8; both wholes are over 1000.
equal()
{
	awk -v what="$1" -v a="$2" -v n="$3" -v b="$4" -v m="$5" 'BEGIN {
		p = (a + b) / (n + m)
		error = sqrt(p * (1 - p) * (1 / n + 1 / m))
		distance = error ? (a / n - b / m) / error : 0
		printf "%s: %d of %d, perf %d of %d: %+.2f standard errors\n", what, a, n, b, m,
			distance
		exit !(distance >= -6 && distance <= 6)
	}' || fail "$1: shares differ"
}

# is_sampled - does perf record write yet?
is_sampled() { [ -s "$scratch/perf" ]; }

# both WORKLOAD OPTION... - profile it with perf record and operf at once, for as long as it runs
both()
{
	rm -f "$scratch/perf"
	"$workloads/$1" "$(lasting 2 4000)" >/dev/null &
	_workload=$!
	shift
	# another period, so that the two don't tick together for long
	perf record -q -N -B "$@" -e cpu-clock:u -c $((925708000 / $(rate 4000))) -o "$scratch/perf" -p $_workload \
		>"$scratch/perf.said" 2>&1 &
	_perf=$!
	until_true 10 is_sampled
	sample "$@" -e "$(clock 4000):0:0:1" --pid=$_workload
	wait $_perf || fail "perf record ended with $?: $(cat "$scratch/perf.said")"
}

# theirs SYMBOL - perf's samples of it
theirs() { awk -v symbol="$1" '$1 == symbol { n++ } END { print n + 0 }' "$scratch/by_symbol"; }

flat()
{
	both split
	report
	perf script -i "$scratch/perf" -F ip,sym >"$scratch/script" 2>"$scratch/said" ||
		fail "perf script ended with $?: $(cat "$scratch/said")"
	awk '{ print $2 }' "$scratch/script" >"$scratch/by_symbol"
	ours=0 all=0
	for symbol in split_seventy split_twenty split_ten; do
		ours=$((ours + $(symbol_samples $symbol)))
		all=$((all + $(theirs $symbol)))
	done
	enough "our samples" $ours 1000
	enough "perf's samples" $all 1000
	for symbol in split_seventy split_twenty split_ten; do
		equal $symbol "$(symbol_samples $symbol)" $ours "$(theirs $symbol)" $all
	done
}

chains()
{
	both chain -g
	need opreport --session-dir="$session" -c >"$scratch/graph"
	# "leaf caller" of each of perf's chains
	perf script -i "$scratch/perf" -F ip,sym 2>/dev/null | awk '
		NF == 0 { if (n > 1) print name[1], name[2]; n = 0; next }
		{ name[++n] = $2 }
		END { if (n > 1) print name[1], name[2] }' >"$scratch/pairs"
	: >"$scratch/compare"
	for pair in "chain_leaf chain_often" "chain_leaf chain_seldom" "chain_far chain_often"; do
		echo "$pair $(calls_by "${pair#* }" "${pair% *}") $(grep -cx "$pair" "$scratch/pairs")" \
			>>"$scratch/compare"
	done
	ours=$(awk '{ n += $3 } END { print n }' "$scratch/compare")
	all=$(awk '{ n += $4 } END { print n }' "$scratch/compare")
	enough "our calls" "$ours" 1000
	enough "perf's calls" "$all" 1000
	while read -r callee caller a b; do
		equal "$caller calls $callee" "$a" "$ours" "$b" "$all"
	done <"$scratch/compare"
}

flat
chains
