#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: the whole system: processes that run already and new ones, kernel code by name, the
# covers: daemon's commands; nothing is lost; a recording replays to the same samples

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

is_root || skip "only root may profile the system"

is_ready() { [ -S "$session/control" ]; }

wide()
{
	rm -rf "$session" "$scratch/record"
	"$workloads/split" 4 >/dev/null &
	split=$!
	oprofiled --perf --events="cpu-clock:1:0:$((1000000000 / $(rate 2000))):0:1:1" --foreground --separate-kernel=1 --session-dir="$session" \
		--record="$scratch/record" 2>"$scratch/log" &
	daemon=$!
	until_true 10 is_ready
	need "$workloads/split" 1 >/dev/null
	dd if=/dev/zero of=/dev/null bs=1M count=2000 2>/dev/null
	wait $split
	kill -TERM $daemon
	wait $daemon || fail "oprofiled ended with $?: $(cat "$scratch/log")"
	need opdb check "$samples"
	accounts
	report
	seventy=$(symbol_samples split_seventy)
	all=$((seventy + $(symbol_samples split_twenty) + $(symbol_samples split_ten)))
	enough "samples of both processes" $all 500
	share "split_seventy" "$seventy" $all 0.7
	[ "$(line_samples kallsyms)" -gt 0 ] || fail "no symbol of the kernel"
	same "lost in rings" "$(stat_sum sample_lost_overflow)" 0
	within "lost of 1000" $((1000 * $(lost) / $(stat_sum total_samples))) 0 5
}
wide

stored >"$scratch/live"
samples=$scratch/replay/samples/current
need oprofiled --replay="$scratch/record" --session-dir="$scratch/replay" --separate-kernel=1 \
	2>"$scratch/log"
accounts
same "samples in the replay" "$(stored)" "$(cat "$scratch/live")"
