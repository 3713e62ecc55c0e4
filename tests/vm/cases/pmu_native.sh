#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: native cases pass on a machine with a core PMU, as root and as an ordinary user; without
# covers: -e, operf takes cycles at a frequency there, and a program's known shares are right
# pmu: model=skylake@6.12
# sanitised: it is about programs and perf's own driver; the module has no part in it
# limit: 300

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

# limit HZ - so many samples a second, and Linux is not to lower that: an emulated NMI takes long
limit()
{
	need write 25 /proc/sys/kernel/perf_cpu_time_max_percent # else the limit can't be written
	need write "$1" /proc/sys/kernel/perf_event_max_sample_rate
	need write 0 /proc/sys/kernel/perf_cpu_time_max_percent
}

need write 2 /proc/sys/kernel/perf_event_paranoid

# native WHO CASE... - run native cases, one after the other
native()
{
	_who=$1
	shift
	for _case; do
		_status=0
		_command="/vm/tests/native/run.sh $_who $_case /vm/build"
		[ "$_who" = root ] || _command="su -s /bin/sh nobody -c 'PATH=$PATH $_command'"
		eval "$_command" >/tmp/native.out 2>&1 || _status=$?
		echo "$_case as $_who: exit status $_status: $(tail -n 1 /tmp/native.out)"
		[ $_status -eq 0 ] || {
			cat /tmp/native.out
			fail "native case $_case as $_who: $(tail -n 1 /tmp/native.out)"
		}
	done
}

# default_shares - operf without -e, of a program with known shares
default_shares()
{
	need operf --session-dir=/tmp/default /vm/workloads/split 8
	need opreport --session-dir=/tmp/default -l >/tmp/report
	cat /tmp/report
	grep -qi 'cycles' /tmp/report || fail "without -e, the event is not cycles"
	seventy=$(symbol_samples split_seventy)
	twenty=$(symbol_samples split_twenty)
	ten=$(symbol_samples split_ten)
	all=$((seventy + twenty + ten))
	enough "samples of the workload" $all 500
	share split_seventy "$seventy" $all 0.7
	share split_twenty "$twenty" $all 0.2
	share split_ten "$ten" $all 0.1
}

limit 4000
default_shares
# At a lower rate these take longer, and so get enough samples.  (Not "storms": it holds samples
# against the time that the host's clock tells.)
limit 500
need mount -t tracefs tracefs /sys/kernel/tracing # for tracepoints
native root opcontrol split spelling
native user split
