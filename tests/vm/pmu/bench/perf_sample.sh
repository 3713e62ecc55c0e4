#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: what a sample of perf record costs: instructions of the kernel and of perf itself
# covers: between a run with a long and one with a short period
# pmu: model=nehalem
# smp: exact
# limit: 300

# shellcheck source=../../guest/case.sh
. /vm/case.sh

rounds=1000
perf_unlimited

# record NAME PERIOD OPTION... - prints what it took, and sets $samples, $user and $kernel
record()
{
	run=$1 period=$2
	shift 2
	before=$(pmu statistics | awk '{ print $2 }')
	measure "$run" perf record -q -m 1024 -B -N "$@" -e instructions:u -c "$period" -o /tmp/data \
		/vm/pmu/hot $rounds >/tmp/measured
	cat /tmp/measured
	samples=$(($(pmu statistics | awk '{ print $2 }') - before))
	user=$(awk '{ print $(NF - 2) }' /tmp/measured) kernel=$(awk '{ print $NF }' /tmp/measured)
}

record warm-up 1000003
for option in "" -g; do
	name="perf record${option:+ $option}"
	record "$name, long period" 1000003 $option
	long_samples=$samples long_user=$user long_kernel=$kernel
	record "$name, short period" 10007 $option
	samples=$((samples - long_samples))
	echo "measured: $name, of $samples samples: a sample takes" \
		"$(((kernel - long_kernel) / samples)) kernel instructions and" \
		"$(((user - long_user) / samples)) of perf's own"
done
