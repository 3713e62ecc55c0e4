#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds userspace in $BUILD (default: build/), setting it up the first time:
#
#	build.sh [MESON-OPTION...]	options are for the set-up
#
# $TARGETS says what; without it, programs and all that tests need.
#
# Warnings are errors where CI or WERROR is set: for developers and CI, not for users, whose
# compiler may know other warnings.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$top/build}

mkdir -p "$build"
exec 9>"$build/.lock"
flock 9		# two makes at a time must not set it up twice

log=$build/setup.log
set_up=(meson setup "$build" "$top")
werror=false
[[ -z ${CI:-}${WERROR:-} ]] || werror=true
if [[ ! -f $build/build.ninja ]]; then
	set_up+=("-Dwerror=$werror" "$@")
elif $werror && [[ ! -f $build/.werror ]]; then
	set_up=(meson configure "$build" -Dwerror=true)
else
	set_up=()
fi
if [[ ${#set_up[@]} -gt 0 ]]; then
	"${set_up[@]}" >"$log" 2>&1 || {
		cat "$log" >&2
		echo "build: error: meson could not set up $build" >&2
		exit 1
	}
	! $werror || touch "$build/.werror"
fi
# Says what it does only if it has something to do.
log=$build/build.log
# shellcheck disable=SC2086 # words
ninja -C "$build" ${TARGETS:-} >"$log" 2>&1 || {
	grep -vE '^\[[0-9]+/[0-9]+\] ' "$log" >&2
	echo "build: error: see above (log: $log)" >&2
	exit 1
}
