#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: CPUs of two kinds in one machine, and counters of version 6: perf counts, each CPU by the
# covers: PMU that has it, one sample each period, beside the NMI watchdog; --status and the log say
# covers: why it is not x86; an event that is not the same on all CPUs is refused
# pmu: model=alderlake@7.2 model=clearwater@7.2
# limit: 240
# check: 7.2

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

fs=/dev/oprofile
period=10007

kinds=false why="counters of version 6 cannot be reserved against perf"
if [ -e /sys/bus/event_source/devices/cpu_atom ]; then
	kinds=true why="the CPUs are of several kinds, which perf tells apart"
fi
echo "$why"

need opcontrol --init
unlimited
opcontrol --status >/tmp/status
grep '^Backend:' /tmp/status
grep -qx "Backend: perf ($why)" /tmp/status || fail "--status does not say why"
same "the CPU type" "$(cat $fs/cpu_type)" i386/arch_perfmon
opcontrol --list-events | grep -q 'CPU type "Intel Architectural Perfmon"' ||
	fail "the events are not those that all CPUs have"

# The program on each CPU at once.
cat >/tmp/each_cpu <<'END'
for cpu in 0 1; do
	taskset $((1 << cpu)) "$1" "$2" &
done
wait
END
need opcontrol --event=INST_RETIRED:$period:0:0:1
profile_exactly sh /tmp/each_cpu $hot 300
one_each_period $period
for cpu in 0 1; do
	enough "samples of CPU $cpu" "$(cat "$samples/stats/cpu$cpu/sample_received")"
done
rm -rf "$session"

need write 1 /proc/sys/kernel/nmi_watchdog
need opcontrol --start
need $hot 100
need opcontrol --shutdown
need write 0 /proc/sys/kernel/nmi_watchdog
accounts
rm -rf "$session"

# Near calls on big cores; on small ones that is another event.
for entry in event:0xc4 unit_mask:2 kernel:0 user:1 count:100003 enabled:1; do
	need write "${entry#*:}" "$fs/0/${entry%%:*}"
done
if $kinds; then
	refuse "Invalid argument" dd if=$fs/buffer of=/dev/null
	dmesg | grep 'oprofile: .*counter 0: not all kinds of CPUs have event 0xc4, mask 0x02' ||
		fail "the log does not say why"
else
	exec 5<$fs/buffer
	need write 1 $fs/enable
	need write 0 $fs/enable
	exec 5<&-
fi
need opcontrol --deinit
opcontrol --init --backend x86 >/tmp/said 2>&1 && fail "x86 can be had by its name"
cat /tmp/said
dmesg | grep "oprofile: backend x86 cannot be used on this machine: $why" ||
	fail "the log does not say why x86 cannot be had"
