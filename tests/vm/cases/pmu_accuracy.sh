#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a profile of a program by instructions is that of the exact histogram, with one sample
# covers: each period, no more and no less, on each CPU; it is no worse than perf record's of the
# covers: same program in the same guest, which is held against the histogram as well
# pmu: model=core2@6.1 model=core@6.12 model=k8@7.2 model=zen4@7.2
# smp: 1@6.12 2@6.1,7.2
# limit: 400
# check: 6.1 7.2 6.1-kcsan

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

period=10007
rounds=2000 least=25000 # samples that these give
! sanitised || rounds=500 least=6000

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

by_perf()
{
	pmu snapshot 0
	need perf record -q -m 1024 -e instructions:u -c $period -o /tmp/data $hot $rounds
	pmu snapshot 1
	perf_profile /tmp/data >/tmp/symbol_samples
	truth perf
	judge perf $least </tmp/symbol_samples
	whole=$(awk '{ n += $2 } END { print n + 0 }' /tmp/perf)
	within "perf's samples of $exact instructions" "$whole" \
		$((exact / period - 1)) $((exact / period + 1))
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
	opreport_profile $hot >/tmp/symbol_samples
	judge oprofile $least </tmp/symbol_samples
	rm -rf "$session"
}

need opcontrol --init --backend x86
unlimited
event=INST_RETIRED
! opcontrol --list-events | grep -q '^RETIRED_INSTRUCTIONS' || event=RETIRED_INSTRUCTIONS
if [ "$(cat /dev/oprofile/cpu_type)" = x86-64/generic ]; then
	period=50021 least=$((least / 5)) # opcontrol takes no shorter period there
fi
need opcontrol --event=$event:$period:0:0:1
by_oprofile
need opcontrol --deinit
by_perf
not_worse oprofile perf
pmu statistics
