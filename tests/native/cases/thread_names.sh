#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: threads have their own names in sessions, reports and exports: those that ended before the
# covers: session did, those that are renamed while they work, and those that were there before it

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

program=named_threads

# names_of - "NAME:SAMPLES" of each thread of the session
names_of()
{
	opreport --session-dir="$session" --json 2>/dev/null |
		sed -n 's/.*"thread": "\([^"]*\)".*"total": \([0-9]*\).*/\1:\2/p'
}

# is_named NAME - it has samples
is_named()
{
	enough "samples of threads '$1'" "$(names_of | awk -F: -v name="$1" '
		$1 == name { sum += $2 } END { print sum + 0 }')" 20
}

operf --session-dir="$session" --separate-thread -e "$(clock 1000)" "$own/$program" \
	"$(lasting 0.3 1000)" >"$scratch/pid" 2>"$scratch/said" || fail "$(cat "$scratch/said")"
cat "$samples/threads"
names_of
for name in 'disk writer' renamed $program; do
	is_named "$name"
done
opreport --session-dir="$session" --by=thread 2>/dev/null >"$scratch/text"
grep -q " disk writer  *$program" "$scratch/text" || fail "--by=thread has no names"

# the same threads and names in exports
for form in firefox perf pprof; do
	opexport --session-dir="$session" --to=$form -o "$scratch/$form" 2>/dev/null
done
for name in 'disk writer' renamed $program; do
	grep -q "\"name\":\"$name\",\"processName\":\"$program\"" "$scratch/firefox" ||
		fail "Firefox has no thread $name"
	zcat "$scratch/pprof" | grep -qa "$name" || fail "pprof has no thread $name"
	grep -qa "$name" "$scratch/perf" || fail "perf.data has no thread $name"
done

# One that was named before it is profiled: the shell's child waits until operf runs.
rm -rf "$session"
"$own/$program" 60 >"$scratch/pid" &
process=$!
trap 'kill $process 2>/dev/null; rm -rf "$scratch"' EXIT
is_writing() { grep -qx 'disk writer' /proc/$process/task/*/comm; }
until_true 10 is_writing || fail "the thread has no name"
timeout --signal=INT "$(lasting 2 1000)" operf --session-dir="$session" --separate-thread \
	-e "$(clock 1000)" --pid=$process 2>"$scratch/said"
names_of
is_named 'disk writer'
