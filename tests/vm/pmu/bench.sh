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
# its result, and those of them that begin with "cost" or "command" are put side by side with the
# targets.

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

# Targets, in instructions a sample: of the kernel alone, or with the daemon's.  And of a command
# while samples are taken, all of them.
target_flat=800 target_callgraph=1250 target_with_daemon=1700 target_frameless=1050
target_command=20000000

# costs - of lines "cost SIDE KIND kernel K user U samples N" and "command NAME user U kernel K", a
# table with the targets
costs()
{
	awk -v flat=$target_flat -v callgraph=$target_callgraph -v with_daemon=$target_with_daemon \
		-v frameless=$target_frameless -v command=$target_command '
		BEGIN {
			title["flat"] = "flat"
			title["callgraph"] = "call chains of 8 frames"
			title["frameless"] = "-g without frame pointers"
			title["hot-flat"] = "few frames, flat"
			title["hot-chains"] = "few frames, call chains"
			title["deep-flat"] = "70 frames, flat"
			title["deep-chains"] = "70 frames, call chains"
			who["perf-record"] = "perf itself"
			who["operf"] = "operf itself"
			target["flat"] = flat
			target["callgraph"] = callgraph
			target["frameless"] = frameless
		}
		function row(side, kind, n, target,    verdict) {
			if (target && n <= target)
				verdict = "  target " target ": met"
			else if (target)
				verdict = "  target " target ": missed by " n - target
			printf "%-14s %-40s %9d%s\n", side, kind, n, verdict
		}
		$1 == "command" { row("opcontrol", "--" $2 ", all", $4 + $6, command) }
		$1 != "cost" { next }
		{
			ours = $2 == "oprofile-x86"
			program = who[$2] ? who[$2] : "the daemon"
			row($2, title[$3] ", kernel", $5, ours ? target[$3] : 0)
			row($2, title[$3] ", with " program, $5 + $7,
				ours && $3 == "callgraph" ? with_daemon : 0)
			kernel[$2, $3] = $5
			all[$2, $3] = $5 + $7
			if ($3 ~ /-chains$/) {
				flat_kind = $3
				sub("chains$", "flat", flat_kind)
				printf "%-14s %-40s %9.2f  %.2f with %s\n", $2,
					title[$3] " / flat", $5 / kernel[$2, flat_kind],
					all[$2, $3] / all[$2, flat_kind], program
			}
		}'
}

VM_OUT=$out/bench
export VM_OUT
rm -rf "$VM_OUT/run"
status=0
"$vm/run.sh" "${module[@]}" -k "$series" -d "$vm/pmu/bench" "$@" || status=$?
measured=$(find "$VM_OUT/run/$series" -name output.log -exec cat {} + | tr -d '\r' |
	sed -n 's/^measured: //p')
printf '%s\n\ninstructions a sample, or of a command, Linux %s\n' "$measured" "$series"
costs <<<"$measured"
exit $status
