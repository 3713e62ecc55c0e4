#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: profiles known by construction are reported within 3 standard errors: C with a shared
# covers: library, C++

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

c_shares()
{
	sample -e "$(clock 4000)" "$workloads/split" "$(lasting 1 4000)"
	report
	seventy=$(symbol_samples split_seventy "$workloads/split")
	twenty=$(symbol_samples split_twenty "$workloads/libsplit.so")
	ten=$(symbol_samples split_ten "$workloads/split")
	all=$((seventy + twenty + ten))
	enough "samples of the workload" $all 500
	share split_seventy "$seventy" $all 0.7
	share "split_twenty in the library" "$twenty" $all 0.2
	share split_ten "$ten" $all 0.1
}

cpp_shares()
{
	sample -e "$(clock 2000)" "$own/split_cpp" "$(lasting 2 2000)"
	report
	heavy=$(line_samples "work::Worker::heavy<unsigned long>")
	light=$(line_samples "work::Worker::light")
	all=$((heavy + light))
	enough "samples of the C++ program" $all 500
	share heavy "$heavy" $all 0.6
	share light "$light" $all 0.4
}

c_shares
if [ -x "$own/split_cpp" ]; then
	cpp_shares
else
	echo "no C++ compiler: that part was not run"
fi
