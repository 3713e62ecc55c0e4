#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: samples at a frequency weigh the events they stand for, live and in imports: page faults,
# covers: whose period is adapted on hosts without a PMU, too

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

turns=200
known=$((4000 * turns))

# weighed SYMBOL - the events of a symbol ("": of all), of $scratch/csv
weighed()
{
	awk -F, -v symbol="$1" 'NR > 1 && (symbol == "" || $5 == symbol) { n += $2 }
		END { printf "%d\n", n }' "$scratch/csv"
}

# all_are_counted - the samples weigh as many events as there were.  (In one of a dozen runs, Linux
# tells a first period that is far too long, and perf report shows a quarter more events, too; and
# once samples outside of the two functions weighed a twentieth of all.)
all_are_counted()
{
	need opreport --session-dir="$session" --csv -l >"$scratch/csv"
	head -n 1 "$scratch/csv" | grep -q '(events)' || fail "the samples have no weights"
	all=$(weighed "") both=$(weighed faults_heavy)
	both=$((both + $(weighed faults_light)))
	echo "$known faults: $all counted, $both in the two functions"
	awk -v all="$all" -v known="$known" -v both="$both" 'BEGIN {
		exit !(all > 0.99 * known && all < 3 * known && both > 0.9 * all) }' ||
		fail "of $known faults $all were counted, $both of them in the two functions"
}

# distance FILE FILE - the total variation of two lists of shares in percent, by symbol
distance()
{
	sort "$1" >"$scratch/a"
	sort "$2" >"$scratch/b"
	join -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$scratch/a" "$scratch/b" |
		awk '{ d = $2 - $3; sum += d < 0 ? -d : d } END { printf "%.3f\n", sum / 2 }'
}

import_is_as_perf_says()
{
	need perf record -q -N -B -e page-faults -F "$1" -o "$scratch/data" ./faults "$turns"
	rm -rf "$session"
	need opimport -o "$session" "$scratch/data"
	perf report --stdio -i "$scratch/data" --sort symbol 2>/dev/null |
		awk '$1 ~ /%$/ { sub("%", "", $1); print $3, $1 }' >"$scratch/perf"
	opreport --session-dir="$session" -l -n |
		awk '{ print $NF, $2 }' >"$scratch/ours"
	off=$(distance "$scratch/perf" "$scratch/ours")
	echo "-F $1: total variation from perf report $off %"
	awk -v off="$off" 'BEGIN { exit !(off < 1) }' || {
		cat "$scratch/perf" "$scratch/ours"
		fail "-F $1: the import differs from perf report by $off %"
	}
}

cp "$own/faults" .
sample -e page-faults -F "$(rate 999)" "$own/faults" "$turns"
all_are_counted
rm -rf "$session"
sample -g -e page-faults -F "$(rate 999)" "$own/faults" "$turns"
all_are_counted
if perf version >/dev/null 2>&1; then
	import_is_as_perf_says 99
	import_is_as_perf_says "$(rate 999)"
else
	echo "no perf: imports were not compared"
fi
