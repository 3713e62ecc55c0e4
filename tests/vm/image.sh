# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# The guest's initramfs: cpio archives one after the other, which the kernel unpacks in that
# order into one root.
#
#	root.cpio	Debian programs, from the cache
#	programs.cpio	the profiler as "meson install" lays it out, the workloads, and the
#			libraries of this machine that they are linked with
#	SERIES/modules.cpio	kernel modules
#	RUN/cases.cpio	init, the cases of one run and what they source
#
# Sourced after common.sh and module.sh.

# pack TREE ARCHIVE - as root's, whoever builds; of the same files it is the same archive
pack()
{
	find "$1" -exec touch -h -d @1577836800 {} +
	(cd "$1" && find . -print0 | sort -z |
		cpio -o -0 -H newc -R 0:0 --reproducible --quiet) >"$2.new"
	mv "$2.new" "$2"
}

# libraries_of FILE... - the shared libraries that the programs need, found as they would be
libraries_of()
{
	local file

	for file; do
		ldd "$file" 2>/dev/null || true
	done | awk '/not found/ { print "missing " $1; next }
		$2 == "=>" { print $3; next }
		$1 ~ /^\// { print $1 }' | sort -u
}

# libraries_opened - those that programs open by their names when they need them, if there are any
libraries_opened()
{
	PATH=$PATH:/usr/sbin:/sbin ldconfig -p |
		awk '$1 == "libpfm.so.4" && /x86-64/ && !n++ { print $NF }'
}

# image_symbols FOLDER - list the functions of the workloads there, in a file "symbols":
# "PATH-IN-GUEST OFFSET SIZE NAME", in hex
image_symbols()
{
	local file
	local -a files=("$1"/*)

	for file in "${files[@]}"; do
		nm -S --defined-only "$file" |
			awk -v file="/vm/workloads/${file##*/}" \
				'NF == 4 && tolower($3) == "t" { print file, $1, $2, $4 }'
	done >"$1/symbols"
}

# image_native TREE - put the native cases into the guest's tree, and a folder /vm/build with what
# they take from a build folder
image_native()
{
	local to=$1/vm program

	mkdir -p "$to"/tests/vm/guest "$to"/build/tests/{vm,native/workloads}
	cp -r "$top/tests/native" "$to/tests/"
	ln -s /vm/case.sh "$to/tests/vm/guest/case.sh"
	cp -rl "$to/workloads" "$to/build/tests/vm/"
	find "$build/tests/native/workloads" -maxdepth 1 -type f -perm -100 \
		-exec cp -t "$to/build/tests/native/workloads" {} +
	for program in utils/ocount/ocount daemon/operf/operf; do
		mkdir -p "$to/build/${program%/*}"
		ln -s "$(find "$1" -path "*bin/${program##*/}" -type f -printf '/%P\n')" \
			"$to/build/$program"
	done
}

image_tests=true	# are there programs of the tests?

# image_workloads TREE - put what the tests profile there
image_workloads()
{
	mkdir -p "$1"/vm/{workloads,pmu,fuzz}
	find "$build/tests/vm/workloads" -maxdepth 1 -type f -perm -100 \
		-exec cp -t "$1/vm/workloads" {} +
	find "$build/tests/vm/pmu/guest" -maxdepth 1 -type f -perm -100 \
		-exec cp -t "$1/vm/pmu" {} +
	find "$build/tests/vm/fuzz" -maxdepth 1 -type f -perm -100 \
		-exec cp -t "$1/vm/fuzz" {} +
	image_symbols "$1/vm/workloads"
	image_native "$1"
}

# image_programs - make programs.cpio of what is built
image_programs()
{
	local tree=$out/programs library file
	local -a elf=()

	rm -rf "$tree"
	mkdir -p "$tree/vm"
	DESTDIR=$tree meson install -C "$build" --no-rebuild --quiet >"$out/install.log" 2>&1 ||
		{ cat "$out/install.log" >&2; die "meson install failed"; }
	! $image_tests || image_workloads "$tree"
	# Where the guest's PATH finds the profiler, whatever the prefix is.
	find "$tree" -name opcontrol -type f -perm -100 -printf '/%P\n' | sed 's|/[^/]*$||' \
		>"$tree/vm/path"
	find "$tree" -path '*bin/op*' -type f -printf '/%P\n' | sed 's|/[^/]*$||' | sort -u \
		>>"$tree/vm/path"

	while read -r file; do
		elf+=("$file")
	done < <(find "$tree" -type f -perm -100)
	while read -r library; do
		case $library in
		missing*) die "a program needs ${library#missing }, which this machine lacks" ;;
		"$top"/* | "$build"/* | "$tree"/*) continue ;;
		esac
		# /lib is a link to usr/lib in the guest
		file=$tree/usr/${library#/}
		file=${file/\/usr\/usr\//\/usr\/}
		[[ -e $file ]] || install -D -m 755 "$library" "$file"
	done < <(libraries_of "${elf[@]}"; libraries_opened)
	pack "$tree" "$out/programs.cpio"
}

image_extra=''	# more of the kernel's own modules, where they are not part of it

# Which modules the guests load: "profiler", "mutant" and "tests", those of vm/modules.  To build
# one for a kernel takes up to 25 s of CPU time.
image_loads="profiler mutant tests"

# image_needs MODULES - do the guests load these?
image_needs() { [[ " $image_loads " == *" $1 "* ]]; }

# image_modules SERIES - make modules.cpio
image_modules()
{
	local tree=$out/$1/tree from to module

	from=$(kernel_modules "$1")
	to=$tree/usr/lib/modules/$(kernel_release "$1")
	rm -rf "$tree"
	mkdir -p "$to/extra" "$tree/vm/modules"
	! image_needs tests || cp "$out/$1"/modules/*.ko "$tree/vm/modules/"
	! image_needs mutant || kernel_sanitised "$1" ||
		cp "$out/$1/mutant/oprofile.ko" "$tree/vm/modules/mutant.ko"
	! image_needs profiler || cp "$out/$1/module/oprofile.ko" "$to/extra/"
	for module in kernel/fs/overlayfs/overlay.ko kernel/fs/fuse/fuse.ko \
			kernel/arch/x86/kernel/msr.ko $image_extra; do
		grep -qx "$module" "$from/modules.builtin" && continue
		# what is left out of these kernels: see kernels/base.config
		kernel_sanitised "$1" && [[ ! -e $from/$module ]] && continue
		mkdir -p "$to/${module%/*}"
		cp "$from/$module"* "$to/${module%/*}/"
	done
	cp "$from"/modules.{order,builtin,builtin.modinfo} "$to/"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$tree/usr" "$(kernel_release "$1")" ||
		die "depmod failed on the guest's modules"
	pack "$tree" "$out/$1/modules.cpio"
}

# image_cases FOLDER FILE... - make cases.cpio of a run; a FILE is a case, or "NAME=FILE" to
# put at /vm/NAME
image_cases()
{
	local tree=$1/tree file
	shift

	rm -rf "$tree"
	mkdir -p "$tree/vm/cases"
	install -m 755 "$vm/guest/init" "$tree/init"
	install -m 755 "$vm"/guest/{clean,closing} "$tree/vm"
	install -m 644 "$vm"/guest/{case,pmu_case,fuzz_case}.sh "$tree/vm"
	for file; do
		case $file in
		*=*) install -m 755 "${file#*=}" "$tree/vm/${file%%=*}" ;;
		*) install -m 755 "$file" "$tree/vm/cases/$(basename "$file" .sh)" ;;
		esac
	done
	pack "$tree" "${tree%/tree}/cases.cpio"
	rm -rf "$tree"
}

# image_kernel KERNEL - build the modules for it, and make their archive
image_kernel()
{
	kernel_complete "$1" || die "there is no Linux $1 in $cache"
	! image_needs profiler || module_build_counted "$1" "$top" "$out/$1/module" module
	# no case of a sanitised kernel loads it
	! image_needs mutant || kernel_sanitised "$1" || module_build_mutant "$1"
	! image_needs tests || module_build_tests "$1"
	image_modules "$1"
}

# image_prepare KERNEL... - all that is the same in every run: fill the cache, build the modules,
# make the archives.  Holds the output folder until this process ends.  The kernels that could not
# be had or built for are left in the array "broken".
image_prepare()
{
	local name
	local -A making=()

	[[ -f $build/build.ninja ]] || die "$build is not built yet: make build"
	kernel_fill "$@" || true	# image_kernel tells which is missing
	hold "$out/lock"
	image_programs
	for name; do
		image_kernel "$name" &
		making[$name]=$!
	done
	broken=()
	for name; do
		wait "${making[$name]}" || broken+=("$name")
	done
}
