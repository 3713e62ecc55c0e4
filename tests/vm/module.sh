# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Builds kernel modules for the guests against the headers in the cache.  The sources are
# linked into the build folder and compiled there, so the source tree stays clean and each
# kernel has objects of its own.  Sourced after common.sh.

module_options=()	# more arguments of make

# module_build SERIES SOURCE FOLDER ENTRY... - compile the Kbuild in SOURCE, with the folders
# and files ENTRY beside it, in FOLDER
module_build()
{
	local series=$1 source=$2 folder=$3 log entry
	shift 3

	[[ -f $source/Kbuild ]] || die "no Kbuild in $source"
	mkdir -p "$folder"
	find "$folder" -xtype l -delete		# sources that are gone
	for entry in Kbuild "$@"; do
		cp -asf "$source/$entry" "$folder/"
	done
	log=$folder/build.log
	if ! kernel_make "$series" M="$folder" "${module_options[@]}" modules >"$log" 2>&1; then
		cat "$log" >&2
		die "the module of $source does not compile for Linux $series (log: $log)"
	fi
	grep -E 'warning:' "$log" >&2 || true
}

# module_build_counted SERIES ... - the same, and where the kernel has gcov, count what is executed
module_build_counted()
{
	local module_options=()

	! grep -qx CONFIG_GCOV_KERNEL=y "$(kernel_build "$1")/.config" ||
		module_options=(GCOV_PROFILE=y)
	module_build "$@"
}

# module_build_tests SERIES - the modules of the tests
module_build_tests()
{
	local sources=("$vm"/modules/*.c)

	mkdir -p "$out/$1/modules"
	ln -sfn "$top/module" "$out/$1/modules/module"	# for what it knows of older kernels
	module_build "$1" "$vm/modules" "$out/$1/modules" "${sources[@]##*/}"
}

# module_build_mutant SERIES - the profiler's module with a fault: its handler does not unmask
# LVTPC, so that a CPU has one sample and no more.  That must not go unnoticed.
module_build_mutant()
{
	local source=$out/$1/mutant_source file=module/x86/pmu.c

	rm -rf "$source"
	mkdir -p "$source"
	cp -as "$top/Kbuild" "$top/module" "$source/"
	rm "$source/$file"
	sed '/^static .*void end_handling/,/^}/{/op_lvtpc_write(APIC_DM_NMI);/d}' "$top/$file" \
		>"$source/$file"
	cmp -s "$top/$file" "$source/$file" && die "$file unmasks LVTPC somewhere else now"
	touch -r "$top/$file" "$source/$file"
	module_build "$1" "$source" "$out/$1/mutant" module
}
