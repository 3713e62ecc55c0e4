#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: perf record runs beside operf, of the whole system or of its own program, and its
# covers: recording is whole: what operf asks the kernel for changes nobody else's records

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

command -v perf >/dev/null || skip "no perf"
cd "$scratch" || exit 1
record() { perf record -q -e cpu-clock -o perf.data -- "$workloads/brief1" 300 2>perf.said; }
record || skip "perf cannot record here: $(cat perf.said)"

# beside NAME - records while a profiler of ours runs
beside()
{
	for _round in 1 2 3; do
		record || fail "perf record beside $1: $? $(cat perf.said)"
		need perf script -i perf.data >perf.script 2>perf.said
		grep -q brief1 perf.script || fail "no samples of perf beside $1"
	done
}

operf --duration=30 --pid=$$ --session-dir=ours 2>said &
ours=$!
until [ -d ours/samples ]; do sleep 0.1; done
sleep 0.5
beside "operf of a process"
kill -INT $ours
wait $ours || :
if is_root; then
	operf --system-wide --duration=60 --session-dir=all 2>said &
	ours=$!
	until [ -d all/samples ]; do sleep 0.1; done
	sleep 0.5
	beside "operf of the system"
	kill -INT $ours
	wait $ours || :
	grep -q ' samples of ' said || fail "operf has not profiled: $(cat said)"
fi
