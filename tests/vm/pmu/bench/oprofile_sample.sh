#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: what a sample of ours costs: instructions of the kernel and of the daemon between a
# covers: run with a long and one with a short period, flat, with eight frames, and with call
# covers: chains of code without frame pointers, by our own backend and by the one on top of perf
# pmu: model=nehalem
# smp: exact
# limit: 600

# shellcheck source=../../guest/pmu_case.sh
. /vm/pmu_case.sh

# long enough that what is done once, for a session or a process, does not show
hot='/vm/pmu/hot 4000'			# no callers to speak of
deep='/vm/pmu/deep 150000000'		# 70 frames
# shellcheck disable=SC2016
frameless='mawk BEGIN{for(i=0;i<3000000;i++)n+=i*2}'	# Debian's, without frame pointers

run_and_dump()
{
	"$@" >/dev/null && opcontrol --dump
}

# record NAME EVENT DEPTH COMMAND... - prints what it took, and sets $count, $user and $kernel
record()
{
	need opcontrol --event="$2" --callgraph="$3" --separate=none
	need opcontrol --start
	run=$1
	shift 3
	measure "$run" run_and_dump "$@" >/tmp/measured
	cat /tmp/measured
	count=$(stat_sum sample_received)
	user=$(awk '{ print $(NF - 2) }' /tmp/measured) kernel=$(awk '{ print $NF }' /tmp/measured)
	need opcontrol --shutdown
}

# cost KIND DEPTH EVENT:UNITMASK SHORT LONG COMMAND... - of a sample, by the difference of two
# periods.  At first the daemon saves the symbols of programs that have many samples.
cost()
{
	kind=$1 depth=$2 event=${3%:*} mask=${3#*:} short=$4 long=$5
	shift 5
	record "$backend, $kind, warm-up" "$event:$short:$mask:0:1" "$depth" "$@"
	record "$backend, $kind, long period" "$event:$long:$mask:0:1" "$depth" "$@"
	long_count=$count long_user=$user long_kernel=$kernel
	record "$backend, $kind, short period" "$event:$short:$mask:0:1" "$depth" "$@"
	count=$((count - long_count))
	echo "measured: cost oprofile-$backend $kind kernel $(((kernel - long_kernel) / count))" \
		"user $(((user - long_user) / count)) samples $count"
}

for backend in x86 perf; do
	need opcontrol --init --backend $backend
	unlimited
	# shellcheck disable=SC2086 # words
	cost flat 0 INST_RETIRED:any_p 10007 1000003 $hot
	# an event of which opcontrol allows as many call graphs
	# shellcheck disable=SC2086
	cost callgraph 8 BR_INST_RETIRED:0x00 7507 1000003 $deep
	# shellcheck disable=SC2086
	cost frameless 8 BR_INST_RETIRED:0x00 7507 1000003 $frameless
	need opcontrol --deinit
done
