#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that the harness judges rightly: runs guests in which things go wrong on purpose
# and compares what run.sh says of them with what it ought to say.
#
#	selftest.sh [-k SERIES] [-t FILE]	as for run.sh; default kernel: the first
#
# Each line of selftest/expected is a pattern (a whole line, in the shell's own glob language)
# for one line of run.sh.  A kernel with a folder of its own, selftest/KERNEL, has its own cases
# and expectations there.

. "$(dirname "$0")/common.sh"
. "$top/tests/tally.sh"

series=${kernels_stock%% *} tally=''
while getopts k:t: option; do
	case $option in
	k) series=$OPTARG; kernel_known "$OPTARG" ;;
	t) tally=$OPTARG ;;
	*) exit 2 ;;
	esac
done

VM_OUT=$out/selftest
VM_BOOT_LIMIT=${VM_BOOT_LIMIT:-30}	# one guest gets stuck and has to be waited for
export VM_OUT VM_BOOT_LIMIT
mkdir -p "$VM_OUT"
report=$VM_OUT/report
what=$vm/selftest
[[ ! -d $what/$series ]] || what+=/$series

status=0
"$vm/run.sh" -m -k "$series" -d "$what/cases" >"$report" || status=$?

# by_boot - its lines in the order of the boots, which end in any order; the sum is last
by_boot()
{
	awk '{
		boot = $0 ~ /-boot[0-9]+ / ? $0 : ""
		sub(/.*-boot/, "", boot)
		print ($0 ~ /\/smp/ ? boot + 0 : 1000) "\t" $0
	}' "$report" | sort -n -s -k 1,1 | cut -f 2-
}

# compare - print each pattern that is not met, and each line that nobody expected
compare()
{
	local line pattern
	local -a expected

	mapfile -t expected < <(grep -v '^#' "$what/expected")
	while IFS= read -r line; do
		[[ $line == logs:* ]] && continue
		line=$(tr -s ' ' <<<"${line//"$series/"/}")
		pattern=${expected[0]-nothing more}
		expected=("${expected[@]:1}")
		# shellcheck disable=SC2053
		[[ $line == $pattern ]] || printf 'expected: %s\n     got: %s\n' "$pattern" "$line"
	done < <(by_boot)
	[[ ${#expected[@]} -eq 0 ]] || printf 'expected: %s\n     got: nothing\n' "${expected[@]}"
	[[ $status -eq 1 ]] || echo "run.sh with failures ended with status $status, not 1"
}

differences=$(compare)
if [[ -z $differences ]]; then
	printf 'ok      %-14s harness\n' "$series"
	tally_ran "$tally" "$series" selftest 1 0 0
	sum="1 passed, 0 failed"
else
	printf 'NOT OK  %-14s harness: judged wrongly (report: %s)\n%s\n' "$series" "$report" \
		"$differences"
	tally_ran "$tally" "$series" selftest 0 1 0
	tally_fail "$tally" "$series" selftest harness "judged wrongly"
	sum="0 passed, 1 failed"
fi
[[ -n $tally ]] || echo "$sum"
[[ -z $differences ]]
