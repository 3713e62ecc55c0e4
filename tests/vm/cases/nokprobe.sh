#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: no probe can be set on what the module runs in NMI, in any of its backends; on the rest of
# covers: it one can
# check: 6.1 7.2

# shellcheck source=../guest/case.sh
. /vm/case.sh

need opcontrol --init
[ -d /sys/kernel/tracing ] || skip "the kernel has no tracefs"
[ -e /sys/kernel/tracing/kprobe_events ] || need mount -t tracefs tracefs /sys/kernel/tracing
events=/sys/kernel/tracing/kprobe_events
[ -e $events ] || skip "the kernel has no kprobe_events"

# probe FUNCTION - set one there, and none anywhere else
probe() { write "p:oprofile_test $1" $events; }

for function in oprofile_setup op_sync_all x86_start cpu_start; do
	need probe $function
done
awk '$4 == "[oprofile]" { print $3 }' /proc/kallsyms >/tmp/functions
for function in handle_counter_nmi handle_timer_nmi on_overflow op_backtrace op_x86_pmu_handle \
	oprofile_add_sample oprofile_add_weighted_sample op_sync_kick op_sync_kick_later \
	op_mark_sampled; do
	grep -qx "$function" /tmp/functions ||
		fail "the module has no function $function"
	_said=$(probe $function 2>&1) && fail "a probe can be set on $function"
	echo "$function: $_said"
done
: >$events
