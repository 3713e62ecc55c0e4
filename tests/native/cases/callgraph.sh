#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: call chains of code with frame pointers: callers have the shares that they have by
# covers: construction

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

chain_shares()
{
	# user code only: kernel code that interrupts a leaf is below it, more of it on a busy host
	sample -e "$(clock 4000):0:0:1" -g "$workloads/chain" "$(lasting 1 4000)"
	report
	need opreport --session-dir="$session" -c >"$scratch/graph"
	leaf=$(symbol_samples chain_leaf)
	far=$(symbol_samples chain_far)
	enough "samples in the leaves" $((leaf + far)) 1000
	share "chain_far" "$far" $((leaf + far)) 0.2
	often=$(calls_by chain_often chain_leaf)
	seldom=$(calls_by chain_seldom chain_leaf)
	within "leaf calls told / leaf samples" \
		"$(awk -v a=$((often + seldom)) -v b="$leaf" 'BEGIN { print a / b }')" 0.98 1.05
	share "chain_often calls chain_leaf" "$often" $((often + seldom)) 0.75
	within "chain_far by chain_often of 1000" \
		$((1000 * $(calls_by chain_often chain_far) / far)) 980 1050
}

chain_shares
