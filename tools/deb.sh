#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds Debian packages of this tree, and their source package, in $BUILD/deb (default:
# build/deb).  dpkg wants debian/ at the top of the source, where this tree has no such folder: it
# is system/debian here, and moved in a copy.
#
#	deb.sh [DPKG-BUILDPACKAGE-OPTION...]
#
# Exit codes: 0 built, 1 building failed, 2 something is missing.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
to=${BUILD:-$top/build}/deb
log=$to/build.log
. "$top/tools/sources.sh"

for command in dh dpkg-buildpackage; do
	command -v "$command" >/dev/null || {
		echo "deb: error: there is no $command: apt-get install debhelper dh-dkms" >&2
		exit 2
	}
done

version=$(project_version)
source=$to/oprofile-$version
rm -rf "$to"
mkdir -p "$source"
copy_sources "$source"
mv "$source/system/debian" "$source/debian"

(cd "$source" && DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS:-parallel=$(nproc)} \
	dpkg-buildpackage --no-sign --unsigned-source --unsigned-changes "$@") >"$log" 2>&1 || {
		tail -n 50 "$log" >&2
		echo "deb: error: the packages could not be built (log: $log)" >&2
		exit 1
	}
find "$to" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' -printf 'deb: %p\n' | sort
