#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: samples come too fast, so that periods are doubled: samples weigh what they stand for.
# covers: The same program twice has half of the profile each time, and their events are all there
# pmu: model=nehalem@6.1 model=core2@6.12 model=k8@7.2
# sanitised: handlers are so slow there that hardly a sample is left
# limit: 200
# check: 6.1 7.2

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

rounds=600
cp $hot /tmp/first
cp $hot /tmp/second

need opcontrol --init --backend x86
case $(cat /dev/oprofile/cpu_type) in
x86-64/hammer) period=3001 event=RETIRED_INSTRUCTIONS:$period::0:1 ;;
i386/core_2) period=6007 event=INST_RETIRED:$period::0:1 ;;
*) period=6007 event=INST_RETIRED:$period:any_p:0:1 ;;
esac
need write 3 /sys/module/oprofile/parameters/cpu_time_max_percent
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

# weight IMAGE - events that the samples of a program stand for
weight()
{
	sed -n 's/.*"weights": \[\([0-9]*\)\].*"image": "\([^"]*\)".*/\1 \2/p' /tmp/json |
		awk -v image="$1" '$2 == image { n += $1 } END { printf "%d\n", n }'
}

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
