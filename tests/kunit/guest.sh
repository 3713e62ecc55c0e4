#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the KUnit suites in guests: those of what needs an x86, and all others once more, on a
# real kernel.  On Debian's stock kernels (kernels_kunit) the framework is the kernel's own,
# patched to load into a kernel without it: guest/framework/copy.sh says how.  Kernels that are
# built for tests, with sanitisers, have KUnit of their own, which is not patched.
#
#	guest.sh [-k KERNEL] [-t FILE]
#
#	-k KERNEL	only on this one
#	-t FILE		note down results in FILE, see tests/tally.sh
#
# One boot for each kernel.  results.py judges what is in the console: each suite and case of the
# sources must have run and passed.

. "$(dirname "$0")/../vm/common.sh"
out=$build/kunit	# apart from what tests/vm builds, and not in its way
# shellcheck source=../vm/archive.sh
. "$vm/archive.sh"
# shellcheck source=../vm/source.sh
. "$vm/source.sh"
# shellcheck source=../vm/module.sh
. "$vm/module.sh"
# shellcheck source=../vm/image.sh
. "$vm/image.sh"
# shellcheck source=../vm/guest.sh
. "$vm/guest.sh"
. "$top/tests/tally.sh"
. "$top/tests/kunit/guest/framework/copy.sh"

module_options=(-j "$(nproc)")
kunit=$top/tests/kunit
only='' tally=''
while getopts k:t: option; do
	case $option in
	k) only=$OPTARG; kernel_known "$OPTARG" ;;
	t) tally=$OPTARG ;;
	*) exit 2 ;;
	esac
done

# linux_of KERNEL - the source that it is of
linux_of() { linux_source "${1%-*}"; }

# build_native KERNEL - oprofile_kunit.ko for a kernel that has KUnit
build_native()
{
	local source=$out/$1/source

	rm -rf "$source"
	mkdir -p "$source"
	cp -as "$top/module" "$source/module"
	cp -as "$kunit" "$source/kunit"
	ln -s kunit/guest/Kbuild "$source/Kbuild"
	module_build_counted "$1" "$source" "$out/$1/module" module kunit
}

# build_suites KERNEL - framework/kunit.ko and oprofile_kunit.ko
build_suites()
{
	local source=$out/$1/source linux stamp

	if kernel_sanitised "$1"; then
		build_native "$1"
		return
	fi
	linux=$(linux_of "$1")
	stamp="$linux $(cat "$kunit"/guest/framework/* | sha256sum)"
	if [[ $(cat "$source/stamp" 2>/dev/null) != "$stamp" ]]; then
		rm -rf "$source"
		framework_copy "$linux" "$source/framework"
		echo "$stamp" >"$source/stamp"
	fi
	rm -rf "$source"/{module,kunit,Kbuild}
	cp -as "$top/module" "$source/module"
	cp -as "$kunit" "$source/kunit"
	ln -s kunit/guest/Kbuild "$source/Kbuild"
	module_build "$1" "$source" "$out/$1/module" module kunit framework
}

# boot_suites KERNEL FOLDER - run them in a guest
boot_suites()
{
	local modules=$out/$1/module limit=$((300 * $(kernel_slowness "$1")))
	local files=(oprofile_kunit.ko="$modules/oprofile_kunit.ko")

	rm -rf "$2"
	mkdir -p "$2"
	echo "suites $limit" >"$2/list"
	kernel_sanitised "$1" || files+=(kunit.ko="$modules/framework/kunit.ko")
	# Nothing of userspace is wanted, nor other modules.
	mkdir -p "$out/$1"
	: >"$out/programs.cpio"
	: >"$out/$1/modules.cpio"
	image_cases "$2" list="$2/list" "${files[@]}" "$kunit/guest/suites.sh"
	guest_boot "$2" "$1" 2 "" $limit
}

# run_suites KERNEL - build, boot, judge
run_suites()
{
	local folder=$out/run/$1 parser verdict='' status=0
	local -a sources

	mapfile -t sources < <(find "$kunit" -name '*_test.c')
	build_suites "$1"
	boot_suites "$1" "$folder"
	parser=$(linux_of "$1")/tools/testing/kunit/kunit.py
	# what comes before is of a KUnit that is built in, and has no suites of its own
	sed '1,/vm: case suites begins/d' "$folder/console.log" >"$folder/ktap.log"
	if ! "$parser" parse --json="$folder/results.json" "$folder/ktap.log" \
			>"$folder/kunit.log" 2>&1; then
		verdict="kunit.py is not content. "
	fi
	verdict+=$(guest_judge "$folder" suites | grep -v '^ok ' || true)
	"$kunit/results.py" -k "$1" -t "${tally:-/dev/null}" -c "$verdict" \
		"$folder/results.json" "${sources[@]}" || status=$?
	[[ $status -eq 0 ]] || echo "logs:   $folder/{console,kunit,output}.log"
	return $status
}

hold "$out/lock"
kernels=${only:-$kernels_kunit}
# shellcheck disable=SC2086
kernel_fill $kernels
failed=0
for kernel in $kernels; do
	run_suites "$kernel" || failed=1
done
exit $failed
