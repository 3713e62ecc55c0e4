#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: call chains of code without frame pointers, also through the C library, by call frame
# covers: information: callers have the shares that they have by construction

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

[ "$(uname -m)" = x86_64 ] || skip "call frame information is unwound on x86-64 only"

unwound_shares()
{
	# user code only, so that each sample is in a chain from its leaf to main()
	sample --call-graph=dwarf -e "$(clock 1000):0:0:1" "$own/no_frames" "$(lasting 2 1000)"
	report
	need opreport --session-dir="$session" -c >"$scratch/graph"
	leaf=$(symbol_samples frames_leaf)
	enough "samples in the leaf" "$leaf" 1000
	middle=$(calls_by frames_middle frames_leaf)
	compare=$(calls_by frames_compare frames_leaf)
	within "calls of the leaf of 1000" $((1000 * (middle + compare) / leaf)) 990 1000
	share "frames_middle calls frames_leaf" "$middle" $((middle + compare)) 0.6
	within "frames_top calls frames_middle, of 1000" \
		$((1000 * $(calls_by frames_top frames_middle) / middle)) 990 1010
	within "main calls frames_top, of 1000" \
		$((1000 * $(calls_by main frames_top) / middle)) 990 1010
	# through the library and back into the program
	within "main calls frames_sort, of 1000" \
		$((1000 * $(calls_by main frames_sort) / compare)) 980 1010
}

unwound_shares
same "lost" "$(lost)" 0
