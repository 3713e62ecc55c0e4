#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a process that runs already, with all its threads and children; the end of the process
# covers: is the end of the profile; separation by thread; a signal ends a profile, which keeps
# covers: its samples

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# waits_for PID - has it used up CPU time?
is_busy() { [ "$(awk '{ print $14 }' "/proc/$1/stat")" -ge 5 ]; }

attached()
{
	"$workloads/split" "$(lasting 1.5 2000)" >/dev/null &
	until_true 10 is_busy $!
	sample -e "$(clock 2000)" --pid=$!
	report
	seventy=$(symbol_samples split_seventy)
	all=$((seventy + $(symbol_samples split_twenty) + $(symbol_samples split_ten)))
	enough "samples of the process" $all 500
	share "split_seventy of a running process" "$seventy" $all 0.7
}
attached

sample -e "$(clock 4000)" --separate-thread "$own/storm" threads 8 100
list
threads=$(matching '*/storm/{dep}/*/storm/*.all' | wc -l)
within "threads apart" "$threads" 8 9

"$workloads/split" 60 >/dev/null &
split=$!
operf --session-dir="$session" -e "$(clock 2000)" --pid=$split 2>"$scratch/said" &
operf=$!
# the rings are mapped when the process's events are, before the first sample
until_true 10 test -s "$session/samples/operf.log" -o -d "$samples/{root}$workloads"
kill -INT $operf
wait $operf || fail "operf ended with $? after SIGINT"
kill $split
cat "$scratch/said"
accounts
enough "samples until the signal" "$(stored)" 1

# The command gets the signal, and its end is the end.
rm -rf "$session"
operf --session-dir="$session" -e "$(clock 2000)" "$workloads/split" 60 >/dev/null 2>"$scratch/said" &
operf=$!
until_true 10 test -d "$samples/{root}$workloads"
kill -TERM $operf
status=0
wait $operf || status=$?
same "the status of a command that SIGTERM has ended" $status 143
accounts
