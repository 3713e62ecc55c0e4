#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: what a sample of ours costs: instructions of the kernel and of the daemon between a
# covers: run with a long and one with a short period, flat and with call graph, by our own
# covers: backend and by the one on top of perf
# pmu: model=nehalem
# smp: exact
# limit: 600

# shellcheck source=../../guest/pmu_case.sh
. /vm/pmu_case.sh

rounds=4000 # what is done once, for a session or a process, must not show

run_and_dump()
{
	/vm/pmu/hot $rounds >/dev/null && opcontrol --dump
}

# record NAME EVENT DEPTH - prints what it took, and sets $count, $user and $kernel
record()
{
	need opcontrol --event="$2" --callgraph="$3" --separate=none
	need opcontrol --start
	measure "$1" run_and_dump >/tmp/measured
	cat /tmp/measured
	count=$(stat_sum sample_received)
	user=$(awk '{ print $(NF - 2) }' /tmp/measured) kernel=$(awk '{ print $NF }' /tmp/measured)
	need opcontrol --shutdown
}

# cost KIND DEPTH EVENT:UNITMASK SHORT LONG - of a sample, by the difference of two periods
cost()
{
	record "$backend, $1, long period" "${3%:*}:$5:${3#*:}:0:1" "$2"
	long_count=$count long_user=$user long_kernel=$kernel
	record "$backend, $1, short period" "${3%:*}:$4:${3#*:}:0:1" "$2"
	count=$((count - long_count))
	echo "measured: cost oprofile-$backend $1 kernel $(((kernel - long_kernel) / count))" \
		"user $(((user - long_user) / count)) samples $count"
}

for backend in x86 perf; do
	need opcontrol --init --backend $backend
	unlimited
	record "$backend, warm-up" INST_RETIRED:1000003:any_p:0:1 0
	cost flat 0 INST_RETIRED:any_p 10007 1000003
	# an event of which opcontrol allows as many call graphs
	cost callgraph 8 BR_INST_RETIRED:0x00 7507 1000003
	need opcontrol --deinit
done
