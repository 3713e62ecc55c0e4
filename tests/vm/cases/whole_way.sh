#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: the whole way, by count of instructions, so that no host's load changes the verdict: the
# covers: module is loaded and oprofilefs mounted; a program by itself has a sample each period and
# covers: the shares of its exact histogram; a second session, dumped while it goes on, has programs,
# covers: a library, short-lived processes and the kernel by their names, with call chains; reports
# covers: have all samples, received = stored + lost; the module is unloaded
# smp: exact
# pmu: model=nehalem@6.1 model=icelake@6.12 model=k8@7.2
# limit: 150
# sanitised: interrupts take long there, and add to the samples of the calls that they came in

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

rounds=300 period=10007 least=4000	# samples of that many rounds
chain_period=100003			# opcontrol takes no shorter one with call chains
here=${workloads:?}
split=$here/split

# loaded - is the module there, and its file system mounted?
loaded() { [ -d /sys/module/oprofile ] && [ -e /dev/oprofile/enable ]; }

# report_sum OPTION... - samples of all lines of a report
report_sum()
{
	need opreport "$@" --csv --no-header >/tmp/csv
	awk -F , '{ n += $1 } END { printf "%d\n", n }' /tmp/csv
}

! loaded || fail "the module is loaded already"
need opcontrol --init --backend x86
loaded || fail "the module is not loaded, or oprofilefs not mounted"
unlimited
event=INST_RETIRED
! opcontrol --list-events | grep -q '^RETIRED_INSTRUCTIONS' || event=RETIRED_INSTRUCTIONS

# A program by itself, against its exact histogram
need opcontrol --event=$event:$period:0:0:1 --separate=none
profile_exactly $hot $rounds
one_each_period $period
same "samples lost" "$(lost)" 0
$hot symbols >/tmp/symbols
pmu symbols 0 1 /tmp/symbols >/tmp/hot.exact
same "functions that ran" "$(wc -l </tmp/hot.exact)" 6
opreport_profile $hot >/tmp/hot_samples
judge hot $least </tmp/hot_samples
same "samples in a report" "$(report_sum)" "$(stored)"
rm -rf "$session"

# All that runs, and the kernel
need opcontrol --start --event=$event:$chain_period:0:1:1 --separate=lib --callgraph=16
need "$split" 0.6 >/tmp/truth
need /vm/pmu/deep 10000000
need opcontrol --dump
dumped=$(stored)
[ "$dumped" -gt 0 ] || fail "a dump brings no samples"
for pages in 1 4; do
	for _ in 1 2 3 4 5 6 7 8; do
		need "$here/brief$pages" 5
	done
done
profile_end
[ "$(stored)" -gt "$dumped" ] || fail "no samples came after the dump"
at_most "samples lost" "$(lost)" "$(stat_sum sample_received)" 0.01
same "samples in a report by symbols" "$(report_sum --symbols)" "$(stored)"
report
seventy=$(symbol_samples split_seventy "$split")
twenty=$(symbol_samples split_twenty "$here/libsplit.so")
ten=$(symbol_samples split_ten "$split")
all=$((seventy + twenty + ten))
enough "samples of the workload" $all 1000
share "split_seventy" "$seventy" $all 0.7
share "split_twenty in the library" "$twenty" $all 0.2
share "split_ten" "$ten" $all 0.1
for pages in 1 4; do
	enough "samples of brief$pages" "$(line_samples "$here/brief$pages")" 8
done
enough "samples of the kernel" "$(line_samples /kallsyms)" 100

# deep_69 calls deep_68, and so on down to deep_00, which calls bottom.
need opreport --callgraph --csv --no-header >/tmp/calls
# calls CALLER CALLEE - samples of calls from a function to another; if that is "", to any, and the
# caller's own
calls()
{
	awk -F , -v caller="$1" -v callee="$2" \
		'$4 == caller && (callee == "" || $8 == callee) { n += $1 } END { print n + 0 }' /tmp/calls
}
# Samples in interrupts that came in there have the calls, too: as many as fit into the depth.
own=$(symbol_samples bottom)
enough "samples at the bottom of calls" "$own" 180
all=$(calls bottom '')
for caller in 00:bottom 01:deep_00 07:deep_06 12:deep_11; do
	within "samples of calls from deep_$caller" "$(calls "deep_${caller%:*}" "${caller#*:}")" \
		$((own * 98 / 100)) "$all"
done

need opcontrol --deinit
! loaded || fail "the module is still there after --deinit"
