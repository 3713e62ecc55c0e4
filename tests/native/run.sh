#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a native case as root, as an ordinary user, or as whoever runs this.
#
#	run.sh root|user|any CASE BUILD
#
# Exit status: 0 passed, 77 skipped (the last line says why), else failed.

set -eu

TESTS=$(cd "$(dirname "$0")/.." && pwd)
BUILD=$3
case=$TESTS/native/cases/$2.sh
export TESTS BUILD

skip()
{
	echo "skip: $*"
	exit 77
}

# Events of a program of one's own are what perf allows if it allows anything.
"$BUILD/utils/ocount/ocount" -e cpu-clock -f /dev/null true ||
	skip "this machine allows no perf events"

if [ "$1" = root ]; then
	[ "$(id -u)" -eq 0 ] || skip "not root"
	exec sh "$case"
fi
[ "$1" != any ] || exec sh "$case"

# The rings of an ordinary user take all of perf_event_mlock_kb; those of a second profiler have to
# be within the limit of locked memory, or wait.
# shellcheck disable=SC3045 # dash and bash have it
limit=$(ulimit -l)
if [ "$limit" != unlimited ] && [ "$limit" -lt $((520 * $(grep -c ^processor /proc/cpuinfo))) ]; then
	exec 9>"$BUILD/tests/native/user.lock"
	flock 9
fi
[ "$(id -u)" -eq 0 ] || exec sh "$case"
command -v setpriv >/dev/null || skip "no setpriv to become an ordinary user with"
user="setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent"
$user test -x "$BUILD/daemon/operf/operf" -a -r "$case" ||
	skip "an ordinary user cannot read the build folder"
$user "$BUILD/utils/ocount/ocount" -e cpu-clock -f /dev/null true ||
	skip "this machine allows an ordinary user no perf events"
exec $user sh "$case"
