#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: what a sample of perf record costs: instructions of the kernel and of perf itself
# covers: between a run with a long and one with a short period, of the same events as ours
# pmu: model=nehalem
# smp: exact
# limit: 300

# shellcheck source=../../guest/pmu_case.sh
. /vm/pmu_case.sh

hot='/vm/pmu/hot 1000'
deep='/vm/pmu/deep 40000000'
# shellcheck disable=SC2016
frameless='mawk BEGIN{for(i=0;i<3000000;i++)n+=i*2}'
unlimited
need write 8 /proc/sys/kernel/perf_event_max_stack

# record NAME PERIOD COMMAND OPTION... - prints what it took, and sets $samples, $user and $kernel
record()
{
	run=$1 period=$2 command=$3
	shift 3
	before=$(pmu statistics | awk '{ print $2 }')
	# shellcheck disable=SC2086 # words
	measure "$run" perf record -q -m 1024 -B -N "$@" -c "$period" -o /tmp/data \
		$command >/tmp/measured
	cat /tmp/measured
	samples=$(($(pmu statistics | awk '{ print $2 }') - before))
	user=$(awk '{ print $(NF - 2) }' /tmp/measured) kernel=$(awk '{ print $NF }' /tmp/measured)
}

# cost KIND SHORT LONG COMMAND OPTION... - of a sample, by the difference of two periods
cost()
{
	kind=$1 short=$2 long=$3
	shift 3
	record "perf, $kind, long period" "$long" "$@"
	long_samples=$samples long_user=$user long_kernel=$kernel
	record "perf, $kind, short period" "$short" "$@"
	samples=$((samples - long_samples))
	echo "measured: cost perf-record $kind kernel $(((kernel - long_kernel) / samples))" \
		"user $(((user - long_user) / samples)) samples $samples"
}

record "perf, warm-up" 1000003 "$hot" -e instructions:u
cost flat 10007 1000003 "$hot" -e instructions:u
cost callgraph 7507 1000003 "$deep" -g -e branches:u
cost frameless 7507 1000003 "$frameless" -g -e branches:u
