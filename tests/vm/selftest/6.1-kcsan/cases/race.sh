#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: KCSAN sees two threads change a variable without a lock
# append: seeded=race
# KCSAN watches few of the accesses: on a busy host they may not meet at the first try.
reported() { dmesg | grep -q 'KCSAN: data-race in count_up'; }
for _ in $(seq 100); do
	insmod /vm/modules/seeded.ko bug=race
	rmmod seeded
	! reported || break
done
