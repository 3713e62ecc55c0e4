#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds Debian packages of this tree, and their source package, in $BUILD/deb (default:
# build/deb).  dpkg wants debian/ at the top of the source, where this tree has no such folder: it
# is system/debian here, and moved in a copy.  What is missing for it is installed if root runs this
# on Debian, and else named with the command that does.
#
#	deb.sh [DPKG-BUILDPACKAGE-OPTION...]
#
# Exit codes: 0 built, 1 building failed, 2 something is missing.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
to=${BUILD:-$top/build}/deb
log=$to/build.log
. "$top/tools/sources.sh"

"$top/tools/packages.sh" --deb
command -v dpkg-buildpackage >/dev/null || {
	echo "deb: error: there is no dpkg-buildpackage" >&2
	exit 2
}

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
