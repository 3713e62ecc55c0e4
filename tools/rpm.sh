#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds rpm packages of this tree, and their source package, in $BUILD/rpm (default: build/rpm),
# by system/rpm/oprofile.spec.  What is missing for it is installed if root runs this on Debian, and
# else named with the command that does.
#
#	rpm.sh [RPMBUILD-OPTION...]
#
# Exit codes: 0 built, 1 building failed, 2 something is missing.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
to=${BUILD:-$top/build}/rpm
log=$to/build.log
. "$top/tools/sources.sh"

"$top/tools/packages.sh" --rpm

version=$(project_version)
rm -rf "$to"
mkdir -p "$to/SOURCES" "$to/tree/oprofile-$version"
copy_sources "$to/tree/oprofile-$version"
tar -C "$to/tree" -cJf "$to/SOURCES/oprofile-$version.tar.xz" "oprofile-$version"
rm -rf "$to/tree"

# Where rpm has no data of what is installed, Meson says what is missing.
[[ -d /var/lib/rpm && -n $(rpm -qa 2>/dev/null | head -n 1) ]] || set -- --nodeps "$@"
rpmbuild -ba --define "_topdir $to" "$@" "$top/system/rpm/oprofile.spec" >"$log" 2>&1 || {
	tail -n 50 "$log" >&2
	echo "rpm: error: the packages could not be built (log: $log)" >&2
	exit 1
}
find "$to/RPMS" -name '*.rpm' -printf 'rpm: %p\n' | sort
