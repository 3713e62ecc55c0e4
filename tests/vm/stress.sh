#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Profiles storms of short lives and mappings at a high rate for a long time, in a guest, and
# sees that the kernel has nothing to report, that memory stays flat, and that received = stored
# + lost.
#
#	stress.sh [-k KERNEL] [-m MINUTES] [-f HZ] [-b BACKEND] [-s SMP] [-t FILE]
#
#	-k KERNEL	default: the first stock one
#	-m MINUTES	default: 30
#	-f HZ		on each CPU, default: 10000
#	-b BACKEND	nmi_timer (default) or timer
#	-s SMP		CPUs of the guest, default: 2
#	-t FILE		append to that tally, as the suite "stress", instead of a closing line

. "$(dirname "$0")/common.sh"
. "$vm/oneoff.sh"

kernel=${kernels_stock%% *} minutes=30 rate=10000 backend=nmi_timer smp=2 tally=''
while getopts k:m:f:b:s:t: option; do
	case $option in
	k) kernel=$OPTARG; kernel_known "$OPTARG" ;;
	m) minutes=$OPTARG ;;
	f) rate=$OPTARG ;;
	b) backend=$OPTARG ;;
	s) smp=$OPTARG; smp_known "$OPTARG" ;;
	t) tally=$OPTARG ;;
	*) exit 2 ;;
	esac
done
for number in "$minutes" "$rate"; do
	[[ $number =~ ^[1-9][0-9]*$ ]] || die "$number is not a number"
done

# slub_debug=U: the kernel keeps who allocated what, so that the module's memory can be counted
oneoff stress "$kernel" "$smp" "" $((minutes * 60 + 600)) \
	"slub_debug=U,kmalloc-*,unmapped_region" "$tally" <<WORDS
covers: $minutes minutes at $rate Hz under storms leave nothing behind
stress_run $minutes $rate $backend
WORDS
