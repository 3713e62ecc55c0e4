#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a profile of the kernel by instructions is that of the exact histogram, in code with
# covers: interrupts off, too; it is no worse than perf record's in the same guest
# covers: an event of the kernel's code alone counts nothing of programs
# pmu: model=core2@6.1 model=k8@7.2
# sanitised: most of what the kernel executes there its NMIs execute, too, where no sample can be
# limit: 400
# check: 6.1

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

period=10007
need insmod /vm/modules/irqs_off.ko
trap 'rmmod irqs_off' EXIT

cat >/tmp/work <<'END'
/vm/pmu/calls 250000
echo "10 10 10" >/proc/irqs_off
END

# What is compared: the symbols that matter when nobody samples, other than those that our or
# perf's handling of an NMI uses, too: no sample can come from there.
pmu snapshot 0
need sh /tmp/work
pmu snapshot 1
pmu symbols 0 1 /proc/kallsyms >/tmp/unsampled
sort -k 2nr /tmp/unsampled | awk '
	{ line[NR] = $0; all += $2 }
	END {
		for (i = 1; i <= NR; i++) {
			split(line[i], field)
			if (field[2] >= all / 200)
				print field[1]
		}
	}' | grep -Ev 'rcu_read_(un)?lock|sched_clock|task_pid_nr|nmi|perf|_x86_' >/tmp/symbols

# truth NAME - how often each of them was executed, into /tmp/NAME.exact
truth()
{
	pmu symbols 0 1 /proc/kallsyms | awk '
		FNR == NR { wanted[$1]; next }
		$1 in wanted { n[$1] += $2 }
		END { for (symbol in n) print symbol, n[symbol] }' /tmp/symbols - >"/tmp/$1.exact"
	same "symbols that were executed" "$(wc -l <"/tmp/$1.exact")" "$(wc -l </tmp/symbols)"
}

by_oprofile()
{
	profile_exactly sh /tmp/work
	truth oprofile
	opreport_profile >/tmp/symbol_samples
	judge oprofile 25000 </tmp/symbol_samples
	# a sample is of the instruction after the one that was counted: one in a program, now and
	# then, behind a system call's return
	pmu totals 0 1 >/tmp/totals
	expected=$(awk -v n="$(stored)" '$1 == "user" { far = $NF } $1 == "kernel" { all = $3 }
		END { printf "%d", n * far / all }' /tmp/totals)
	within "samples in programs" "$(event_samples $event "{root}")" 0 $((2 * expected + 10))
	rm -rf "$session"
}

by_perf()
{
	# between the snapshots there is nothing of perf's own preparations
	need perf record -q -a -m 1024 -e instructions:k -c $period -o /tmp/data \
		sh -c "/vm/pmu/pmu snapshot 0; sh /tmp/work; /vm/pmu/pmu snapshot 1"
	perf_profile /tmp/data >/tmp/symbol_samples
	truth perf
	judge perf 25000 </tmp/symbol_samples
}

need opcontrol --init --backend x86
unlimited
event=INST_RETIRED
! opcontrol --list-events | grep -q '^RETIRED_INSTRUCTIONS' || event=RETIRED_INSTRUCTIONS
need opcontrol --event=$event:$period:0:1:0 --separate=none
by_oprofile
need opcontrol --deinit
by_perf
not_worse oprofile perf
