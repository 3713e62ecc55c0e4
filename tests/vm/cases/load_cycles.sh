#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: 50 cycles (on 6.1; elsewhere 20) of load, set up, start, stop, shut down, unload leave
# covers: nothing behind
# smp: 4
# limit: 120
# check: 6.1 7.2 6.1-kasan 6.1-rt

# shellcheck source=../guest/case.sh
. /vm/case.sh

nice -n 19 $workloads/split 60 >/dev/null &
load=$!
trap 'kill $load' EXIT

received() { cat /dev/oprofile/stats/cpu*/sample_received | awk '{ n += $1 } END { print n + 0 }'; }
has_samples() { [ "$(received)" -gt 0 ]; }

modinfo=/lib/modules/$(uname -r)/extra/oprofile.ko
mkdir -p /dev/oprofile
cycles=20
sanitised || [ "$(uname -r | cut -d . -f 1-2)" != 6.1 ] || cycles=50
for cycle in $(seq $cycles); do
	backend=nmi_timer
	[ $((cycle % 2)) -eq 0 ] || backend=timer
	need insmod "$modinfo" backend=$backend
	need mount -t oprofilefs oprofilefs /dev/oprofile
	exec 4</dev/oprofile/buffer
	need write 1 /dev/oprofile/enable
	until_true 10 has_samples
	# half of them are shut down while they run
	[ $((cycle % 4)) -ge 2 ] || need write 0 /dev/oprofile/enable
	exec 4<&-
	need umount /dev/oprofile
	need rmmod oprofile
done
