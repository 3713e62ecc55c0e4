#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a daemon that does not read in time: samples are lost, and received is exactly
# covers: stored + lost
# smp: 2@6.1,7.2 4@6.12
# check: 6.12 6.1-kasan 6.1-kcsan

# shellcheck source=../guest/case.sh
. /vm/case.sh

frequency=5000
profile_begin --backend nmi_timer --buffer-size=8192 --buffer-watershed=2048 \
	--cpu-buffer-size=1024
daemon=$(pidof oprofiled) || fail "no daemon runs"
for _ in $(seq "$(nproc)"); do
	$workloads/split 6 >/dev/null &
done
overflown() { [ "$(cat /dev/oprofile/stats/cpu*/sample_lost_overflow | sort -n | tail -n 1)" -gt 100 ]; }
kill -STOP "$daemon"
until_true 20 overflown
kill -CONT "$daemon"
wait
profile_end
[ "$(lost)" -gt 0 ] || fail "nothing was lost, so nothing was tested"
