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
# its result.

. "$(dirname "$0")/../common.sh"

series=${kernels%% *}
module=()
while getopts k:m option; do
	case $option in
	k) series=$OPTARG; kernel_known "$OPTARG" ;;
	m) module=(-m) ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

VM_OUT=$out/bench
export VM_OUT
rm -rf "$VM_OUT/run"
status=0
"$vm/run.sh" "${module[@]}" -k "$series" -d "$vm/pmu/bench" "$@" || status=$?
find "$VM_OUT/run/$series" -name output.log -exec cat {} + | tr -d '\r' |
	sed -n 's/^measured: //p'
exit $status
