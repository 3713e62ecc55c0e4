#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fills the cache with what a guest needs: QEMU, the kernels with their headers, and the
# programs of the guest's root.  Nothing is installed on the machine.
#
#	cache.sh [KERNEL...]		fetch what is not there yet; with a full cache no network is
#					used; default: all stock kernels
#	cache.sh --update [KERNEL...]	fetch newer versions, if the archive has any
#
# Below $XDG_CACHE_HOME/oprofile (default ~/.cache/oprofile):
#
#	qemu -> qemu-VERSION
#	linux-6.1 -> linux-RELEASE_VERSION-RECIPE	(and so on; kernel.sh says what is in it)
#	root -> root-VERSION			Debian programs for the guest
#	perf -> perf-VERSION			perf, for guests with a PMU
#	apt/					the private apt, see archive.sh
#
# A folder gets its final name by one rename when it is complete, so one that can be seen is
# complete.  Older versions are left for guests that still run from them.

. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/archive.sh"

# Programs that the guest profiles and that its tests use; busybox has the rest.
root_packages="base-files bash dash mawk coreutils findutils tar gzip xz-utils openssl perl-base
python3-minimal busybox-static"

update=false
case ${1:-} in
--update) update=true; shift ;;
-*) say "error: unknown option $1 (only --update is known)"; exit 2 ;;
esac
# shellcheck disable=SC2086
[[ $# -gt 0 ]] || set -- $kernels_stock
for kernel; do
	case " $kernels_stock " in
	*" $kernel "*) ;;
	*) die "Debian's kernels here are $kernels_stock, not $kernel" ;;
	esac
done
series=("$@")

full()
{
	local name

	for name in qemu root perf; do
		[[ -e $cache/$name/complete ]] || return 1
	done
	for name in "${series[@]}"; do
		kernel_complete "$name" || return 1
	done
}

# settle NAME FOLDER COMMAND... - unless FOLDER is there, let COMMAND fill a new one, which
# becomes FOLDER when it is complete; then NAME points to it
settle()
{
	local name=$1 folder=$2 new
	shift 2

	if [[ ! -e $cache/$folder/complete ]]; then
		new=$(mktemp -d "$cache/.new.XXXXXX")
		"$@" "$new"
		touch "$new/complete"
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

fill_kernel()
{
	local release=$1 suite=$2 new=$3 file wanted=()

	archive_fetch "$suite" "linux-image-$release" "linux-headers-$release"
	for file in "${files[@]}"; do
		case $file in
		linux-image-* | linux-headers-* | linux-kbuild-*) wanted+=("$file") ;;
		esac
	done
	archive_unpack "$new" "${wanted[@]}"
	# The headers name their common part by where it would be installed.
	sed -i "s|^include /usr/src/|include \$(dir \$(lastword \$(MAKEFILE_LIST)))../|" \
		"$new/usr/src/linux-headers-$release/Makefile"
	ln -s "boot/vmlinuz-$release" "$new/vmlinuz"
	ln -s "lib/modules/$release" "$new/modules"
	ln -s "usr/src/linux-headers-$release" "$new/build"
	echo "$release" >"$new/release"
}

# The root becomes one cpio archive, the first part of every guest's initramfs.
fill_root()
{
	local new=$1 tree dir applet

	tree=$new/tree
	mkdir -p "$tree"/usr/{bin,sbin,lib,lib64}
	# As on any Debian 12, /bin and the like are links into /usr.
	for dir in bin sbin lib lib64; do
		ln -s "usr/$dir" "$tree/$dir"
	done
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
	local new=$1 tree=$1/tree part=$1/part dir library
	local libraries=usr/lib/x86_64-linux-gnu

	mkdir -p "$tree"/usr/{bin,sbin,lib,lib64} "$part/$libraries" "$part/usr/bin"
	for dir in bin sbin lib lib64; do
		ln -s "usr/$dir" "$tree/$dir"
	done
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

hold "$cache/lock"
if ! $update && full; then
	exit 0
fi

say "filling $cache from Debian's archive"
rm -rf "$cache"/.new.*
archive_setup
archive_update
backports=$archive_suite-backports

list=$(archive_closure "$backports" qemu-system-x86)
mapfile -t files <<<"$list"
version=$(version_of qemu-system-x86 "${files[@]}")
settle qemu "qemu-$version" fill_from "$backports" qemu-system-x86

# shellcheck disable=SC2086
list=$(archive_closure "$archive_suite" $root_packages)
mapfile -t files <<<"$list"
recipe=$(declare -f fill_root; sort <<<"$list")
settle root "root-$(sha256sum <<<"$recipe" | cut -c 1-16)" fill_root

list=$(archive_closure "$archive_suite" linux-perf)
mapfile -t files <<<"$list"
recipe=$(declare -f fill_perf; sort <<<"$list")
settle perf "perf-$(sha256sum <<<"$recipe" | cut -c 1-16)" fill_perf

for kernel in "${series[@]}"; do
	name=$(archive_newest "linux-headers-$kernel." -cloud-amd64)
	[[ -n $name ]] || die "the archive has no cloud kernel of series $kernel"
	release=${name#linux-headers-}
	list=$(archive_closure "$backports" "linux-image-$release" "$name")
	mapfile -t files <<<"$list"
	version=$(version_of "linux-image-$release" "${files[@]}")
	recipe=$(declare -f fill_kernel | sha256sum | cut -c 1-8)
	settle "linux-$kernel" "linux-${release}_$version-$recipe" \
		fill_kernel "$release" "$backports"
done

rm -f "$archive"/archives/*.deb
full || die "the cache is still incomplete: $cache"
