#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: storms of short lives and mappings on all CPUs at once, beside hostile processes: hooks and
# covers: sync that want the same locks wait only where they may; all is accounted for
# smp: 4
# limit: 90
# sanitised: the kernel is built without FUSE
# check: 7.2 6.1-rt

# shellcheck source=../guest/fuzz_case.sh
. /vm/fuzz_case.sh

hostiles_begin 0
profile_begin --backend nmi_timer
storms_begin 0
for _ in 1 2 3 4 5; do
	sleep 4
	need opcontrol --dump
	storms_alive
done
storms_end
profile_end
