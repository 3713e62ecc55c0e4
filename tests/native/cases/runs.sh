#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: several runs of a command are sessions of their own, which reports take together; a run
# covers: that fails or is interrupted ends the series, and those before it stay

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# sessions - their names, in one line
sessions()
{
	find oprofile_data/samples -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort | xargs
}

# what the command makes of a run: a file, so that it can tell the second run
turn="echo x >>ran; [ \$(wc -l <ran) -ne 2 ] ||"

status 0 operf -e "$(clock 1000)" --runs=3 "$own/shares" alone "$(as_often 4000 1000)"
same "the last line" "$(tail -n 1 "$scratch/out")" \
	"operf: 3 runs; look with \"opreport -l --intervals 'session:run-*'\""
same "the sessions" "$(sessions)" "run-1 run-2 run-3"
for run in 1 2 3; do
	need opdb check oprofile_data/samples/run-$run
	need opreport -l -f "session:run-$run" >"$scratch/report"
	enough "samples of run $run" \
		$(($(symbol_samples shares_three) + $(symbol_samples shares_one))) 30
done
need opreport -l -f --intervals 'session:run-*' >"$scratch/report"
grep -q '+- %' "$scratch/report" || fail "no intervals"
all=$(symbol_samples shares_three)
share "three quarters of all runs" "$all" $((all + $(symbol_samples shares_one))) 0.752

# a series replaces the one before, and the umask of the command is the same in all its runs
umask 022
status 0 operf --runs=2 sh -c 'umask >>masks'
same "the sessions" "$(sessions)" "run-1 run-2"
same "the umasks" "$(sort -u masks)" 0022
rm -f ran
status 7 operf --runs=3 sh -c "$turn exit 7"
same "the sessions after a failure" "$(sessions)" "current run-1"
same "runs of the command" "$(wc -l <ran)" 2
rm -f ran
status 130 operf --runs=3 sh -c "$turn kill -INT \$\$"
same "the sessions after a signal" "$(sessions)" "current previous run-1"

# nothing that is no session is removed, and nothing is changed then
mkdir oprofile_data/samples/run-7
status 1 operf --runs=2 true
grep -q 'samples/run-7 is no session' "$scratch/out" || fail "that is no reason"
same "the sessions" "$(sessions)" "current previous run-1 run-7"
