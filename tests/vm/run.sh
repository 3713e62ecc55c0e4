#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs guest cases and says how each went.
#
#	run.sh [-c WHICH] [-k KERNEL]... [-s SMP] [-p PMU] [-d CASES] [-t FILE] [-j JOBS] [-m]
#		[CASE...]
#
#	-c newest	each case only on the newest stock kernel of its line "check"
#	-c others	each case on all others of that line, as make check-kernel has it
#	-k KERNEL	on this kernel, any that kernel.sh knows; default: the stock ones, and with
#			-c others all
#	-s SMP		only with this many CPUs; default: each that a case names
#	-p PMU		only with these hardware counters, or "none"; default: each that a case names
#	-d CASES	folder of the cases; default: tests/vm/cases
#	-t FILE		append to that tally (see tests/tally.sh), as the suite "guest", instead of
#			a closing line
#	-j JOBS		guests at a time; default: one for each CPU, at most 4
#	-m		without the profiler's module (for the harness's own tests)
#
# A case is a script that says in its head, in comment lines, what it covers and wants:
#
#	# covers: TEXT		(required) the behaviour that it tests
#	# smp: N...		numbers of CPUs to run with; default 2; "exact" is one whose
#				runs are the same instruction by instruction
#	# append: TEXT		for the kernel's command line
#	# pmu: OPTIONS...	a boot with each of these hardware counters, and with perf;
#				e.g. model=nehalem, see pmu/README.md; default: without any
#	# limit: SECONDS	of wall time on an idle host; default 60.  A busy host has five
#				times as long, and a sanitised kernel a multiple of that
#	# sanitised: TEXT	why it is skipped on kernels with sanitisers
#	# check: KERNEL...	the kernels on which "make check-all" runs it; default: all but
#				PREEMPT_RT's.  What costs much is there on those that differ in what
#				it covers; "make vm-check" runs everything
#
# A case runs on all stock kernels.  A number of CPUs or counters with "@KERNEL[,KERNEL...]" behind
# it are only for these; README.md says how they are shared out.  Cases named on the command line
# together with -k have all of them there.
#
# Cases that want the same kernel, CPUs, command line and counters share one boot.
#
# A kernel with sanitisers runs all cases, whatever stock kernels they want, but each only once:
# with the first CPUs and counters that it wants on the stock kernel of that version, or at all.
# All others differ in the CPU, which the stock kernels have seen.

. "$(dirname "$0")/common.sh"
. "$vm/module.sh"
. "$vm/image.sh"
. "$vm/guest.sh"
. "$top/tests/tally.sh"

chosen='' only_smp='' only_pmu='' folder=$vm/cases tally='' with_module=true
share=''
jobs=$(nproc)
[[ $jobs -le 4 ]] || jobs=4
while getopts c:k:s:p:d:t:j:m option; do
	case $option in
	c)
		share=$OPTARG
		[[ $share =~ ^(newest|others)$ ]] || die "-c $share is neither newest nor others"
		;;
	k) chosen+=" $OPTARG"; kernel_known "$OPTARG" ;;
	s) only_smp=$OPTARG; [[ $OPTARG == exact ]] || smp_known "$OPTARG" ;;
	p) only_pmu=$OPTARG ;;
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

# wanted KERNEL CASE KEY DEFAULT - the words of a line of its head that are meant for that kernel
wanted()
{
	local word name every=() meant=()

	for word in $(header "$2" "$3"); do
		name=${word%%@*}
		every+=("$name")
		if $all || [[ $word != *@* || ,${word#*@}, == *",${1%-*},"* ]]; then
			meant+=("$name")
		fi
	done
	[[ ${#every[@]} -gt 0 ]] || every=("$4") meant=("$4")
	if kernel_sanitised "$1"; then
		echo "${meant[0]:-${every[0]}}"
	else
		echo "${meant[*]}"
	fi
}

# checks CASE - the kernels of its line "check"
checks()
{
	local on

	on=$(header "$1" check)
	echo "${on:-$kernels_stock $kernels_own}"
}

# newest CASE - the newest stock kernel of its line "check" on which it has something to do
newest()
{
	local series found=''

	for series in $kernels_stock; do
		if [[ " $(checks "$1") " == *" $series "* && -n $(wanted "$series" "$1" smp 2) &&
			-n $(wanted "$series" "$1" pmu none) ]]; then
			found=$series
		fi
	done
	echo "$found"
}

# unchecked KERNEL CASE - is it left out there, as -c wants?
unchecked()
{
	case $share in
	newest) [[ $1 != "${newest_of[$2]}" ]] ;;
	others) [[ $1 == "${newest_of[$2]}" || " $(checks "$2") " != *" $1 "* ]] ;;
	*) return 1 ;;
	esac
}

all=false	# counters and CPUs that are for other kernels, too
[[ $# -eq 0 || -z $chosen ]] || all=true
kernels=$kernels_stock
[[ $share != others ]] || kernels+=" $kernels_own $kernels_rt"
kernels=${chosen:-$kernels}
if [[ $# -eq 0 ]]; then
	for file in "$folder"/*.sh; do
		set -- "$@" "$(basename "$file" .sh)"
	done
fi
declare -A newest_of=()
for name; do
	[[ -f $folder/$name.sh ]] || die "no case $name in $folder"
	[[ -n $(header "$name" covers) ]] || die "$folder/$name.sh does not say what it covers"
	for series in $(header "$name" check); do
		kernel_known "$series"
	done
	newest_of[$name]=$(newest "$name")
done

# case_limit KERNEL CASE - seconds until the case is ended
case_limit()
{
	local limit

	limit=$(header "$2" limit)
	echo $((5 * $(kernel_slowness "$1") * ${limit:-60}))
}

# One boot for each kernel, number of CPUs, command line and counters; its cases and the sum of
# their limits.
declare -A boot_cases=() boot_limit_sum=()
boots=()
declare -A kernel_boots=()
for series in $kernels; do
	for name; do
		! unchecked "$series" "$name" || continue
		if kernel_sanitised "$series" && [[ -n $(header "$name" sanitised) ]]; then
			continue
		fi
		limit=$(case_limit "$series" "$name")
		smps=$(wanted "$series" "$name" smp 2)
		pmus=$(wanted "$series" "$name" pmu none)
		for smp in ${only_smp:-$smps}; do
			for pmu in ${only_pmu:-$pmus}; do
				boot="$series|$smp|${pmu#none}|$(header "$name" append)"
				if [[ -z ${boot_cases[$boot]:-} ]]; then
					boots+=("$boot")
					kernel_boots[$series]=$((${kernel_boots[$series]:-0} + 1))
				fi
				boot_cases[$boot]+=" $name"
				: "${boot_limit_sum[$boot]:=0}"
				boot_limit_sum[$boot]=$((boot_limit_sum[$boot] + limit +
					75 * $(kernel_slowness "$series")))
			done
		done
	done
done
[[ ${#boots[@]} -gt 0 ]] || die "no case asks for that kernel"

# only_loaded CASE... - leave out modules that no case loads
only_loaded()
{
	local files=("${@/#/$folder/}") named

	named=$(grep -oh '/vm/modules/[a-z_]*' "${files[@]/%/.sh}" "$vm"/guest/*.sh || true)
	image_loads=''
	! $with_module || image_loads=profiler
	! grep -q mutant <<<"$named" || image_loads+=" mutant"
	! grep -qvE 'mutant|^$' <<<"$named" || image_loads+=" tests"
}

only_loaded "$@"
# shellcheck disable=SC2086
image_prepare $kernels

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

# note KERNEL WHAT - the verdicts of a guest, whose counters and so on are WHAT, into the tally
note()
{
	local kernel=$1 what=$2 verdict name rest passed=0 failed=0 skipped=0

	while read -r verdict name rest; do
		case $verdict in
		ok)
			passed=$((passed + 1))
			tally_took "$noted" "$kernel" guest "$name $what" "$rest"
			;;
		skip)
			skipped=$((skipped + 1))
			tally_skip "$noted" "$kernel" guest "$name $what" "${rest#* }"
			;;
		not)
			failed=$((failed + 1))
			read -r name _ rest <<<"$rest"
			tally_fail "$noted" "$kernel" guest "$name $what" "$rest"
			;;
		esac
	done
	tally_ran "$noted" "$kernel" guest $passed $failed $skipped
}

# run_boot NUMBER BOOT - boot a guest for its cases, and print how they went, all at once
run_boot()
{
	local series smp pmu append where run name judged report
	local -a names

	IFS='|' read -r series smp pmu append <<<"$2"
	read -ra names <<<"${boot_cases[$2]}"
	where=$series/smp$smp
	[[ -z $pmu$append ]] || where+=-boot$1 # not below it: each boot clears its own folder
	run=$out/run/$where
	rm -rf "$run"
	mkdir -p "$run"
	for name in "${names[@]}"; do
		echo "$name $(case_limit "$series" "$name")" >>"$run/list"
	done
	image_cases "$run" list="$run/list" "$folder"/*.sh
	guest_boot "$run" "$series" "$smp" "$append" "${boot_limit_sum[$2]}" "$pmu"
	judged=$(guest_judge "$run" "${names[@]}")
	report=$(verdicts "$where" <<<"$judged")
	if [[ -f $run/again ]]; then
		report+=$'\n'$(printf 'again   %-14s %s the first time (log: %s)' "$where" \
			"$(<"$run/again")" "$run/console.first.log")
	fi
	if grep -q '^NOT OK' <<<"$report"; then
		report+=$'\n'"logs:   $run/{console,output}.log"
	fi
	printf '%s\n' "$report"
	note "$series" "${where#*/}${pmu:+ $pmu}" <<<"$judged"
}

# could_not KERNEL WHAT - a failure that no guest tells of
could_not()
{
	printf 'NOT OK  %-14s %s\n' "$1" "$2"
	tally_ran "$noted" "$1" guest 0 1 0
	tally_fail "$noted" "$1" guest "the kernel" "$2"
}

# by_length - the boots, "NUMBER BOOT", the longest first, so that none runs alone at the end
by_length()
{
	local number=0 boot

	for boot in "${boots[@]}"; do
		number=$((number + 1))
		printf '%s\t%s %s\n' "${boot_limit_sum[$boot]}" $number "$boot"
	done | sort -s -n -r -k 1,1 | cut -f 2-
}

# A guest uses about one CPU, whatever number it has of its own.
noted=$(mktemp)
trap 'rm -f "$noted"; kill $(jobs -p) 2>/dev/null || true' EXIT
while read -r number boot; do
	[[ " ${broken[*]} " != *" ${boot%%|*} "* ]] || continue
	[[ $(jobs -rp | wc -l) -lt $jobs ]] || wait -n || true
	run_boot "$number" "$boot" &
done < <(by_length)
wait

# A kernel or a guest that nothing was said of has failed, too.
for series in "${!kernel_boots[@]}"; do
	if [[ " ${broken[*]} " == *" $series "* ]]; then
		could_not "$series" "could not be had, or the modules not be built for it"
		continue
	fi
	said=$(grep -c "^ran"$'\t'"$series"$'\t' "$noted" || true)
	silent=$((kernel_boots[$series] - said))
	[[ $silent -eq 0 ]] ||
		could_not "$series" "$silent of ${kernel_boots[$series]} guests could not be run"
done

# What is left out on a sanitised kernel is counted, with the reason.
for series in $kernels; do
	for name; do
		kernel_sanitised "$series" || continue
		reason=$(header "$name" sanitised)
		[[ -n $reason ]] || continue
		printf 'skip    %-14s %-22s %s\n' "$series" "$name" "$reason"
		tally_ran "$noted" "$series" guest 0 0 1
		tally_skip "$noted" "$series" guest "$name" "$reason"
	done
done

status=0
awk -F '\t' '
	$1 == "ran" { passed += $4; failed += $5; skipped += $6 }
	END {
		printf "%d passed, %d failed", passed, failed
		if (skipped)
			printf ", %d skipped", skipped
		print ""
		exit failed || !passed
	}' "$noted" >"$noted.sum" || status=$?
if [[ -n $tally ]]; then
	cat "$noted" >>"$tally"
else
	cat "$noted.sum"
fi
rm -f "$noted.sum"
exit $status
