#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: with one CPU nobody can send an NMI: nmi_timer falls back to timer and says so
# smp: 1
# check: 6.1 6.1-kasan

# shellcheck source=../guest/case.sh
. /vm/case.sh

profile_begin --backend nmi_timer
same cpu_type "$(cat /dev/oprofile/cpu_type)" timer
dmesg | grep 'oprofile: .*timer' || fail "the module's log says nothing of the fallback"
need $workloads/split 3 >/dev/null
profile_end
report
enough "samples of the workload" "$(symbol_samples split_seventy)"
