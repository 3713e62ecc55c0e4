#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a signal while operf opens the events of many threads, or before its command has begun:
# covers: it ends in order and says what there is, never silently

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# has_events PID - has it opened any?
has_events()
{
	[ -n "$(find "/proc/$1/fd" -lname '*perf_event*' -print -quit 2>/dev/null)" ]
}

nice -n 19 "$own/storm" threads 1000000 20 >/dev/null &
storm=$!
trap 'kill $storm; rm -rf "$scratch"' EXIT

told=0
opening=0
# sh lets its background jobs ignore SIGINT
for signal in TERM HUP TERM HUP TERM HUP; do
	operf --session-dir="$session" --pid=$storm 2>"$scratch/said" &
	operf=$!
	until has_events $operf; do
		kill -0 $operf 2>/dev/null || fail "it has ended: $(cat "$scratch/said")"
	done
	kill -$signal $operf
	status=0
	wait $operf || status=$?
	case $status in
	0)
		grep -q 'samples of' "$scratch/said" || fail "it says nothing of its samples"
		;;
	129 | 143)
		grep -q 'a signal came while events were opened' "$scratch/said" ||
			fail "SIG$signal ended it without a word"
		opening=$((opening + 1))
		;;
	*) fail "SIG$signal: exit status $status: $(cat "$scratch/said")" ;;
	esac
	told=$((told + 1))
done
same "signals that were answered" $told 6
echo "of them while events were opened: $opening"
