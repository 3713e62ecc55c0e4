#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: counters that overflow in step, and groups of them that are multiplexed, leave no NMI
# covers: unknown, whether the APIC masks its entry or not, under storms, starts and stops, with
# covers: unknown_nmi_panic=1; and NMIs of others, sent from within and from outside while they
# covers: count, are left to the kernel, which reports them
# pmu: model=nehalem@6.1 model=nehalem,lvtpc=keep@6.12 model=k8@7.2 model=zen4@7.2 model=zen4,lvtpc=mask@7.2
# sanitised: the kernel's own handling of NMIs is too slow there to tell what is late
# limit: 300
# check: 6.12 7.2

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

fs=/dev/oprofile
times=5 period=5003
turns=15

injector=/sys/module/inject_nmi/parameters

unknown() { cat $injector/unknown; }

# count_in_step NUMBER... - these counters count the instructions of programs
count_in_step()
{
	for _number; do
		for _entry in event:0xc0 unit_mask:0 kernel:0 user:1 count:$period enabled:1; do
			need write "${_entry#*:}" "$fs/$_number/${_entry%%:*}"
		done
	done
}

# measure_nmis WHAT - count, let programs run, and send NMIs
measure_nmis()
{
	exec 5<$fs/buffer
	need write 1 $fs/enable
	_before=$(unknown)
	need $hot 300
	_ours=$(($(unknown) - _before))
	_before=$(unknown)
	need write $times $injector/send
	_sent=$(($(unknown) - _before))
	need write 0 $fs/enable
	echo "$1: $(cat $fs/stats/cpu*/sample_received | paste -s -d ' ') samples, $_ours NMIs of" \
		"ours were unknown, $_sent of those sent"
	_samples=$(cat $fs/stats/cpu*/sample_received | awk '{ n += $1 } END { print n }')
	exec 5<&-
	enough "samples" "$_samples" 1000
	same "unknown NMIs of ours" "$_ours" 0
	same "unknown NMIs that were sent" "$_sent" $((times * $(nproc)))
}

# storm WHAT - starts and stops under a load that overflows all the time.  An NMI that nobody claims
# ends the guest.
storm()
{
	exec 5<$fs/buffer
	need write 1 /proc/sys/kernel/unknown_nmi_panic
	for _cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset $((1 << _cpu)) $hot 10000000 5<&- &
		load="$load $!"
	done
	for _turn in $(seq $turns); do
		need write 1 $fs/enable
		until_true 30 received_any
		need write 0 $fs/enable
	done
	need write 0 /proc/sys/kernel/unknown_nmi_panic
	echo "$1: no NMI was unknown in $turns starts and stops under load"
}
received_any() { [ "$(cat $fs/stats/cpu0/sample_received)" -gt 0 ]; }

# end_storm
end_storm()
{
	# shellcheck disable=SC2086
	kill $load
	wait
	load=
	exec 5<&-
}

# Of NMIs that come from QEMU while counters overflow, some meet one of ours: who comes right behind
# an NMI that found several overflows cannot be told from one of ours that is late.
from_outside=60

# inject_outside WHAT LEAST - while the load of the storm runs
inject_outside()
{
	need insmod /vm/modules/inject_nmi.ko
	need write 1 $fs/enable
	until_true 30 received_any
	pmu nmi $from_outside 20000
	_reported=$(unknown)
	need write 0 $fs/enable
	need rmmod inject_nmi
	within "$1: NMIs from outside that were reported" "$_reported" "$2" $from_outside
}

load=
trap '[ -z "$load" ] || kill $load' EXIT
need opcontrol --init --backend x86
unlimited
need insmod /vm/modules/inject_nmi.ko
count_in_step 0
measure_nmis "one counter"
count_in_step 1 2
measure_nmis "three counters in step"
hardware=$(($(cat $fs/general_counters) + $(cat $fs/fixed_counters)))
count_in_step $hardware $((hardware + 1)) $((hardware + 2))
measure_nmis "two groups of three"
need rmmod inject_nmi

storm "two groups of three"
end_storm
for number in $hardware $((hardware + 1)) $((hardware + 2)); do
	need write 0 "$fs/$number/enabled"
done
period=200003
count_in_step 0 1 2
storm "three counters in step"
inject_outside "three counters in step" $((from_outside * 8 / 10))
end_storm
need write 0 $fs/1/enabled
need write 0 $fs/2/enabled
storm "one counter"
inject_outside "one counter" $((from_outside * 95 / 100))
end_storm
need opcontrol --deinit
