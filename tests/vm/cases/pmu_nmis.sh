#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: counters that overflow in step, and groups of them that are multiplexed, leave no NMI
# covers: unknown, whether the APIC masks its entry or not; and NMIs of others, sent while they
# covers: count, are all left to the kernel, which reports them
# pmu: model=nehalem@6.1 model=nehalem,lvtpc=keep@6.12 model=k8@7.2
# sanitised: the kernel's own handling of NMIs is too slow there to tell what is late
# limit: 200
# check: 6.12 7.2

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

fs=/dev/oprofile
times=5

injector=/sys/module/inject_nmi/parameters

unknown() { cat $injector/unknown; }

# count_in_step NUMBER... - these counters count the instructions of programs
count_in_step()
{
	for _number; do
		for _entry in event:0xc0 unit_mask:0 kernel:0 user:1 count:5003 enabled:1; do
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
