# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# One case in one guest whose length the caller chooses: what is too long for the folder of
# cases, but runs and is judged as they are.  Sourced after common.sh.

. "$top/tests/tally.sh"

# oneoff NAME KERNEL SMP PMU LIMIT APPEND TALLY - run a case that sources fuzz_case.sh; the
# standard input has its words, the first line of which says what it covers.  Prints what the case
# printed; the counts go into TALLY, as the suite NAME, or into a closing line.  Has an output
# folder of its own, so that it can run beside others.
oneoff()
{
	local name=$1 kernel=$2 smp=$3 pmu=$4 limit=$5 append=$6 tally=$7 case noted covers status=0
	local -a outputs

	export VM_OUT=$out/$name
	case=$VM_OUT/cases/$name.sh
	noted=$VM_OUT/noted
	rm -rf "$VM_OUT/cases" "$VM_OUT/run" "$noted"
	mkdir -p "$VM_OUT/cases"
	{
		IFS= read -r covers
		printf '#!/bin/sh\n# %s\n' "$covers"
		printf '# limit: %s\n' "$limit"
		[[ -z $append ]] || printf '# append: %s\n' "$append"
		[[ -z $pmu ]] || printf '# pmu: %s\n' "$pmu"
		printf '. /vm/fuzz_case.sh\n'
		cat
	} >"$case"

	"$vm/run.sh" -k "$kernel" -s "$smp" -d "$VM_OUT/cases" -t "$noted" "$name" || status=$?
	outputs=("$VM_OUT/run/$kernel"/*/output.log)
	cat "${outputs[@]}" 2>/dev/null || true
	if [[ -n $tally ]]; then
		awk -F '\t' -v OFS='\t' -v suite="$name" '{ $3 = suite; print }' "$noted" >>"$tally"
		tally_expect "$tally" "$kernel" "$name" "could not be run"
	fi
	return $status
}
