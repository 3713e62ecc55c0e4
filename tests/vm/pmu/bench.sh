#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Costs in instructions, exact and the same in each run: guests with one CPU that is emulated
# deterministically, and a PMU that knows what was retired.
#
#	bench.sh [-k SERIES] [-m] [BENCH...]
#
#	-k SERIES	the kernel; default: the first
#	-m		without the profiler's module
#
# A bench is a case in bench/ (see run.sh); the lines that it prints after "measured:" are
# its result, and those of them that begin with "cost" are put side by side with the targets.

. "$(dirname "$0")/../common.sh"

# shellcheck disable=SC2154 # of kernel.sh
series=${kernels_stock%% *}
module=()
while getopts k:m option; do
	case $option in
	k) series=$OPTARG; kernel_known "$OPTARG" ;;
	m) module=(-m) ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

# The issue's targets, in kernel instructions a sample: flat, with a call graph of depth 8, and
# the latter with the daemon's instructions added.
target_flat=800 target_callgraph=1100 target_with_daemon=1250

# costs - of lines "cost SIDE KIND kernel K user U samples N", a table with the targets
costs()
{
	awk -v flat=$target_flat -v callgraph=$target_callgraph -v with_daemon=$target_with_daemon '
		function row(side, kind, n, target,    verdict) {
			if (target && n <= target)
				verdict = "  target " target ": met"
			else if (target)
				verdict = "  target " target ": missed by " n - target
			printf "%-14s %-32s %6d%s\n", side, kind, n, verdict
		}
		$1 != "cost" { next }
		{
			ours = $2 == "oprofile-x86"
			program = $2 == "perf-record" ? "perf itself" : "the daemon"
			if ($3 == "flat")
				row($2, "flat, kernel", $5, ours ? flat : 0)
			else
				row($2, "call graph of 8, kernel", $5, ours ? callgraph : 0)
			row($2, ($3 == "flat" ? "flat" : "call graph of 8") ", with " program,
				$5 + $7, ours && $3 != "flat" ? with_daemon : 0)
		}'
}

VM_OUT=$out/bench
export VM_OUT
rm -rf "$VM_OUT/run"
status=0
"$vm/run.sh" "${module[@]}" -k "$series" -d "$vm/pmu/bench" "$@" || status=$?
measured=$(find "$VM_OUT/run/$series" -name output.log -exec cat {} + | tr -d '\r' |
	sed -n 's/^measured: //p')
printf '%s\n\ninstructions a sample, Linux %s\n' "$measured" "$series"
costs <<<"$measured"
exit $status
