#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: what a sample of ours costs: instructions of the kernel and of the daemon between a
# covers: run with a long and one with a short period, flat and with call graph, by our own
# covers: backend and by the one on top of perf
# pmu: model=nehalem
# smp: exact
# limit: 600

# shellcheck source=../../guest/case.sh
. /vm/case.sh

rounds=1000
perf_unlimited

run_and_dump()
{
	/vm/pmu/hot $rounds >/dev/null && opcontrol --dump
}

# record NAME PERIOD DEPTH - prints what it took, and sets $count, $user and $kernel
record()
{
	need opcontrol --event=INST_RETIRED:"$2":any_p:0:1 --callgraph="$3" --separate=none
	need opcontrol --start
	measure "$1" run_and_dump >/tmp/measured
	cat /tmp/measured
	count=$(stat_sum sample_received)
	user=$(awk '{ print $(NF - 2) }' /tmp/measured) kernel=$(awk '{ print $NF }' /tmp/measured)
	need opcontrol --shutdown
}

for backend in x86 perf; do
	need opcontrol --init --backend $backend
	write 0 /sys/module/oprofile/parameters/cpu_time_max_percent
	record "$backend, warm-up" 1000003 0
	for depth in 0 8; do
		# With a call graph, fifteen times the least period is the least.
		[ $depth = 0 ] && period=10007 || period=90007
		name="oprofile, backend $backend, call graph of depth $depth"
		record "$name, long period" 1000003 $depth
		long_count=$count long_user=$user long_kernel=$kernel
		record "$name, short period" $period $depth
		count=$((count - long_count))
		echo "measured: $name, of $count samples: a sample takes" \
			"$(((kernel - long_kernel) / count)) kernel instructions and" \
			"$(((user - long_user) / count)) of the daemon"
	done
	need opcontrol --deinit
done
