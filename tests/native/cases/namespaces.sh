#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a program that is only in a mount namespace of its own, at a path that names another
# covers: program outside of it: its samples say so, and are never those of the other one;
# covers: a profiler in a namespace of its own, as a service, tells that from init's

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

is_root || skip "only root makes a mount namespace"
unshare -m true 2>/dev/null || skip "this machine allows no mount namespace"

mkdir "$scratch/place"
cp "$workloads/brief8" "$scratch/place/program"
cat >"$scratch/inside" <<-END
	mount -t tmpfs tmpfs "$scratch/place" || exit 1
	cp "$workloads/brief1" "$scratch/place/program"
	"$scratch/place/program" $(as_often 700 2000)
	umount "$scratch/place"
END
sample -e "$(clock 2000)" unshare -m sh "$scratch/inside"
inside=$(samples_below "{root}/[[]mount namespace *[]]$scratch/place/program/")
outside=$(samples_below "{root}$scratch/place/program/")
enough "samples of the program inside" "$inside" 500
same "samples of the one outside" "$outside" 0

# Its functions have the names of its own file: when it has ended ...
# names_inside - whether a report names a function of the program inside
names_inside()
{
	need opreport --session-dir="$session" -l -f -n >"$scratch/report"
	awk '/brief_spin/ && /mount namespace/ { print "named" }' "$scratch/report" | sort -u
}
same "the function inside, which has ended," "$(names_inside)" named

# ... and, from this file alone, while it runs: the namespaces have one root directory.
cat >"$scratch/inside" <<-END
	mount -t tmpfs tmpfs "$scratch/place" || exit 1
	cp "$workloads/brief1" "$scratch/place/program"
	"$scratch/place/program" 60000 &
	echo \$! >"$scratch/pid"
	wait
END
unshare -m sh "$scratch/inside" &
until_true 10 test -s "$scratch/pid"
operf --session-dir="$session" -e "$(clock 2000)" --pid="$(cat "$scratch/pid")" 2>"$scratch/said" &
operf=$!
until_true 10 test -d "$samples/{root}/[mount namespace $(readelf -n "$workloads/brief1" |
	sed -n 's/.*Build ID: \(................\).*/\1/p')]$scratch/place"
kill -INT $operf
wait $operf || fail "operf ended with $? after SIGINT"
OPROFILE_SYMBOLS=$scratch/none
same "the function inside, which runs," "$(names_inside)" named
kill "$(cat "$scratch/pid")"
wait

# A profiler in a copy of init's mount namespace, as a hardened service has, names init's files by
# their paths: they are the same files here.
cat >"$scratch/init" <<-END
	"$workloads/brief8" $(as_often 3000 2000) &
	unshare -m "$(command -v operf)" --session-dir="$session" --no-pack -e "$(clock 2000)" \
		--pid=\$! 2>"$scratch/said"
	wait
END
rm -rf "$session"
if unshare -m -p -f --mount-proc true 2>/dev/null; then
	need unshare -m -p -f --mount-proc sh "$scratch/init"
	enough "samples of a program of init's namespace" \
		"$(samples_below "{root}$workloads/brief8/")" 500
	same "init's files that are foreign" "$(samples_below "[[]mount namespace ")" 0
fi
