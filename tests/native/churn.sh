#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# New programs at a high rate for a long time, each of which spins for a moment, while oprofiled
# profiles the whole system: what that takes, and what is lost.
#
#	churn.sh [--minutes=20] [--rate=200] [--length=10] [--dir=DIR] BUILD
#
#	--rate=N	programs a second
#	--length=N	characters that their paths have below DIR
#	--dir=DIR	for session and programs; default: a new one in $TMPDIR or /tmp
#
# Prints one metric a line: the programs that there were; the most memory, descriptors, bytes and
# inodes that were seen while it ran, each second; how long the daemon took to end, and what the
# packed session takes then; samples received and lost, as a report says.  Needs root.

set -euo pipefail

minutes=20 rate=200 length=10 dir='' build=''
for argument; do
	case $argument in
	--minutes=*) minutes=${argument#*=} ;;
	--rate=*) rate=${argument#*=} ;;
	--length=*) length=${argument#*=} ;;
	--dir=*) dir=${argument#*=} ;;
	-*) echo "unknown option: $argument" >&2; exit 2 ;;
	*) build=$(realpath "$argument") ;;
	esac
done
[[ -n $build ]] || { echo "churn.sh: no build folder was given" >&2; exit 2; }
[[ $EUID -eq 0 ]] || { echo "skip: the whole system is root's to profile"; exit 77; }

scratch=$(mktemp -d "${dir:-${TMPDIR:-/tmp}}/churn.XXXXXX")
session=$scratch/session samples=$scratch/session/samples/current
export OPROFILE_SYMBOLS=$scratch/symbols
daemon='' churn=''
finish()
{
	[[ -z $churn ]] || kill "$churn" 2>/dev/null || :
	[[ -z $daemon ]] || kill "$daemon" 2>/dev/null || :
	rm -rf "$scratch"
}
trap finish EXIT

more() { [[ $1 -ge $2 ]] && echo "$1" || echo "$2"; }
metric() { printf '%-28s %s\n' "$1" "$2"; }

limit=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
"$build/daemon/oprofiled" --perf --freq=$((limit < 1000 ? limit : 1000)) --session-dir="$session"
daemon=$(cat "$session/lock")
mkdir "$scratch/programs"
programs=$((minutes * 60 * rate))
"$build/tests/native/workloads/churn" "$scratch/programs" "$programs" "$rate" "$length" 3 \
	>"$scratch/rate" &
churn=$!

memory=0 descriptors=0 bytes=0 inodes=0
while kill -0 "$churn" 2>/dev/null; do
	kill -0 "$daemon" || { echo "the daemon has ended" >&2; exit 1; }
	memory=$(more "$memory" "$(awk '/^VmRSS/ { print $2 }' "/proc/$daemon/status")")
	descriptors=$(more "$descriptors" "$(find "/proc/$daemon/fd" | wc -l)")
	bytes=$(more "$bytes" "$(du -s --block-size=1 "$session" 2>/dev/null | cut -f 1)")
	inodes=$(more "$inodes" "$(find "$session" 2>/dev/null | wc -l)")
	sleep 1
done
wait "$churn"
churn=''
before=$SECONDS
kill "$daemon"
# one that has ended may wait for whoever began it
while grep -qs '^State:[[:space:]]*[^Z]' "/proc/$daemon/status"; do sleep 0.1; done
seconds=$((SECONDS - before))
daemon=''

metric 'programs' "$programs"
metric 'programs a second' "$(cat "$scratch/rate")"
metric 'memory, most (kB)' "$memory"
metric 'descriptors, most' "$descriptors"
metric 'session bytes, most' "$bytes"
metric 'session inodes, most' "$inodes"
metric 'seconds to end' "$seconds"
packed=$(du -s --block-size=1 "$samples" | cut -f 1)
metric 'packed bytes' "$packed"
metric 'packed bytes a program' "$((packed / programs))"
metric 'packed inodes' "$(find "$samples" | wc -l)"
"$build/utils/opdb/opdb" check "$samples"
"$build/pp/opreport" --session-dir="$session" 2>/dev/null | sed -n '/^Samples: /p; /^Account: /p'
