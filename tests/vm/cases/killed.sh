#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a daemon that is killed loses nothing that a dump had acknowledged, and a new one
# covers: goes on with the files
# limit: 90
# check: 6.12 6.1-kasan 6.1-kcsan

# shellcheck source=../guest/case.sh
. /vm/case.sh

need opcontrol --init --backend nmi_timer
for turn in 1 2 3 4 5; do
	profile_begin
	need $workloads/split 0.5 >/dev/null
	need opcontrol --dump
	before=$(stored)
	$workloads/split 0.$turn >/dev/null
	kill -KILL "$(pidof oprofiled)"
	gone() { ! pidof oprofiled >/dev/null; }
	until_true 10 gone
	need opdb check "$samples"
	after=$(stored)
	within "turn $turn: samples after the kill" "$after" "$before" 1000000
done
profile_begin
need opcontrol --shutdown
within "samples after a new start" "$(stored)" "$after" 1000000
