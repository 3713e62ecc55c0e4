#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: what a sample of operf costs with the call chains that it takes by default, and without
# covers: them, beside perf record with -g and without: instructions of the kernel and of the
# covers: profiler between a run with a long and one with a short period, of the same program;
# covers: perf only writes what the kernel gives it, operf adds it up
# pmu: model=nehalem
# smp: exact
# limit: 600

# shellcheck source=../../guest/pmu_case.sh
. /vm/pmu_case.sh

unlimited

by_operf() { operf --quiet --session-dir=/tmp/session -e "instructions:$period:0:0:1" "$@"; }
by_perf() { perf record -q -m 1024 -B -N -o /tmp/data -e instructions:u -c "$period" "$@"; }

# record NAME PERIOD PROFILER WORD... - prints what it took, and sets $samples, $user and $kernel
record()
{
	run=$1 period=$2
	shift 2
	before=$(pmu statistics | awk '{ print $2 }')
	measure "$run" "$@" >/tmp/measured 2>/tmp/said
	cat /tmp/measured
	! grep -q ' lost' /tmp/said || fail "$(cat /tmp/said)"
	samples=$(($(pmu statistics | awk '{ print $2 }') - before))
	user=$(awk '{ print $(NF - 2) }' /tmp/measured) kernel=$(awk '{ print $NF }' /tmp/measured)
}

# cost SIDE KIND PROFILER WORD... - of a sample, by the difference of two periods
cost()
{
	side=$1 kind=$2
	shift 2
	record "$side, $kind, warm-up" 10007 "$@"
	record "$side, $kind, long period" 1000003 "$@"
	long_samples=$samples long_user=$user long_kernel=$kernel
	record "$side, $kind, short period" 10007 "$@"
	samples=$((samples - long_samples))
	echo "measured: cost $side $kind kernel $(((kernel - long_kernel) / samples))" \
		"user $(((user - long_user) / samples)) samples $samples"
}

# costs PROGRAM WORK - of a program in tests/vm/pmu/guest
costs()
{
	cost operf "$1-flat" by_operf --no-call-graph "/vm/pmu/$1" "$2"
	cost operf "$1-chains" by_operf "/vm/pmu/$1" "$2"
	cost perf-record "$1-flat" by_perf "/vm/pmu/$1" "$2"
	cost perf-record "$1-chains" by_perf -g "/vm/pmu/$1" "$2"
}

costs hot 1000		# no callers to speak of
costs deep 40000000	# 70 frames
