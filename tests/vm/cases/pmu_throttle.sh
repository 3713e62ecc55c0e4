#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: samples come too fast, for x86's limit of time or for perf's of samples, so that periods are
# covers: doubled: samples weigh what they stand for.  The same program twice has half of the profile
# covers: each time, and their events are all there
# pmu: model=nehalem@6.1 model=core2@6.12 model=k8@7.2
# sanitised: handlers are so slow there that hardly a sample is left
# limit: 300
# check: 6.1 7.2

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

rounds=2000
cp $hot /tmp/first
cp $hot /tmp/second

# weight IMAGE - events that the samples of a program stand for
weight()
{
	sed -n 's/.*"weights": \[\([0-9]*\)\].*"image": "\([^"]*\)".*/\1 \2/p' /tmp/json |
		awk -v image="$1" '$2 == image { n += $1 } END { printf "%d\n", n }'
}

# limit_samples BACKEND - far below what comes
limit_samples()
{
	case $1 in
	x86) need write 3 /sys/module/oprofile/parameters/cpu_time_max_percent ;;
	perf)
		trap 'limit_perf "$rate" "$percent"' EXIT # other cases share the boot
		limit_perf 2500 0
		;;
	esac
}

# limit_perf RATE PERCENT - samples a second, which cannot be changed if they take 0, or any, time
limit_perf()
{
	need write 25 /proc/sys/kernel/perf_cpu_time_max_percent
	need write "$1" /proc/sys/kernel/perf_event_max_sample_rate
	need write "$2" /proc/sys/kernel/perf_cpu_time_max_percent
}
rate=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
percent=$(cat /proc/sys/kernel/perf_cpu_time_max_percent)

# throttle BACKEND
throttle()
{
	echo "-- backend $1"
	need opcontrol --init --backend "$1"
	case $(cat /dev/oprofile/cpu_type) in
	x86-64/hammer) period=3001 event=RETIRED_INSTRUCTIONS:$period::0:1 ;;
	i386/core_2) period=6007 event=INST_RETIRED:$period::0:1 ;;
	*) period=6007 event=INST_RETIRED:$period:any_p:0:1 ;;
	esac
	limit_samples "$1"
	dmesg -c >/dev/null
	need opcontrol --start --event="$event"
	pmu snapshot 0
	need /tmp/first $rounds
	need /tmp/second $rounds
	pmu snapshot 1
	need opcontrol --shutdown
	need opdb check "$samples"
	accounts

	throttled=$(stat_sum throttled)
	echo "throttled ${throttled:-0} times"
	[ "${throttled:-0}" -gt 0 ] || fail "periods were never doubled: nothing is tested"
	dmesg | grep 'oprofile: .*throttled' || fail "the log does not say that periods were doubled"
	opreport /tmp/first /tmp/second
	need opreport --json /tmp/first /tmp/second >/tmp/json
	first=$(weight /tmp/first) second=$(weight /tmp/second)
	within "share of the first run" "$(awk -v a="$first" -v b="$second" \
		'BEGIN { print a / (a + b) }')" 0.48 0.52
	exact=$(exact_count 10000000 11000000)
	# Else samples that weigh nothing would do, too.
	within "samples / periods" "$(awk -v n="$(stored)" -v exact="$exact" -v p="$period" \
		'BEGIN { print n * p / exact }')" 0 0.8
	within "events / exact" "$(awk -v n=$((first + second)) -v exact="$exact" \
		'BEGIN { print n / exact }')" 0.97 1.03
	need opcontrol --deinit
	rm -rf "$session"
}

throttle x86
throttle perf
