#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fuzzes oprofilefs in a guest; fuzz/main.c says how.
#
#	fuzz.sh [-k KERNEL] [-n OPERATIONS] [-S SEED] [-s SMP] [-p PMU] [-l LIMIT] [-t FILE]
#
#	-k KERNEL	default: the first stock one
#	-n OPERATIONS	default: 1000000
#	-S SEED		default: of the time; printed, and reproduces what each process does
#	-s SMP		CPUs of the guest, default: 2
#	-p PMU		hardware counters of the guest, as in the heads of cases
#	-l LIMIT	seconds of wall time, default: 3600
#	-t FILE		append to that tally, as the suite "fuzz", instead of a closing line
#
# Prints the guest's table of operations.

. "$(dirname "$0")/common.sh"
. "$vm/oneoff.sh"

kernel=${kernels_stock%% *} operations=1000000 seed=$(date +%s) smp=2 pmu='' limit=3600 tally=''
while getopts k:n:S:s:p:l:t: option; do
	case $option in
	k) kernel=$OPTARG; kernel_known "$OPTARG" ;;
	n) operations=$OPTARG ;;
	S) seed=$OPTARG ;;
	s) smp=$OPTARG; smp_known "$OPTARG" ;;
	p) pmu=$OPTARG ;;
	l) limit=$OPTARG ;;
	t) tally=$OPTARG ;;
	*) exit 2 ;;
	esac
done
for number in "$operations" "$seed" "$limit"; do
	[[ $number =~ ^(0x[0-9a-fA-F]+|[0-9]+)$ ]] || die "$number is not a number"
done

oneoff fuzz "$kernel" "$smp" "$pmu" "$limit" "" "$tally" <<WORDS
covers: $operations operations
fuzz_run $operations $seed
WORDS
