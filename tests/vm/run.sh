#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs guest cases and says how each went.
#
#	run.sh [-k SERIES] [-s SMP] [-d CASES] [-t FILE] [-m] [CASE...]
#
#	-k SERIES	only on this kernel (6.1, 6.12); default: each that a case names
#	-s SMP		only with this many CPUs; default: each that a case names
#	-d CASES	folder of the cases; default: tests/vm/cases
#	-t FILE		append "PASSED FAILED SKIPPED" to FILE, instead of a closing line
#	-m		without the profiler's module (for the harness's own tests)
#
# A case is a script that says in its head, in comment lines, what it covers and wants:
#
#	# covers: TEXT		(required) the behaviour that it tests
#	# smp: N...		numbers of CPUs to run with; default 2
#	# kernels: SERIES...	default: all
#	# append: TEXT		for the kernel's command line
#	# limit: SECONDS	of wall time; default 60
#
# Cases that want the same kernel, CPUs and command line share one boot.

. "$(dirname "$0")/common.sh"
. "$vm/module.sh"
. "$vm/image.sh"
. "$vm/guest.sh"

only_kernel='' only_smp='' folder=$vm/cases tally='' with_module=true
while getopts k:s:d:t:m option; do
	case $option in
	k) only_kernel=$OPTARG; kernel_known "$OPTARG" ;;
	s) only_smp=$OPTARG; smp_known "$OPTARG" ;;
	d) folder=$OPTARG ;;
	t) tally=$OPTARG ;;
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

# One boot for each kernel, number of CPUs and command line; its cases and the sum of their
# limits.
declare -A boot_cases=() boot_limit_sum=()
boots=()
for series in ${only_kernel:-$kernels}; do
	for name; do
		wanted=$(header "$name" kernels)
		[[ " ${wanted:-$kernels} " == *" $series "* ]] || continue
		smps=$(header "$name" smp)
		for smp in ${only_smp:-${smps:-2}}; do
			limit=$(header "$name" limit)
			boot="$series|$smp|$(header "$name" append)"
			[[ -n ${boot_cases[$boot]:-} ]] || boots+=("$boot")
			boot_cases[$boot]+=" $name"
			: "${boot_limit_sum[$boot]:=0}"
			boot_limit_sum[$boot]=$((boot_limit_sum[$boot] + ${limit:-60} + 15))
		done
	done
done
[[ ${#boots[@]} -gt 0 ]] || die "no case asks for that kernel"

# shellcheck disable=SC2086
image_prepare $with_module ${only_kernel:-$kernels}

passed=0 failed=0 skipped=0
number=0
for boot in "${boots[@]}"; do
	IFS='|' read -r series smp append <<<"$boot"
	read -ra names <<<"${boot_cases[$boot]}"
	number=$((number + 1))
	where=$series/smp$smp
	[[ -z $append ]] || where+=/boot$number
	run=$out/run/$where
	rm -rf "$run"
	mkdir -p "$run"

	files=()
	for name in "${names[@]}"; do
		files+=("$folder/$name.sh")
		limit=$(header "$name" limit)
		echo "$name ${limit:-60}" >>"$run/list"
	done
	image_cases "$run" list="$run/list" "${files[@]}"
	guest_boot "$run" "$series" "$smp" "$append" "${boot_limit_sum[$boot]}"

	bad=false
	while read -r verdict name rest; do
		case $verdict in
		ok)
			passed=$((passed + 1))
			printf 'ok      %-14s %-22s %s s\n' "$where" "$name" "$rest"
			;;
		skip)
			skipped=$((skipped + 1))
			printf 'skip    %-14s %-22s %s\n' "$where" "$name" "${rest#* }"
			;;
		not)
			bad=true
			failed=$((failed + 1))
			read -r name _ rest <<<"$rest"
			printf 'NOT OK  %-14s %-22s %s\n' "$where" "$name" "$rest"
			;;
		esac
	done < <(guest_judge "$run" "${names[@]}")
	$bad && printf 'logs:   %s/{console,output}.log\n' "$run"
done

if [[ -n $tally ]]; then
	echo "$passed $failed $skipped" >>"$tally"
else
	printf '%d passed, %d failed' $passed $failed
	[[ $skipped -eq 0 ]] || printf ', %d skipped' $skipped
	echo
fi
[[ $failed -eq 0 ]]
