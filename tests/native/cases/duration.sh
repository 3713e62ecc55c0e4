#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: --duration ends a profile, of a command, which goes on, and of the system; the system is
# covers: profiled while a command runs, whose end is the end and whose status is operf's; so are
# covers: processes (--pid)

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# a command that computes, so that there are samples
began=$(date +%s)
# shellcheck disable=SC2016 # of the sh below
need operf --session-dir="$session" --duration=1 sh -c \
	'echo $$ >pid; exec "$0" 300' "$workloads/split" >/dev/null 2>"$scratch/said"
[ $(($(date +%s) - began)) -lt 250 ] || fail "operf waited for the command"
[ $(($(date +%s) - began)) -ge 1 ] || fail "operf ended at once"
pid=$(cat pid)
kill -0 "$pid" || fail "the command has not gone on"
kill "$pid"
accounts
for wrong in 0 x -1 1.5; do
	refuse "--duration=$wrong" operf --duration=$wrong true
done
refuse "--pid excludes" operf --pid=1 --system-wide

# beside --pid, a command is not profiled, and its end is the end
rm -rf "$session"
"$workloads/split" 300 >/dev/null &
split=$!
status=0
operf --session-dir="$session" --pid=$split sh -c 'sleep 1; exit 7' 2>"$scratch/said" || status=$?
kill $split
same "the status of the command beside --pid" $status 7
accounts
report
[ "$(symbol_samples split_seventy)" -gt 0 ] || fail "no samples of the process"
same "programs" "$(opreport --session-dir="$session" -n --no-libraries | wc -l)" 1
is_root || exit 0

rm -rf "$session"
need operf --session-dir="$session" --system-wide --duration=1 2>"$scratch/said"
accounts
enough "samples of the system" "$(stored)" 1

# A program that is no child of the command
rm -rf "$session"
"$workloads/split" 300 >/dev/null &
split=$!
status=0
operf --session-dir="$session" -s sh -c 'sleep 2; exit 7' 2>"$scratch/said" || status=$?
kill $split
same "the status of the command" $status 7
accounts
report
[ "$(symbol_samples split_seventy)" -gt 0 ] || fail "no samples of a program beside the command"
