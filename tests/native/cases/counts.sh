#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: ocount: counts are right where the truth is known; places apart; intervals; CSV; JSON

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# value EVENT - the count in $scratch/out, CSV
value() { awk -F, -v event="$1" '$2 == event { print $(NF - 4) }' "$scratch/out"; }

need ocount -b -e task-clock,page-faults -f "$scratch/out" "$workloads/split" 0.5 >/dev/null
within "ns of 0.5 s of CPU time" "$(value task-clock)" 490000000 560000000
# 4000 pages that are written for the first time, some of them by the kernel, whose faults an
# ordinary user may not count; and what a program takes anyway
least=1000
is_root && least=4000
need ocount -b -e minor-faults -f "$scratch/out" sh -c 'head -c 16384000 /dev/zero | tail >/dev/null'
within "page faults" "$(value minor-faults)" $least 12000

"$workloads/split" 2 >/dev/null &
need ocount -b -t -p $! -e task-clock -i 200:3 -f "$scratch/out"
kill $!
same "lines" "$(wc -l <"$scratch/out")" 4
same "heading" "$(head -n 1 "$scratch/out")" \
	time,event,thread,count,counted,enabled_ns,running_ns,percent
awk -F, -v pid=$! 'NR > 1 && ($3 != pid || $4 > 250000000) { exit 1 }' "$scratch/out" ||
	fail "an interval has more than its time, or another thread: $(cat "$scratch/out")"

need ocount -j -e page-faults -f "$scratch/out" true
python3 -c 'import json, sys
row = json.loads(open(sys.argv[1]).read())
assert row["event"] == "page-faults" and 20 < row["count"] < 1000, row
assert row["running_ns"] == row["enabled_ns"], row' "$scratch/out" || fail "no good JSON"

need ocount -f "$scratch/out" -e context-switches true
grep -q 'Counted for .* seconds in true (actual counts)' "$scratch/out" || fail "no heading"

is_root || exit 0
need ocount -b -s -c -e cpu-clock -i 300:1 -f "$scratch/out"
same "CPUs" "$(tail -n +2 "$scratch/out" | wc -l)" "$(getconf _NPROCESSORS_ONLN)"
awk -F, 'NR > 1 && ($4 < 250000000 || $4 > 900000000) { exit 1 }' "$scratch/out" ||
	fail "CPU time that was not: $(cat "$scratch/out")"
