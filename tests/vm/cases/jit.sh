#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: code of processes that make it as they run and have exited before the daemon, or even the
# covers: module, looks at them, or that unmap it before that: their samples have the names of its
# covers: functions
# limit: 300
# smp: 2@6.1,7.2 4@6.12
# check: 6.1 6.12 7.2 6.1-kasan 6.1-kcsan 6.1-rt

# shellcheck source=../guest/case.sh
. /vm/case.sh

number=30

# live IDLE [1] - many of them, four at a time, of 0.1 s; they idle for so many seconds before they
# exit, and with 1 unmap the code before that
live()
{
	rm -f /tmp/perf-*.map
	profile_begin --backend nmi_timer
	turns=$number
	while [ "$turns" -gt 0 ]; do
		turns=$((turns - 1))
		others=
		for _ in 1 2 3; do
			$workloads/jit 0.1 "" "$@" >/dev/null &
			others="$others $!"
		done
		need $workloads/jit 0.1 "" "$@" >/dev/null
		for other in $others; do
			wait "$other" || fail "jit failed"
		done
	done
	profile_end
	report
	hot=$(symbol_samples jit_hot) cold=$(symbol_samples jit_cold) lost=$(lost)
	echo "idle for $1 s${2:+, code unmapped}: $hot samples in jit_hot, $cold in jit_cold, $lost lost"
	enough "samples in code made as it runs" $((hot + cold))
	near "samples in jit_hot" "$hot" $((hot + cold)) 0.75
	at_most "samples lost" "$lost" $((hot + cold + lost)) 0.01
	at_most "samples without a name" $(($(samples_below '{anon:anon}') - hot - cold)) \
		$((hot + cold)) 0.01
	need opcontrol --deinit
	rm -rf $session
}

live 0
live 1
live 1 1
