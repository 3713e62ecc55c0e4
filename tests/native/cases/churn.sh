#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: new programs at a high rate, at long paths: the daemon keeps up, its session stays small,
# covers: and it ends soon

in_memory=yes
sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

is_root || skip "the whole system is root's to profile"

programs=400

# fewer WHAT NUMBER MOST
fewer()
{
	echo "$1: $2, at most $3"
	[ "$2" -le "$3" ] || fail "$1: $2, more than $3"
}

key() { printf 'status\n' | control | awk -v key="$1" '$1 == key { print $2 }'; }
control()
{
	python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.send(sys.stdin.buffer.read())
while True:
    n = s.recv(4096)
    if not n: break
    sys.stdout.buffer.write(n)' "$session/control"
}

# churn LENGTH - profile programs at paths of this length
churn()
{
	rm -rf "$session"
	need oprofiled --perf --freq="$(rate 1000)" --session-dir="$session"
	daemon=$(cat "$session/lock")
	mkdir -p "$scratch/programs"
	need "$own/churn" "$scratch/programs" $programs 200 "$1" 3 >"$scratch/rate"
	echo "programs a second: $(cat "$scratch/rate")"
	received=$(key received) lost=$(($(key lost) + $(key lost-by-source)))
	echo "received $received, lost $lost, descriptors $(find "/proc/$daemon/fd" | wc -l)"
	inodes=$(find "$samples" | wc -l)
	before=$(date +%s)
	kill "$daemon"
	until_true 60 sh -c "! kill -0 $daemon 2>/dev/null"
	echo "inodes $inodes, seconds to end: $(($(date +%s) - before))"
	need opdb check "$samples"
	bytes=$(($(du -s --block-size=1 "$samples" | cut -f 1)))
	after=$(find "$samples" | wc -l)
	echo "packed: $bytes bytes, $after inodes"
	enough "samples" "$received" 200
	at_most "samples lost" "$lost" $((received + lost)) 0.01
	need opreport --long-filenames --session-dir="$session" >"$scratch/report"
	! grep '^Account:' "$scratch/report" || fail "the account of $session"
}

churn 10
fewer "inodes while it runs" "$inodes" $((programs * 20))
fewer "inodes" "$after" 100
# what has no share in programs is the list of the kernel's symbols
fewer "bytes" "$bytes" $((programs * 2000 + 3000000))

churn 1900
fewer "inodes while it runs, with long paths" "$inodes" $((programs * 20))
fewer "inodes" "$after" 100
grep -q '/d/d/d' "$scratch/report" || fail "no program with a long path in the report"
