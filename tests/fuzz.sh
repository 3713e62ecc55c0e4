#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fuzzes what the programs read, for longer than "make check" does:
#
#	fuzz.sh [SECONDS]	of each target; default 60
#	fuzz.sh -w		the inputs of fuzz/driver.h, all of them, with what is built
#
# Exit codes: 0 none failed, 1 one did (it says with which input), 2 SECONDS is no number.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$top/build}
seconds=${1:-60} how=(-s "${1:-60}")
if [[ $seconds == -w ]]; then
	how=(-w)
elif [[ ! $seconds =~ ^[1-9][0-9]*$ ]]; then
	echo "fuzz: error: \"$seconds\" is no number of seconds" >&2
	exit 2
fi

[[ $seconds == -w ]] || "$top/tools/build.sh"
status=0
for target in "$build"/tests/fuzz/fuzz_*; do
	[[ -f $target && -x $target ]] || continue
	if "$target" "${how[@]}"; then
		printf 'ok      %s\n' "${target##*/}"
	else
		printf 'NOT OK  %s\n' "${target##*/}"
		status=1
	fi
done
exit $status
