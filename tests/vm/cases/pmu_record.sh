#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: perf record on the emulated PMU takes a sample each period, no more and no less, and
# covers: its profile is that of the exact histogram
# pmu: model=core model=nehalem model=zen
# smp: 1 2
# limit: 180

# shellcheck source=../guest/case.sh
. /vm/case.sh

period=10007
rounds=2000 # gives more than 25,000 samples

perf_unlimited
/vm/pmu/hot symbols >/tmp/symbols

# the samples of a symbol
sampled() { awk -v symbol="$1" '$3 == symbol { n = $1 } END { print n + 0 }' /tmp/report; }

record()
{
	pmu snapshot 0
	need perf record -q -m 1024 -e instructions:u -c $period -o /tmp/data /vm/pmu/hot $rounds
	pmu snapshot 1
	perf report -i /tmp/data --stdio -F sample,sym 2>/tmp/said >/tmp/report ||
		fail "perf report: $(cat /tmp/said)"
	whole=$(awk '$1 ~ /^[0-9]+$/ { n += $1 } END { print n + 0 }' /tmp/report)
	instructions=$(exact_count 10000000 11000000)
	within "samples of $instructions instructions" "$whole" \
		$((instructions / period - 1)) $((instructions / period + 1))
	[ "$whole" -ge 25000 ] || fail "only $whole samples"
	pmu symbols 0 1 /tmp/symbols >/tmp/exact
	while read -r name count; do
		share "$name" "$(sampled "$name")" "$whole" \
			"$(awk -v a="$count" -v b="$instructions" 'BEGIN { printf "%.9f", a / b }')"
	done </tmp/exact
	same "functions that ran" "$(wc -l </tmp/exact)" 6
}

twice record
pmu statistics
