#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a profile known by construction, 70/20/10 % between three functions, one of them in
# covers: a shared library, is reported within 3 standard errors, by both timer backends
# smp: 2 4
# limit: 120

# shellcheck source=../guest/case.sh
. /vm/case.sh

for backend in nmi_timer timer; do
	profile_begin --backend $backend --separate=lib
	same cpu_type "$(cat /dev/oprofile/cpu_type)" $backend
	need $workloads/split 8 >/tmp/truth
	profile_end
	report
	seventy=$(symbol_samples split_seventy "$workloads/split")
	twenty=$(symbol_samples split_twenty "$workloads/libsplit.so")
	ten=$(symbol_samples split_ten "$workloads/split")
	all=$((seventy + twenty + ten))
	enough "$backend: samples of the workload" $all 1000
	share "$backend: split_seventy" "$seventy" $all 0.7
	share "$backend: split_twenty in the library" "$twenty" $all 0.2
	share "$backend: split_ten" "$ten" $all 0.1
	need opcontrol --deinit
	rm -rf $session
done
