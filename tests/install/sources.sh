#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: a tree without git, as a tarball leaves it, goes into packages whole, but for what was
# covers: built in it; make deb and make rpm name in one line what they lack and the command that
# covers: installs it, and do nothing; tools/packages.sh knows all that system/debian/control builds
# covers: with
#
#	sources.sh SOURCE

set -euo pipefail

source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "NOT OK: $*"; exit 1; }

# Without git
top=$scratch/tree
mkdir -p "$top/build" "$top/build-asan" "$scratch/packed"
(cd "$source" && tar -c tools libop daemon system/debian/control meson.build) | tar -C "$top" -x
touch "$top/build/oprofiled" "$top/build-asan/oprofiled"
. "$source/tools/sources.sh"
GIT_CEILING_DIRECTORIES=$scratch copy_sources "$scratch/packed"
rm -r "$top"/build "$top"/build-asan
diff -r "$top" "$scratch/packed" || fail "a package of a tree without git has other files"
[[ -e $scratch/packed/tools/build.sh ]] || fail "no file that begins with build was tried"

# Without what packages are made with, as a user
if [[ -e /etc/debian_version ]]; then
	mkdir "$scratch/bin"
	ln -s /usr/bin/* "$scratch/bin/"
	rm -f "$scratch"/bin/{dh,dh_*,rpmbuild,dpkg-query,id}
	printf '#!/bin/sh\necho 1000\n' >"$scratch/bin/id"
	chmod 755 "$scratch/bin/id"
	for want in "deb debhelper dh-dkms" "rpm rpm"; do
		status=0
		said=$(PATH=$scratch/bin BUILD=$scratch/build \
			"$source/tools/${want%% *}.sh" 2>&1) || status=$?
		[[ $status -eq 2 ]] || fail "make ${want%% *}: status $status: $said"
		[[ $said == *"as root: apt-get install ${want#* }"* ]] ||
			fail "make ${want%% *} names no command: $said"
		[[ ! -e $scratch/build ]] || fail "make ${want%% *} began to build"
	done
	known=$("$source/tools/packages.sh" --deb --list)
	while read -r package; do
		case $package in
		debhelper-compat | dh-sequence-installsysusers) package=debhelper ;;
		dh-sequence-dkms) package=dh-dkms ;;
		python3:any) continue ;;	# Meson brings it
		esac
		grep -qx -- "$package" <<<"$known" || fail "tools/packages.sh has no $package"
	done < <(sed -n '/^Build-Depends:/,/^[^ B]/ {
			s/^Build-Depends:/ /
			s/^  *\([^ ,]*\).*/\1/p
		}' "$source/system/debian/control")
fi
