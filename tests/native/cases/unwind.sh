#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: call chains of code without frame pointers, also through the C library, by call frame
# covers: information: callers have the shares that they have by construction; also through code
# covers: in memory of which nothing is said, of this user and, for root, of another one

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
	# through the library, which takes time itself, and back into the program
	others=$(($(line_samples " ") - leaf))
	within "main calls frames_sort" "$(calls_by main frames_sort)" $((98 * compare / 100)) \
		$((compare + others))
}

# memory_shares [WORD...] - by what these words run
memory_shares()
{
	sample --call-graph=dwarf -e "$(clock 1000):0:0:1" "$@" "$own/trampoline" \
		"$(lasting 2 1000)" >"$scratch/pid"
	map=/tmp/perf-$(grep -x '[0-9]*' "$scratch/pid").map
	[ -s "$map" ] || fail "the workload has left no $map"
	need opreport --session-dir="$session" -c >"$scratch/graph"
	rm -f "$map"
	heavy=$(calls_by called_heavy trampoline_leaf)
	light=$(calls_by called_light trampoline_leaf)
	all=$((heavy + light))
	enough "samples below the trampolines" $all 1000
	share "called_heavy calls the leaf" "$heavy" $all 0.6
	within "interpreted calls called_heavy, of 1000" \
		$((1000 * $(calls_by interpreted called_heavy) / heavy)) 990 1010
	within "interpreted calls called_light, of 1000" \
		$((1000 * $(calls_by interpreted called_light) / light)) 990 1010
	within "main calls called_outer, of 1000" \
		$((1000 * $(calls_by main called_outer) / all)) 990 1010
}

unwound_shares
same "lost" "$(lost)" 0
memory_shares
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
# shellcheck disable=SC2086 # words
! is_root || ! $nobody test -x "$own/trampoline" 2>/dev/null || memory_shares $nobody
