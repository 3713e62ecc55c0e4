#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: samples at a frequency weigh the events they stand for, live and in imports: page faults,
# covers: whose period is adapted on hosts without a PMU, too

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

turns=$(as_often 200 999)
known=$((4000 * turns))

# weighed SYMBOL - the events of a symbol ("": of all), of $scratch/csv
weighed()
{
	awk -F, -v symbol="$1" 'NR > 1 && (symbol == "" || $5 == symbol) { n += $2 }
		END { printf "%d\n", n }' "$scratch/csv"
}

# all_are_counted - the samples weigh as many events as there were.  Now and then Linux tells a
# period in which the program has not had so many: then perf report shows more events, too.
all_are_counted()
{
	need opreport --session-dir="$session" --csv -l >"$scratch/csv"
	head -n 1 "$scratch/csv" | grep -q '(events)' || fail "the samples have no weights"
	all=$(weighed "")
	echo "$known faults: $all counted"
	awk -v all="$all" -v known="$known" 'BEGIN { exit !(all > 0.99 * known && all < 3 * known) }' ||
		fail "of $known faults $all were counted"
}

# has_begun PID - does it run for so long that it only has the faults of its two functions?
has_begun() { [ "$(awk '{ print $14 + $15 }' "/proc/$1/stat")" -ge 10 ]; }

# only_the_two_have_events - each event is where it happened.  This is seen in a program that runs
# already: Linux adapts the period after each sample, so that the sixth or so of a program can weigh
# thousands, and a sample of a software event tells the period that begins with it.  That one is
# outside of the functions, at the program's start: 0.12 of all events were seen there.
only_the_two_have_events()
{
	"$own/faults" "$turns" &
	until_true 30 has_begun $!
	sample -e page-faults -F "$(rate 999)" --pid=$!
	need opreport --session-dir="$session" --csv -l >"$scratch/csv"
	all=$(weighed "") both=$(weighed faults_heavy)
	both=$((both + $(weighed faults_light)))
	enough "events" "$all" 10000
	within "events in the two functions, of 1000" $((1000 * both / all)) 990 1000
}

# two_and_others - the shares of the two functions and of all others, whose names may be aliases
two_and_others()
{
	awk '$1 ~ /^faults_/ { print; next } { n += $2 } END { print "others", n + 0 }'
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
	perf report --stdio -i "$scratch/data" --sort symbol >"$scratch/theirs" 2>/dev/null ||
		skip "perf report fails on what perf record made, so that imports were not compared"
	awk '$1 ~ /%$/ { sub("%", "", $1); print $3, $1 }' "$scratch/theirs" |
		two_and_others >"$scratch/perf"
	opreport --session-dir="$session" -l -n |
		awk '$1 ~ /^[0-9]/ { print $NF, $2 }' | two_and_others >"$scratch/ours"
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
rm -rf "$session"
only_the_two_have_events
# Imports know nothing of who recorded: once.
is_root || exit 0
perf version >/dev/null 2>&1 || skip "no perf, so that imports were not compared"
import_is_as_perf_says 99
