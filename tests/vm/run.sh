#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs guest cases and says how each went.
#
#	run.sh [-k SERIES] [-s SMP] [-d CASES] [-t FILE] [-j JOBS] [-m] [CASE...]
#
#	-k SERIES	only on this kernel (6.1, 6.12); default: each that a case names
#	-s SMP		only with this many CPUs; default: each that a case names
#	-d CASES	folder of the cases; default: tests/vm/cases
#	-t FILE		append "PASSED FAILED SKIPPED" to FILE, instead of a closing line
#	-j JOBS		guests at a time; default: one for each CPU, at most 4
#	-m		without the profiler's module (for the harness's own tests)
#
# A case is a script that says in its head, in comment lines, what it covers and wants:
#
#	# covers: TEXT		(required) the behaviour that it tests
#	# smp: N...		numbers of CPUs to run with; default 2; "exact" is one whose
#				runs are the same instruction by instruction
#	# kernels: SERIES...	default: all
#	# append: TEXT		for the kernel's command line
#	# pmu: OPTIONS...	a boot with each of these hardware counters, and with perf;
#				e.g. model=nehalem, see pmu/README.md; default: without any
#	# limit: SECONDS	of wall time; default 60
#
# Cases that want the same kernel, CPUs, command line and counters share one boot.

. "$(dirname "$0")/common.sh"
. "$vm/module.sh"
. "$vm/image.sh"
. "$vm/guest.sh"

only_kernel='' only_smp='' folder=$vm/cases tally='' with_module=true
jobs=$(nproc)
[[ $jobs -le 4 ]] || jobs=4
while getopts k:s:d:t:j:m option; do
	case $option in
	k) only_kernel=$OPTARG; kernel_known "$OPTARG" ;;
	s) only_smp=$OPTARG; smp_known "$OPTARG" ;;
	d) folder=$OPTARG ;;
	t) tally=$OPTARG ;;
	j) jobs=$OPTARG; [[ $jobs =~ ^[1-9][0-9]?$ ]] || die "-j $jobs is not a number of guests" ;;
	m) with_module=false ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

# header CASE KEY - the value of a line of a case's head
header() { sed -n "1,/^[^#]/s/^# $2: *//p" "$folder/$1.sh" | head -n 1; }

if [[ $# -eq 0 ]]; then
	for file in "$folder"/*.sh; do
		set -- "$@" "$(basename "$file" .sh)"
	done
fi
for name; do
	[[ -f $folder/$name.sh ]] || die "no case $name in $folder"
	[[ -n $(header "$name" covers) ]] || die "$folder/$name.sh does not say what it covers"
done

# One boot for each kernel, number of CPUs, command line and counters; its cases and the sum of
# their limits.
declare -A boot_cases=() boot_limit_sum=()
boots=()
for series in ${only_kernel:-$kernels}; do
	for name; do
		wanted=$(header "$name" kernels)
		[[ " ${wanted:-$kernels} " == *" $series "* ]] || continue
		smps=$(header "$name" smp)
		for smp in ${only_smp:-${smps:-2}}; do
			limit=$(header "$name" limit)
			pmus=$(header "$name" pmu)
			for pmu in ${pmus:-none}; do
				boot="$series|$smp|${pmu#none}|$(header "$name" append)"
				[[ -n ${boot_cases[$boot]:-} ]] || boots+=("$boot")
				boot_cases[$boot]+=" $name"
				: "${boot_limit_sum[$boot]:=0}"
				boot_limit_sum[$boot]=$((boot_limit_sum[$boot] + ${limit:-60} + 15))
			done
		done
	done
done
[[ ${#boots[@]} -gt 0 ]] || die "no case asks for that kernel"

# shellcheck disable=SC2086
image_prepare $with_module ${only_kernel:-$kernels}

# verdicts - print judgements for a person, those of the guest WHERE
verdicts()
{
	local where=$1 verdict name rest

	while read -r verdict name rest; do
		case $verdict in
		ok) printf 'ok      %-14s %-22s %s s\n' "$where" "$name" "$rest" ;;
		skip) printf 'skip    %-14s %-22s %s\n' "$where" "$name" "${rest#* }" ;;
		not)
			read -r name _ rest <<<"$rest"
			printf 'NOT OK  %-14s %-22s %s\n' "$where" "$name" "$rest"
			;;
		esac
	done
}

# run_boot NUMBER BOOT - boot a guest for its cases, and print how they went, all at once
run_boot()
{
	local series smp pmu append where run name limit report
	local -a names

	IFS='|' read -r series smp pmu append <<<"$2"
	read -ra names <<<"${boot_cases[$2]}"
	where=$series/smp$smp
	[[ -z $pmu$append ]] || where+=-boot$1 # not below it: each boot clears its own folder
	run=$out/run/$where
	rm -rf "$run"
	mkdir -p "$run"
	for name in "${names[@]}"; do
		limit=$(header "$name" limit)
		echo "$name ${limit:-60}" >>"$run/list"
	done
	image_cases "$run" list="$run/list" "$folder"/*.sh
	guest_boot "$run" "$series" "$smp" "$append" "${boot_limit_sum[$2]}" "$pmu"
	report=$(guest_judge "$run" "${names[@]}" | verdicts "$where")
	if grep -q '^NOT OK' <<<"$report"; then
		report+=$'\n'"logs:   $run/{console,output}.log"
	fi
	printf '%s\n' "$report" | tee -a "$results"
}

# A guest uses about one CPU, whatever number it has of its own.
results=$(mktemp)
trap 'rm -f "$results"; kill $(jobs -p) 2>/dev/null || true' EXIT
number=0
for boot in "${boots[@]}"; do
	number=$((number + 1))
	[[ $(jobs -rp | wc -l) -lt $jobs ]] || wait -n || true
	run_boot $number "$boot" &
done
wait

# A guest that nothing was said of has failed, too.
said=$(grep -c ' kernel-log ' "$results" || true)
silent=$((${#boots[@]} - said))
[[ $silent -eq 0 ]] || echo "NOT OK  $silent of ${#boots[@]} guests could not be run" | tee -a "$results"
passed=$(grep -c '^ok ' "$results" || true)
failed=$(grep -c '^NOT OK ' "$results" || true)
skipped=$(grep -c '^skip ' "$results" || true)

if [[ -n $tally ]]; then
	echo "$passed $failed $skipped" >>"$tally"
else
	printf '%d passed, %d failed' "$passed" "$failed"
	[[ $skipped -eq 0 ]] || printf ', %d skipped' "$skipped"
	echo
fi
[[ $failed -eq 0 ]]
