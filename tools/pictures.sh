#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Renews the pictures of doc/: runs the commands of the tutorial, draws what they show, and takes
# the pictures into doc/pictures/.  Needs chromium and chromium-driver.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$top/build}

"$top/tools/build.sh"
rm -f "$build"/screens/tutorial-*
"$top/tests/native/run.sh" any tutorial "$build" >"$build/pictures.log" 2>&1 || {
	cat "$build/pictures.log" >&2
	echo "pictures: error: the tutorial's test does not pass" >&2
	exit 1
}
for picture in "$top"/doc/pictures/*; do
	[[ -s $build/screens/${picture##*/} ]] || {
		echo "pictures: error: ${picture##*/} was not made (log: $build/pictures.log)" >&2
		exit 1
	}
done
cp "$build"/screens/tutorial-* "$top/doc/pictures/"
