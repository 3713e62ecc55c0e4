#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of module/compat/: what its probes find in the headers of each stock kernel, which kernels
# it refuses, and that each of its canaries can die.
#
#	compat.sh [-k KERNEL] [-t FILE]
#
#	-k KERNEL	only with this one's headers; default: all stock kernels
#	-t FILE		append to that tally (see tests/tally.sh), as the suite "compat"

. "$(dirname "$0")/common.sh"
. "$vm/module.sh"
. "$top/tests/tally.sh"

only='' tally=''
while getopts k:t: option; do
	case $option in
	k) only=$OPTARG; kernel_known "$OPTARG" ;;
	t) tally=$OPTARG ;;
	*) exit 2 ;;
	esac
done

folder=$out/compat
compat=$top/module/compat
mkdir -p "$folder"
hold "$folder/lock"
sum_passed=0 sum_failed=0

# judge KERNEL TEST [WHY-NOT] - passed, unless there is a reason why not
judge()
{
	if [[ -z ${3:-} ]]; then
		printf 'ok      %-14s compat: %s\n' "$1" "$2"
		tally_ran "$tally" "$1" compat 1 0 0
		sum_passed=$((sum_passed + 1))
	else
		printf 'NOT OK  %-14s compat: %s: %s\n' "$1" "$2" "$3"
		tally_ran "$tally" "$1" compat 0 1 0
		tally_fail "$tally" "$1" compat "$2" "$3"
		sum_failed=$((sum_failed + 1))
	fi
}

# probes_of KERNEL - what Kbuild.include finds there
probes_of()
{
	local headers

	# Debian's common headers, which a kernel built here has in its source.
	headers=$(find "$(kernel_build "$1")/../" -maxdepth 1 -name '*-common' | head -n 1)
	# shellcheck disable=SC2016 # make's own variables
	printf 'include %s\nall: ; @echo $(sort $(compat-flags:-D%%=%%))\n' \
		"$compat/Kbuild.include" | make -s -f - srctree="$headers" all
}

# Of the newest kernel: what it has is not probed for in vain.
newest="COMPAT_HAS_CPUID_API COMPAT_HAS_D_MAKE_PERSISTENT COMPAT_HAS_FILE_USER_PATH
COMPAT_HAS_HRTIMER_SETUP COMPAT_HAS_INODE_JUST_DROP COMPAT_HAS_RDMSRQ
COMPAT_HAS_SIMPLE_INODE_INIT_TS"
newest=${newest//$'\n'/ }
declare -A probes=(
	[6.1]="COMPAT_GET_FILE_RCU_TAKES_FILE"
	[6.12]="COMPAT_HAS_FILE_USER_PATH COMPAT_HAS_SIMPLE_INODE_INIT_TS"
	[7.2]=$newest
)

test_probes()
{
	local found

	[[ -n ${probes[$1]:-} ]] || die "what has Linux $1?  Say so in $vm/compat.sh"
	found=$(probes_of "$1") || true
	[[ $found == "${probes[$1]}" ]] || judge "$1" probes "found \"$found\", not \"${probes[$1]}\""
	[[ $found != "${probes[$1]}" ]] || judge "$1" probes
}

# test_range VERSION PROBES COMPLAINT - what range.h says to a kernel of that version with what
# was probed for; nothing, if COMPLAINT is empty
test_range()
{
	local include=$folder/range/linux said name flags=() wrong=''

	mkdir -p "$include"
	{
		echo '#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))'
		echo "#define LINUX_VERSION_CODE KERNEL_VERSION($1)"
	} >"$include/version.h"
	for name in $2; do
		flags+=("-D$name")
	done
	said=$({ gcc -E -P -I "${include%/linux}" "${flags[@]}" "$compat/range.h" 2>&1 >/dev/null ||
		true; } | sed -n '/#error/{s/.*#error "\(.*\)"/\1/p;q}')
	[[ $said == "$3" ]] || wrong="says \"$said\", not \"$3\""
	judge host "Linux ${1//, /.}: ${3:-is taken}" "$wrong"
}

test_ranges()
{
	local name lacks known="oprofile knows Linux 6.1 to 7.2: this one"

	test_range "6, 0, 19" "" "oprofile needs Linux 6.1 or newer"
	test_range "5, 15, 200" "$newest" "oprofile needs Linux 6.1 or newer"
	test_range "6, 1, 0" "COMPAT_GET_FILE_RCU_TAKES_FILE" ""
	test_range "6, 12, 117" "${probes[6.12]}" ""
	test_range "7, 1, 9" "" ""
	test_range "7, 2, 13" "$newest" ""
	test_range "7, 9, 0" "$newest" ""
	test_range "7, 9, 0" "$newest COMPAT_GET_FILE_RCU_TAKES_FILE" "$known has another get_file_rcu()"
	for name in $newest; do
		case $name in
		COMPAT_HAS_CPUID_API) lacks="asm/cpuid/api.h" ;;
		*) lacks=$(tr '[:upper:]' '[:lower:]' <<<"${name#COMPAT_HAS_}")"()" ;;
		esac
		test_range "7, 9, 0" "${newest/$name/}" "$known has no $lacks"
	done
}

# test_canaries KERNEL - each is alive in the build, and dies when it is asked to
test_canaries()
{
	local kernel=$1 built=$folder/$1 log=$folder/$1.log all dead

	mkdir -p "$built"
	ln -sfn "$top/module" "$built/module"
	cp "$compat/canary.c" "$built/canary.c"
	cat >"$built/Kbuild" <<-'KBUILD'
	obj-m := canary.o
	include $(src)/module/compat/Kbuild.include
	ccflags-y += $(compat-flags) -include $(src)/module/compat/compat.h $(CANARIES)
	KBUILD
	if ! kernel_make "$kernel" M="$built" canary.o >"$log" 2>&1; then
		judge "$kernel" canaries "one is dead (log: $log)"
		return
	fi
	kernel_make "$kernel" M="$built" CANARIES=-DCOMPAT_CANARIES_DIE canary.o >"$log" 2>&1 || true
	all=$(grep -c '^CANARY(' "$compat/canary.c")
	dead=$(grep -c 'static assertion failed: .* was looked at' "$log" || true)
	if [[ $all -eq $dead ]]; then
		judge "$kernel" "$all canaries"
	else
		judge "$kernel" canaries "$dead of $all could die (log: $log)"
	fi
}

test_ranges
# shellcheck disable=SC2086
kernel_fill ${only:-$kernels_stock} || true
for kernel in ${only:-$kernels_stock}; do
	if kernel_complete "$kernel"; then
		test_probes "$kernel"
		test_canaries "$kernel"
	else
		judge "$kernel" headers "could not be had"
	fi
done
[[ -n $tally ]] || echo "$sum_passed passed, $sum_failed failed"
[[ $sum_failed -eq 0 ]]
