#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a profile known by construction, 70/20/10 % between three functions, one of them in
# covers: a shared library, is reported within 3 standard errors, by both timer backends
# smp: 2@6.1,7.2 4@6.12
# limit: 120
# check: 6.1 6.12 7.2 6.1-kasan 6.1-kcsan 6.1-rt

# shellcheck source=../guest/case.sh
. /vm/case.sh

profile_shares()
{
	profile_begin --separate=lib
	need $workloads/split 8 >/tmp/truth
	profile_end
	report
	seventy=$(symbol_samples split_seventy "$workloads/split")
	twenty=$(symbol_samples split_twenty "$workloads/libsplit.so")
	ten=$(symbol_samples split_ten "$workloads/split")
	all=$((seventy + twenty + ten))
	enough "$1: samples of the workload" $all 1000
	share "$1: split_seventy" "$seventy" $all 0.7
	share "$1: split_twenty in the library" "$twenty" $all 0.2
	share "$1: split_ten" "$ten" $all 0.1
	rm -rf $session
}

for backend in nmi_timer timer; do
	need opcontrol --init --backend $backend
	same cpu_type "$(cat /dev/oprofile/cpu_type)" $backend
	profile_shares $backend
	need opcontrol --deinit
done
