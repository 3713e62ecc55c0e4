#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: the machine sleeps (ACPI S3) and wakes up while it is sampled: then both CPUs are
# covers: sampled again, and after a stop the counters' registers are what they were before
# pmu: model=nehalem
# kernels: 6.12
# limit: 90

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

fs=/dev/oprofile
need modprobe msr
grep -q '\[deep\]' /sys/power/mem_sleep || skip "this machine does not sleep"
need opcontrol --init --backend x86
unlimited

registers()
{
	for cpu in 0 1; do
		for msr in 186 187 188 189 c1 c2 c3 c4 38d 38f; do
			echo "cpu $cpu register $msr $(pmu msr $cpu $msr)"
		done
	done
}
received() { cat "$fs/stats/cpu$1/sample_received"; }
more_than() { [ "$(received "$1")" -gt "$2" ]; }

for cpu in 0 1; do # such that nothing counts
	pmu msr $cpu 186 3100$cpu >/dev/null
	pmu msr $cpu 187 3101$cpu >/dev/null
	pmu msr $cpu c1 1234560$cpu >/dev/null
	pmu msr $cpu c2 1234561$cpu >/dev/null
	pmu msr $cpu 38d 0 >/dev/null
	pmu msr $cpu 38f 5 >/dev/null
done
registers >/tmp/before

for number in 0 1; do
	for entry in event:0xc0 unit_mask:0 kernel:1 user:1 enabled:1 count:100003; do
		need write "${entry#*:}" "$fs/$number/${entry%%:*}"
	done
done
exec 5<$fs/buffer
load=
trap 'kill $load' EXIT
for cpu in 0 1; do
	taskset $((1 << cpu)) $hot 10000000 5<&- &
	load="$load $!"
done
need write 1 $fs/enable
until_true 30 more_than 0 100
until_true 30 more_than 1 100

echo 0 >/sys/class/rtc/rtc0/wakealarm
echo +3 >/sys/class/rtc/rtc0/wakealarm
need write mem /sys/power/state
dmesg | grep "Low-level resume complete" || fail "the machine did not sleep"

same "enable, after waking up" "$(cat $fs/enable)" 1
for cpu in 0 1; do
	same "event select of CPU $cpu after waking up" "$(pmu msr $cpu 186)" 5300c0
	until_true 30 more_than $cpu $(($(received $cpu) + 100))
done
need write 0 $fs/enable
exec 5<&-
registers >/tmp/after
diff /tmp/before /tmp/after || fail "registers are not restored"
