#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: each start of a daemon chooses the best backend that works then: nmi_timer while another
# covers: driver holds all counters, x86 when it has gone, unless one was asked for by name;
# covers: --status and reports say which, and why; a start that finds no counters fails
# pmu: model=nehalem@6.1 model=icelake@6.12 model=zen@7.2
# limit: 150
# check: 6.1 7.2

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

# profiled_by TEXT - a start, some work and an end; the backend is what --status and opreport say
profiled_by()
{
	need opcontrol --start
	opcontrol --status >/tmp/status
	grep '^Backend:' /tmp/status
	grep -qx "Backend: $1" /tmp/status || fail "--status does not say \"Backend: $1\""
	need $hot 100
	need opcontrol --shutdown
	need opdb check "$samples"
	accounts
	[ "$(stored)" -gt 0 ] || fail "no samples came by $1"
	need opreport >/tmp/report
	grep -qx "Backend: $1" /tmp/report || fail "opreport does not say \"Backend: $1\""
	rm -rf "$session"
}

held="nmi_timer (other drivers hold all counters)"
parameter=/sys/module/oprofile/parameters/backend

echo "-- held as the module is loaded, and then free"
need insmod /vm/modules/hold_counters.ko
need opcontrol --init
profiled_by "$held"
same "the parameter" "$(cat $parameter)" nmi_timer
need rmmod hold_counters
profiled_by "x86 (the best one)"
same "the parameter" "$(cat $parameter)" x86

echo "-- held again, and then an event is asked for"
need insmod /vm/modules/hold_counters.ko
profiled_by "$held"
refuse "samples by a timer" opcontrol --event=CPU_CLK_UNHALTED:100000
need rmmod hold_counters
event=$(opcontrol --status | sed -n 's/^Event 0: \([A-Z_a-z]*\):.*/\1/p')
[ "$event" != TIMER ] || event=''
need opcontrol --event="${event:-CPU_CLK_UNHALTED}:1000003"
profiled_by "x86 (the best one)"

echo "-- held only when it starts: no clock stands in for an event, and the log says what would work"
need opcontrol --start-daemon
same "the parameter" "$(cat $parameter)" x86
need insmod /vm/modules/hold_counters.ko
need opcontrol --event="${event:-CPU_CLK_UNHALTED}:1000003"
! write 1 /dev/oprofile/enable || fail "a start without counters succeeded"
same "enable" "$(cat /dev/oprofile/enable)" 0
dmesg | grep 'oprofile: process .*counter [0-9]* is held by perf or the NMI watchdog.*; "opcontrol --start --backend=nmi_timer" samples by time$' ||
	fail "the log does not say why, and what would work"
need rmmod hold_counters
need write 1 /dev/oprofile/enable
need opcontrol --shutdown
rm -rf "$session"

echo "-- a start by name has no other"
need opcontrol --event=default
need opcontrol --deinit
need opcontrol --init --backend nmi_timer
profiled_by "nmi_timer (asked for)"
need opcontrol --deinit
need insmod /vm/modules/hold_counters.ko
need opcontrol --init --backend x86
refuse "no counter can be used" opcontrol --start
need rmmod hold_counters
profiled_by "x86 (asked for)"
need opcontrol --deinit
