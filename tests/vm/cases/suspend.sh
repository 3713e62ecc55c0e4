#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: when the machine is suspended (to RAM) while it samples, sampling stops before and goes
# covers: on after; one that was stopped before stays stopped
# limit: 180
# check: 6.12 6.1-kasan

# shellcheck source=../guest/case.sh
. /vm/case.sh

case $(uname -r) in
*-kcsan) skip "Linux 6.1 with KCSAN does not come back from a suspend, with or without the module" ;;
esac
fs=/dev/oprofile
received() { cat "$fs/stats/cpu$1/sample_received"; }
more_than() { [ "$(received "$1")" -gt "$2" ]; }

# sleep_a_while - until the clock of the machine wakes it
sleep_a_while()
{
	need write 0 /sys/class/rtc/rtc0/wakealarm
	# later than a busy host takes to suspend the guest: an alarm before that wakes nothing
	need write +8 /sys/class/rtc/rtc0/wakealarm
	need write mem /sys/power/state
}

loads=
trap 'kill $loads' EXIT
profile_begin
for cpu in 0 1; do
	nice -n 19 taskset $((1 << cpu)) $workloads/split 100 >/dev/null &
	loads="$loads $!"
	until_true 30 more_than $cpu 50
done
before0=$(received 0) before1=$(received 1)
sleep_a_while
same "enable after a suspend" "$(cat $fs/enable)" 1
until_true 30 more_than 0 $((before0 + 50))
until_true 30 more_than 1 $((before1 + 50))

need opcontrol --stop
before0=$(received 0) before1=$(received 1)
sleep_a_while
same "enable after a suspend while stopped" "$(cat $fs/enable)" 0
same "samples of CPU 0 while stopped" "$(received 0)" "$before0"
same "samples of CPU 1 while stopped" "$(received 1)" "$before1"
profile_end
