#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: events as users of perf write them: of user code or the kernel only, tracepoints, raw ones

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# kernel_samples - those of kernel code
kernel_samples() { samples_below '{kern}'; }

sample -e cpu-clock:u "$own/shares" alone "$(as_often 4000 1000)"
enough "samples of user code" "$(stored)" 30
same "samples of the kernel" "$(kernel_samples)" 0
refuse 'modifier "S" is not one of' operf -e cpu-clock:S true
refuse 'no tracepoint of this kernel' operf -e nogroup:noevent true
is_root || exit 0

sample -e cpu-clock:k dd if=/dev/zero of=/dev/null bs=1M count="$(as_often 4000 1000)"
same "samples of user code" $(($(stored) - $(kernel_samples))) 0
enough "samples of the kernel" "$(kernel_samples)" 10

if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	sample -e sched:sched_switch sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.01; done'
	enough "samples of the tracepoint" "$(stored)" 8
	need opreport --session-dir="$session" >"$scratch/report"
	grep -q sched-sched_switch "$scratch/report" || fail "the report does not name it"
else
	echo "no tracepoints: this kernel has none in /sys/kernel/tracing"
fi

# the same counter by its number and by its name, where there are counters
if operf --session-dir="$scratch/raw" -e r00c0 "$own/shares" alone 100 2>"$scratch/said"; then
	need opreport --session-dir="$scratch/raw" | grep -q r00c0
else
	grep -q 'no hardware counter' "$scratch/said" || fail "no reason: $(cat "$scratch/said")"
fi
