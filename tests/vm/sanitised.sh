#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the kernels with sanitisers, of Debian's source, into the cache.
#
#	sanitised.sh NAME...	6.1-kasan, 6.1-kcsan: those that are not there yet
#
# A configuration is "make allnoconfig" with kernels/base.config and kernels/SANITISER.config on
# top, each line of which must come true.  A kernel is built again when those, the source's
# version, the compiler or the recipe below change.  What is left of a build is what kernel.sh
# asks for: the image, the modules, and what Kbuild needs to build others.
#
# A build takes some minutes and holds a lock of its own, so that others can use the cache, or
# build another kernel, meanwhile.

. "$(dirname "$0")/common.sh"
. "$vm/archive.sh"
. "$vm/source.sh"

# configure SOURCE OBJECTS FRAGMENT... - and make sure that every line was taken
configure()
{
	local source=$1 objects=$2 line
	shift 2

	cat "$@" >"$objects/all.config"
	make -s -C "$source" O="$objects" KCONFIG_ALLCONFIG="$objects/all.config" allnoconfig
	while read -r line; do
		case $line in
		'' | '#'*) ;;
		*=n) ! grep -q "^${line%n}" "$objects/.config" ;;
		*) grep -qx "$line" "$objects/.config" ;;
		esac || die "$source takes no $line: see what it depends on"
	done <"$objects/all.config"
}

# trim OBJECTS - to what a build of other modules needs
trim()
{
	local objects=$1

	find "$objects" -mindepth 1 -maxdepth 1 ! -name arch ! -name include ! -name scripts \
		! -name tools ! -name Makefile ! -name Module.symvers ! -name System.map \
		! -name source ! -name '.config' -exec rm -rf {} +
	find "$objects/tools" -type f ! -name objtool -delete
	find "$objects/arch" -type f ! -path '*/include/*' -delete
	find "$objects" -name '*.o' ! -path '*/scripts/*' -delete
	find "$objects" -type d -empty -delete
}

# build_kernel SOURCE FOLDER FRAGMENT...
build_kernel()
{
	local source=$1 new=$2 objects=$2/build release
	local -a kbuild=(make -s -C "$source" O="$objects")
	shift 2

	mkdir -p "$objects"
	configure "$source" "$objects" "$@"
	"${kbuild[@]}" -j "$(nproc)" bzImage modules
	release=$(make -s -C "$source" O="$objects" kernelrelease)
	"${kbuild[@]}" INSTALL_MOD_PATH="$new" DEPMOD=true modules_install
	rm -f "$new/lib/modules/$release"/{build,source}
	cp "$objects/arch/x86/boot/bzImage" "$new/vmlinuz"
	ln -s "lib/modules/$release" "$new/modules"
	trim "$objects"
	echo "$release" >"$new/release"
}

# provide NAME - unless it is there, build it, and let linux-NAME point to it
provide()
{
	local name=$1 series=${1%-*} source version new folder begin
	local -a fragments=("$vm/kernels/base.config" "$vm/kernels/${1##*-}.config")

	source=$(linux_source "$series")
	version=$(basename "$source")
	folder=linux-$name-$({
		cat "${fragments[@]}"
		declare -f build_kernel configure trim
		echo "$version"
		gcc --version
	} | sha256sum | cut -c 1-16)
	hold "$cache/lock-$name"
	if [[ ! -e $cache/$folder/complete ]]; then
		new=$cache/.building-$name
		rm -rf "$new"
		mkdir -p "$new"
		begin=$SECONDS
		say "building Linux $name of $version (log: $new/build.log)"
		if ! (build_kernel "$source" "$new" "${fragments[@]}") >"$new/build.log" 2>&1; then
			tail -n 20 "$new/build.log" >&2
			die "Linux $name does not build (log: $new/build.log)"
		fi
		touch "$new/complete"
		rm -rf "${cache:?}/$folder"
		mv -T "$new" "$cache/$folder"
		say "linux-$name was built in $((SECONDS - begin)) s"
	fi
	ln -sfn "$folder" "$cache/.$name.link"
	mv -T "$cache/.$name.link" "$cache/linux-$name"
}

[[ $# -gt 0 ]] || die "which kernels? There are: $kernels_own"
for name; do
	case " $kernels_own " in
	*" $name "*) provide "$name" ;;
	*) die "no recipe for Linux $name; there are: $kernels_own" ;;
	esac
done
