#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fills the cache with what a guest needs: QEMU, the kernels with their headers, and the
# programs of the guest's root.  Nothing is installed on the machine.
#
#	cache.sh [--no-perf] [KERNEL...]
#					fetch what is not there yet; with a full cache no network is
#					used; default: all stock kernels
#	cache.sh --update [KERNEL...]	fetch newer versions, if the archive has any
#
#	--no-perf	without perf, which only guests with a PMU need
#
# Below $XDG_CACHE_HOME/oprofile (default ~/.cache/oprofile):
#
#	qemu -> qemu-VERSION-RECIPE
#	linux-6.1 -> linux-6.1-VERSION-RECIPE	(and so on; kernel.sh says what is in it)
#	root -> root-VERSION-RECIPE		Debian programs for the guest
#	perf -> perf-VERSION-RECIPE		perf, for guests with a PMU
#	apt/, apt-unstable/			the private apt, see archive.sh
#
# A folder gets its final name by one rename when it is complete, so one that can be seen is
# complete.  Older versions are left for guests that still run from them.

. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/archive.sh"

# Programs that the guest profiles and that its tests use; busybox has the rest.
root_packages="base-files bash dash mawk coreutils findutils tar gzip xz-utils openssl perl-base
python3-minimal busybox-static"

update=false
parts="qemu root perf"
case ${1:-} in
--update) update=true; shift ;;
--no-perf) parts="qemu root"; shift ;;
-*) say "error: unknown option $1 (--update and --no-perf are known)"; exit 2 ;;
esac
# shellcheck disable=SC2086
[[ $# -gt 0 ]] || set -- $kernels_stock
for kernel; do
	case " $kernels_stock $kernels_rt " in
	*" $kernel "*) ;;
	*) die "Debian's kernels here are $kernels_stock $kernels_rt, not $kernel" ;;
	esac
done
series=("$@")

# recipe_of NAME - a checksum of how that part of the cache is made
recipe_of()
{
	{
		declare -f fill_from
		case $1 in
		root) declare -f merged fill_root; echo "$root_packages" ;;
		perf) declare -f merged fill_perf ;;
		linux-7.*) declare -f merged fill_toolchain fill_kernel; echo "$toolchain_packages" ;;
		linux-*) declare -f fill_kernel ;;
		esac
	} | sha256sum | cut -c 1-8
}

# full - is each part there, made as it would be made now?
full()
{
	local name

	for name in $parts "${series[@]/#/linux-}"; do
		[[ $(cat "$cache/$name/complete" 2>/dev/null) == "$(recipe_of "$name")" ]] || return 1
	done
}

# settle NAME VERSION COMMAND... - unless that version is there, let COMMAND fill a new folder,
# which gets its name when it is complete; then NAME points to it
settle()
{
	local name=$1 recipe folder new
	recipe=$(recipe_of "$1")
	folder=$1-$2-$recipe
	shift 2

	if [[ ! -e $cache/$folder/complete ]]; then
		new=$(mktemp -d "$cache/.new.XXXXXX")
		"$@" "$new"
		echo "$recipe" >"$new/complete"
		chmod 755 "$new"
		rm -rf "${cache:?}/$folder"
		mv -T "$new" "$cache/$folder"
	fi
	ln -sfn "$folder" "$cache/.$name.link"
	mv -T "$cache/.$name.link" "$cache/$name"
	say "$name is $folder"
}

# The part of a file list that is a version: of the package named.
version_of()
{
	local package=$1 file
	shift
	for file; do
		if [[ $file == "${package}"_* ]]; then
			file=${file#*_}
			file=${file%_*}
			echo "${file//%3a/:}" | tr ':' '.'
			return
		fi
	done
	die "the archive has no $package"
}

# fill_from SUITE PACKAGES DIR - with the closure that is in files
fill_from()
{
	local suite=$1 packages=$2 new=$3
	# shellcheck disable=SC2086
	archive_fetch "$suite" $packages
	archive_unpack "$new" "${files[@]}"
}

# The suite that a kernel comes from; its compiler is the machine's, or else its suite's, too.
kernel_suite() { case $1 in 7.*) echo unstable ;; *) echo "$archive_suite-backports" ;; esac; }

# What Kbuild's make runs besides the compiler, which the headers' package asks for.
toolchain_packages="base-files bash coreutils dash diffutils findutils gawk grep make sed"

# merged ROOT - make the links of a merged /usr there, as /bin -> usr/bin
merged()
{
	local dir

	mkdir -p "$1"/usr/{bin,sbin,lib,lib64}
	for dir in bin sbin lib lib64; do
		ln -s "usr/$dir" "$1/$dir"
	done
}

# fill_toolchain RELEASE SUITE ROOT - the compiler of that suite, and what make runs
fill_toolchain()
{
	local root=$3 list
	local -a wanted

	merged "$root"
	# shellcheck disable=SC2086
	list=$(archive_closure "$2" $toolchain_packages "linux-headers-$1")
	# shellcheck disable=SC2086
	archive_fetch "$2" $toolchain_packages "linux-headers-$1"
	mapfile -t wanted < <(grep -vE '^linux-' <<<"$list")
	archive_unpack "$root" "${wanted[@]}"
	ln -sf gawk "$root/usr/bin/awk"
	mkdir -p "$root"/usr/{local,src}	# where the machine's will be seen
	rm -rf "$root"/usr/share/{doc,man,locale,info,lintian,bug}
}

# fill_kernel RELEASE SUITE DIR - image, modules and headers; from unstable with the toolchain
fill_kernel()
{
	local release=$1 suite=$2 new=$3 file part wanted=()

	archive_fetch "$suite" "linux-image-$release" "linux-headers-$release"
	for file in "${files[@]}"; do
		case $file in
		linux-image-* | linux-binary-* | linux-modules-* | linux-base-[0-9]* | \
		linux-headers-* | linux-kbuild-*)
			wanted+=("$file")
			;;
		esac
	done
	archive_unpack "$new" "${wanted[@]}"
	# The headers name themselves and their common part by where they would be installed.
	sed -i "s|/usr/src/|\$(dir \$(abspath \$(lastword \$(MAKEFILE_LIST))))../|" \
		"$new/usr/src/linux-headers-$release/Makefile"
	[[ $suite != unstable ]] || fill_toolchain "$release" "$suite" "$new/toolchain"

	for part in "vmlinuz boot/vmlinuz-$release" "vmlinuz usr/lib/modules/$release/vmlinuz" \
			"modules lib/modules/$release" "modules usr/lib/modules/$release" \
			"build usr/src/linux-headers-$release"; do
		[[ ! -e $new/${part#* } ]] || ln -s "${part#* }" "$new/${part%% *}"
	done
	echo "$release" >"$new/release"
}

# The root becomes one cpio archive, the first part of every guest's initramfs.
fill_root()
{
	local new=$1 tree=$1/tree applet

	merged "$tree"
	fill_from "$archive_suite" "$root_packages" "$tree"
	rm -rf "$tree"/usr/share/{doc,man,locale,info,lintian,bug,menu}
	# Not busybox's: its shell prefers its own awk, which has no sqrt().
	ln -sf dash "$tree/bin/sh"
	ln -sf mawk "$tree/bin/awk"
	for applet in $("$tree/bin/busybox" --list); do
		[[ -e $tree/bin/$applet || -e $tree/sbin/$applet ]] ||
			ln -s busybox "$tree/bin/$applet"
	done
	printf '%s\n' root:x:0:0:root:/root:/bin/bash nobody:x:65534:65534:nobody:/:/bin/sh \
		>"$tree/etc/passwd"
	printf '%s\n' root:x:0: nogroup:x:65534: >"$tree/etc/group"
	mkdir -p "$tree/vm"
	(cd "$tree" && find . -print0 | sort -z | cpio -o -0 -H newc --quiet) >"$new/root.cpio"
	rm -rf "$tree"
}

# perf and the libraries it is linked with, without what else its package wants.
fill_perf()
{
	local new=$1 tree=$1/tree part=$1/part library
	local libraries=usr/lib/x86_64-linux-gnu

	mkdir -p "$part/$libraries" "$part/usr/bin"
	merged "$tree"
	fill_from "$archive_suite" linux-perf "$tree"
	cp "$tree/usr/bin/perf" "$part/usr/bin/"
	"$tree/lib64/ld-linux-x86-64.so.2" --library-path "$tree/$libraries" \
		--list "$tree/usr/bin/perf" >"$new/list" || die "perf lacks a library"
	while read -r library; do
		cp -L "$library" "$part/$libraries/"
	done < <(awk '$2 == "=>" { print $3 }' "$new/list")
	(cd "$part" && find . -print0 | sort -z | cpio -o -0 -H newc --quiet) >"$new/perf.cpio"
	rm -rf "$tree" "$part"
}

# Who finds all there needs not wait for another one who fills something else.
$update || ! full || exit 0
hold "$cache/lock"
$update || ! full || exit 0

say "filling $cache from Debian's archive"
rm -rf "$cache"/.new.*
archive_setup "$archive_suite"
archive_update
backports=$archive_suite-backports

list=$(archive_closure "$backports" qemu-system-x86)
mapfile -t files <<<"$list"
version=$(version_of qemu-system-x86 "${files[@]}")
settle qemu "$version" fill_from "$backports" qemu-system-x86

# shellcheck disable=SC2086
list=$(archive_closure "$archive_suite" $root_packages)
mapfile -t files <<<"$list"
settle root "$(sort <<<"$list" | sha256sum | cut -c 1-16)" fill_root

if [[ $parts == *perf* ]]; then
	list=$(archive_closure "$archive_suite" linux-perf)
	mapfile -t files <<<"$list"
	settle perf "$(sort <<<"$list" | sha256sum | cut -c 1-16)" fill_perf
fi

# settle_kernel KERNEL
settle_kernel()
{
	local suite release flavour=cloud

	[[ $1 != *-rt ]] || flavour=rt
	suite=$(kernel_suite "$1")
	if [[ $suite == unstable ]]; then
		archive_setup unstable
		archive_update
	fi
	release=$(archive_newest_kernel "${1%-rt}" "-$flavour-amd64")
	[[ -n $release ]] || die "the archive has no $flavour kernel of series ${1%-rt}"
	list=$(archive_closure "$suite" "linux-image-$release" "linux-headers-$release")
	mapfile -t files <<<"$list"
	version=$(version_of "linux-image-$release" "${files[@]}")
	settle "linux-$1" "$version" fill_kernel "$release" "$suite"
	rm -f "$archive"/archives/*.deb
}

# One that can't be had must not keep the others out.
for kernel in "${series[@]}"; do
	settle_kernel "$kernel" &
	wait $! || say "error: Linux $kernel could not be had"
done

rm -f "$archive"/archives/*.deb
full || die "the cache is still incomplete: $cache"
