#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: the Debian packages are built from this tree as it is, lintian has no error or warning for
# covers: them, and in a root file system of their own they are installed, used, upgraded, removed
# covers: and purged; the rpm packages likewise, with rpm --root; who has never seen them is
# covers: at the hot line of a program in three commands and three minutes; systemd runs the units
# covers: of a fleet, whose sessions come to a server
#
# The root file system is made of the machine's own apt configuration, and unpacked into a folder
# that is removed at the end; in it, in mount and process namespaces of their own, nothing but proc
# is mounted; boot.sh says what else is for systemd.
#
#	packages.sh

. "$(dirname "$0")/../vm/common.sh"
. "$top/tests/vm/archive.sh"
. "$top/tools/sources.sh"

skip() { echo "skip: $*"; exit 77; }

[[ $(id -u) -eq 0 ]] || skip "only root installs packages"
for command in chromedriver dh dh_dkms dpkg-buildpackage lintian mmdebstrap rpmbuild; do
	command -v "$command" >/dev/null || skip "there is no $command"
done
unshare --mount --pid --fork mount -t tmpfs none /mnt 2>/dev/null || skip "no mount namespaces here"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/packages.XXXXXX")
trap 'rm -rf --one-file-system "$scratch"' EXIT
root=$scratch/root
version=$(project_version)

# What packages of ours depend on, and what the tests use in there; gcc-12 builds kernel modules,
# too.
within="systemd kmod libcurl4 libpfm4 dkms g++-12 libc6-dev bash-completion
libarchive13 libbinutils libdw1 libelf1 libkmod2 liblzma5 libncursesw6 libpopt0 libyajl2 libzstd1
zlib1g"

# make_root - make the root file system, in the background of the build; it stays in the cache
make_root()
{
	local kept

	kept=$cache/packages-$({ declare -f make_root; echo "$within"; } | sha256sum | cut -c 1-8).tar
	if [[ ! -e $kept ]]; then
		archive_setup
		apt-config dump Acquire >"$scratch/acquire"
		# shellcheck disable=SC2086
		mmdebstrap --variant=minbase --mode=root --aptopt="$scratch/acquire" \
			--include="$(echo $within | tr ' ' ',')" "$archive_suite" \
			"$scratch/root.tar" "$archive/oprofile.sources"
		mv "$scratch/root.tar" "$kept"
	fi
	mkdir "$root"
	tar -C "$root" --numeric-owner -xf "$kept"
}

# Headers of a kernel, as Debian's package has them
add_headers()
{
	local from release

	release=$(kernel_release 6.1)
	from=$(kernel_build 6.1)
	echo "$release" >"$root/release"
	mkdir -p "$root/lib/modules/$release"
	cp -a "$from/../." "$root/usr/src/"
	cp -a "$from/../../lib/linux-kbuild-6.1" "$root/usr/lib/"
	ln -s "/usr/src/${from##*/}" "$root/lib/modules/$release/build"
}

# newer FILE - the same Debian package with a higher version, for an upgrade
newer()
{
	local tree=$scratch/newer

	rm -rf "$tree"
	dpkg-deb -R "$1" "$tree"
	sed -i "s/^Version: .*/Version: $version+test/; s/(= $version)/(= $version+test)/" \
		"$tree/DEBIAN/control"
	dpkg-deb --root-owner-group -Znone -b "$tree" "$root/newer/" >/dev/null
}

# run_inside SCRIPT
run_inside()
{
	cp "$1" "$root/inside.sh"
	# shellcheck disable=SC2016 # of the bash below
	unshare --mount --pid --fork --propagation private bash -c '
		mount -t proc proc "$1/proc" && exec chroot "$1" /bin/bash /inside.sh "$2"' \
		bash "$root" "$version"
}

make_root >"$scratch/root.log" 2>&1 &
maker=$!
"$top/tools/deb.sh" >"$scratch/debs"
lintian --allow-root --fail-on error,warning "$build/deb/oprofile_${version}_amd64.changes" ||
	die "lintian finds something"
wait "$maker" || { tail -n 20 "$scratch/root.log"; skip "mmdebstrap makes no root file system"; }

mkdir "$root/debs" "$root/newer"
sed -n 's/^deb: //p' "$scratch/debs" | while read -r file; do
	cp "$file" "$root/debs/"
	newer "$file"
done

# Three commands to a picture, and the hot line in it.
begin=$SECONDS
run_inside "$top/tests/install/inside_stranger.sh" || die "the stranger's path ends"
"$top/tests/browser/stranger_test.py" "$root/page.html" "$build" || die "the page has no hot line"
[[ $((SECONDS - begin)) -le 180 ]] || die "the stranger's path took $((SECONDS - begin)) s"
echo "from package to hot line: $((SECONDS - begin)) s"

# The units of a fleet, run by systemd.
status=0
unshare --net "$top/tests/install/units_test.py" "$root" || status=$?
[[ $status -eq 0 || $status -eq 77 ]] || die "the units of a fleet do not work"

"$vm/cache.sh" 6.1
add_headers
run_inside "$top/tests/install/inside_debian.sh" || die "the Debian packages do not work"


# build_rpms RELEASE - for libraries where Debian has them
build_rpms()
{
	"$top/tools/rpm.sh" --define "dist .$1" \
		--define "_libdir /usr/lib/x86_64-linux-gnu" >"$scratch/rpms"
	mapfile -t rpms < <(sed -n 's/^rpm: //p' "$scratch/rpms")
}

# in_root OPTION... - rpm with the root file system; dpkg knows the libraries there, not rpm
in_root()
{
	# shellcheck disable=SC2016 # of the bash below
	unshare --mount --pid --fork --propagation private bash -c '
		mount -t proc proc "$1/proc" && exec rpm --root "$1" --nodeps "${@:2}"' \
		bash "$root" "$@" >"$scratch/log" 2>&1 || {
		cat "$scratch/log"
		die "rpm $1 failed"
	}
}

# Installed, used, upgraded, and removed
find "$root" -xdev -ipath '*/usr/*oprofile*' | sort >"$scratch/before"
build_rpms 1
in_root --install "${rpms[@]}"
run_inside "$top/tests/install/inside_rpm.sh" || die "the rpm packages do not work"
build_rpms 2
in_root --upgrade "${rpms[@]}"
[[ $(rpm --root "$root" -q oprofile) = "oprofile-$version-1.2.x86_64" ]] ||
	die "rpm has not upgraded the package: $(rpm --root "$root" -q oprofile)"
run_inside "$top/tests/install/inside_rpm.sh" || die "the upgraded rpm packages do not work"
in_root --erase oprofile oprofile-dkms oprofile-doc libopagent1 libopagent-devel
find "$root" -xdev -ipath '*/usr/*oprofile*' | sort | diff "$scratch/before" - ||
	die "that is left by removing the rpm packages"
