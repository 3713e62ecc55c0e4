#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a profile of a program by instructions is that of the exact histogram, with one sample
# covers: each period, no more and no less, on each CPU; it is no worse than perf record's of the
# covers: same program in the same guest, which is held against the histogram as well
# pmu: model=core model=core2 model=k8
# smp: 1 2
# limit: 180

# shellcheck source=../guest/case.sh
. /vm/case.sh

period=10007
rounds=2000 # gives more than 25,000 samples
hot=/vm/pmu/hot

$hot symbols >/tmp/symbols

# truth NAME - what the program executed, into /tmp/NAME.exact, and sets $exact
truth()
{
	pmu symbols 0 1 /tmp/symbols >"/tmp/$1.exact"
	same "functions that ran" "$(wc -l <"/tmp/$1.exact")" 6
	exact=$(exact_count 10000000 11000000)
	awk -v all="$exact" '{ n += $2 } END { print "others", all - n }' "/tmp/$1.exact" \
		>/tmp/others
	cat /tmp/others >>"/tmp/$1.exact"
}

# judge NAME WHOLE SAMPLES-OF... - write /tmp/NAME, of as many samples, by a command that prints
# the samples of a symbol, and compare each symbol with /tmp/NAME.exact
judge()
{
	name=$1 whole=$2
	shift 2
	enough "samples of $name" "$whole" 25000
	others=$whole
	while read -r symbol count; do
		n=$others
		[ "$symbol" = others ] || n=$("$@" "$symbol")
		others=$((others - n))
		share "$name: $symbol" "$n" "$whole" \
			"$(awk -v a="$count" -v b="$exact" 'BEGIN { printf "%.9f", a / b }')"
		echo "$symbol $n" >&3
	done <"/tmp/$name.exact" 3>"/tmp/$name"
}

perf_samples() { awk -v symbol="$1" '$3 == symbol { n = $1 } END { print n + 0 }' /tmp/perf_report; }

by_perf()
{
	pmu snapshot 0
	need perf record -q -m 1024 -e instructions:u -c $period -o /tmp/data $hot $rounds
	pmu snapshot 1
	perf report -i /tmp/data --stdio -F sample,sym 2>/tmp/said >/tmp/perf_report ||
		fail "perf report: $(cat /tmp/said)"
	truth perf
	whole=$(awk '$1 ~ /^[0-9]+$/ { n += $1 } END { print n + 0 }' /tmp/perf_report)
	within "perf's samples of $exact instructions" "$whole" \
		$((exact / period - 1)) $((exact / period + 1))
	judge perf "$whole" perf_samples
}

# the program on each CPU at once
cat >/tmp/each_cpu <<'END'
cpus=$(nproc)
for cpu in $(seq 0 $((cpus - 1))); do
	taskset $((1 << cpu)) "$1" $(($2 / cpus + 10)) &
done
wait
END

by_oprofile()
{
	profile_exactly sh /tmp/each_cpu $hot $rounds
	one_each_period $period
	truth oprofile
	report $hot
	judge oprofile "$(line_samples "")" symbol_samples
	rm -rf $session
}

need opcontrol --init --backend x86
unlimited
event=INST_RETIRED
! opcontrol --list-events | grep -q '^RETIRED_INSTRUCTIONS' || event=RETIRED_INSTRUCTIONS
need opcontrol --event=$event:$period:0:0:1
twice by_oprofile
need opcontrol --deinit
twice by_perf
not_worse oprofile perf
pmu statistics
