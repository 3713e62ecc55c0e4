#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: CPUs go and come while sampling: what they had is not lost, and a CPU that comes
# covers: back is sampled again
# smp: 4
# limit: 90
# check: 7.2 6.1-kasan 6.1-kcsan

# shellcheck source=../guest/case.sh
. /vm/case.sh

received() { cat "/dev/oprofile/stats/cpu$1/sample_received"; }
more_than() { [ "$(received "$1")" -gt "$2" ]; }
switch_cpu() { need write "$2" "/sys/devices/system/cpu/cpu$1/online"; }

for backend in nmi_timer timer; do
	profile_begin --backend $backend
	for cpu in 0 1 2 3; do
		nice -n 19 taskset $((1 << cpu)) $workloads/split 100 >/dev/null &
		loads="${loads:-} $!"
	done
	for turn in 1 2; do
		for cpu in 3 1 2; do
			until_true 10 more_than $cpu "$(received $cpu)"
			switch_cpu $cpu 0
			before=$(received $cpu)
			until_true 10 more_than 0 "$(received 0)"
			same "samples of CPU $cpu while it is off" "$(received $cpu)" "$before"
			switch_cpu $cpu 1
			nice -n 19 taskset $((1 << cpu)) $workloads/split 100 >/dev/null &
			loads="$loads $!"
			until_true 10 more_than $cpu "$before"
		done
		# two at a time: the ring of senders has to close over the gap
		switch_cpu 2 0
		switch_cpu 3 0
		until_true 10 more_than 0 "$(received 0)"
		until_true 10 more_than 1 "$(received 1)"
		switch_cpu 3 1
		switch_cpu 2 1
		echo "turn $turn done"
	done
	# shellcheck disable=SC2086
	kill $loads
	wait
	loads=
	profile_end
	need opcontrol --deinit
	rm -rf $session
done
