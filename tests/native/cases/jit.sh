#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: code made at run time is stored as that of its process, at its addresses, so that
# covers: /tmp/perf-PID.map names it, or the jitdump of the process

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# Shares of the addresses themselves, from the sample files: cold code is half a page further.
jit_shares()
{
	sample -e "$(clock 4000)" "$own/jit" "$(lasting 1 4000)" >"$scratch/pid"
	pid=$(grep -x '[0-9]*' "$scratch/pid")
	map=/tmp/perf-$pid.map
	[ -s "$map" ] || fail "the workload has left no $map"
	hot=$(samples_below "{anon:anon}/$pid.")
	enough "samples in the memory of process $pid" "$hot" 1000
	report
	rm -f "$map"
	all=$hot
	hot=$(symbol_samples jit_hot)
	cold=$(symbol_samples jit_cold)
	echo "named: hot $hot, cold $cold of $all"
	share jit_hot "$hot" "$all" 0.75
	share jit_cold "$cold" "$all" 0.25
}

# Compilers map their jitdump as a mark for profilers; no sample is taken for one of that file.
jitdump_shares()
{
	sample -e "$(clock 4000)" "$own/jit" "$(lasting 1 4000)" "$scratch" >"$scratch/pid"
	[ -s "$scratch/jit-$(grep -x '[0-9]*' "$scratch/pid").dump" ] || fail "there is no jitdump"
	report --jit-dir "$scratch"
	hot=$(symbol_samples dumped_hot)
	cold=$(symbol_samples dumped_cold)
	all=$((hot + cold))
	enough "samples that the jitdump names" $all 1000
	share dumped_hot "$hot" $all 0.75
	share dumped_cold "$cold" $all 0.25
	same "samples in the jitdump itself" "$(line_samples .dump)" 0
}

jit_shares
jitdump_shares
