#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: counters that others use without a reservation, on one of the CPUs: at a start, and while
# covers: they count, whichever register is written; perf stands in, --status says why, and all
# covers: samples are accounted for; the next start has x86 again; that one, asked for by name, stops
# pmu: model=nehalem@6.1 model=zen4@7.2
# limit: 240
# check: 6.1 7.2 6.1-kasan

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

fs=/dev/oprofile
need modprobe msr
need opcontrol --init
unlimited
case $(cat $fs/cpu_type) in
i386/*) select=186 step=1 global=38f all=f event=BR_INST_RETIRED ;;
*) select=c0010200 step=2 global=c0000301 all=3f event=RETIRED_BRANCH_INSTRUCTIONS ;;
esac
load=
trap 'kill $load' EXIT
# load_cpus - keep both busy
load_cpus()
{
	for cpu in 0 1; do
		nice -n 19 taskset $((1 << cpu)) $hot 10000000 5<&- &
		load="$load $!"
	done
}
backend_is() { [ "$(sed 's/ .*//' $fs/backend)" = "$1" ]; }
received() { cat "$fs/stats/cpu$1/sample_received"; }
more_than() { [ "$(received "$1")" -gt "$2" ]; }
stopped() { [ "$(cat $fs/enable)" = 0 ]; }

# sum_turn - the statistics of a turn, which the next start resets, are added up
all_received=0 all_lost=0
sum_turn()
{
	_sums=$(cd $fs/stats && grep . ./* cpu*/* 2>/dev/null | sed 's/.*\///; s/:/ /')
	all_received=$((all_received + $(echo "$_sums" | sum_of sample_received)))
	# shellcheck disable=SC2086,SC2154
	all_lost=$((all_lost + $(echo "$_sums" | sum_of $kernel_losses)))
}

# start_turn
start_turn()
{
	sum_turn
	need write 1 $fs/enable
}

# turns_account - received = stored + lost, of all turns
turns_account()
{
	sum_turn
	_stored=$(stored) _daemon=$(daemon_lost)
	echo "received $all_received = stored $_stored + lost $all_lost + $_daemon"
	same "stored + lost" $((_stored + all_lost + _daemon)) $all_received
}

# says BACKEND - --status and the entry
says()
{
	cat $fs/backend
	opcontrol --status >/tmp/status
	grep -qxF "Backend: $1" /tmp/status || fail "--status does not say \"Backend: $1\""
}

# both_sampled - more than before, on each CPU
both_sampled()
{
	for cpu in 0 1; do
		until_true 30 more_than $cpu $(($(received $cpu) + 50))
	done
}

load_cpus
need opcontrol --start-daemon --event=$event:50021::0:1
counter=$(grep -lx 1 $fs/[0-9]*/enabled | sed 's/.*oprofile.\([0-9]*\).*/\1/')
register=$(printf %x $((0x$select + counter * step)))
echo "counter $counter, register $register"

echo "-- used before the start, on CPU 1"
pmu msr 1 $global $all >/dev/null
pmu msr 1 "$register" 4100c0 >/dev/null
start_turn
says "perf (a counter is in use on CPU 1, unreserved)"
both_sampled
need write 0 $fs/enable
pmu msr 1 "$register" 0 >/dev/null

# taken MSR VALUE WHAT - while x86 samples, somebody writes to that register of CPU 1
taken()
{
	echo "-- $3 written to while it counts"
	start_turn
	says "x86 (the best one)"
	both_sampled
	pmu msr 1 "$1" "$2" >/dev/null
	until_true 30 backend_is perf
	says "perf (others use the counters: $3 was changed on CPU 1)"
	both_sampled
	need write 0 $fs/enable
	pmu msr 1 "$1" 0 >/dev/null
	pmu msr 1 $global $all >/dev/null
}
taken "$register" 0 "an event select"
taken $global 0 "the global control"
need opcontrol --shutdown
need opdb check "$samples"
turns_account
need opcontrol --deinit
rm -rf "$session"
all_received=0 all_lost=0

echo "-- asked for by its name, it has no other"
need opcontrol --init --backend x86
need opcontrol --start-daemon
start_turn
both_sampled
pmu msr 1 "$register" 0 >/dev/null
until_true 30 stopped
dmesg | grep "oprofile: process .*others use the counters: an event select was changed on CPU 1" ||
	fail "the log does not say why it has stopped"
start_turn
says "x86 (asked for)"
both_sampled
need opcontrol --shutdown
turns_account
need opcontrol --deinit
