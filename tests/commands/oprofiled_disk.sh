#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# oprofiled: what a file that may not grow costs is lost and counted, and no more is; what a full disk
# has no room for is counted by program, where there is a place for that
. "$COMMANDS/daemon.sh"

# Samples of 20000 places, each twice: more than there is room for.
{
	machine
	seq 0 100 19900 | awk '{
		for (i = 0; i < 100; i++)
			$0 = $0 " " 8 * (100 * (NR - 1) + i) " 0"
		sub("^[0-9]*", "words cpu 0 context 501 500 0x10 user cookie 0x10")
		all = all $0 "\n"
	} END { printf "%s%s", all, all }'
} | make_recording >"$WORK/many_places"

# replayed_at DIR - replays them; goes to the session
replayed_at()
{
	oprofiled "--replay=$WORK/many_places" "--session-dir=$1" --no-vmlinux >"$WORK/daemon" 2>&1 ||
		echo "exit $?"
	sed -n 's/.*samples are lost: .*: /samples are lost: /p' "$WORK/daemon"
	cd "$1/samples/current" || exit
	opdb check .
}

# counted NAME - a number of the account
counted() { show_session stat . "$1"; }

# compared - what was received with what is stored and lost
compared()
{
	stored=$(counted samples_stored)
	lost=$(($(counted lost_samplefile) + $(counted lost_no_space) + $(counted lost_file_limit)))
	echo "received: $(counted total_samples), in files and lost: $((lost + $(sum)))"
	check test "$(sum)" = "$stored"
	check test "$stored" -gt 0
	check test "$lost" -gt 0
}

# of the counts of the one sample file
sum()
{
	opdb dump '{root}/usr/bin/bash/{dep}/{root}/usr/bin/bash/TIMER.0.0.all.all.all' |
		awk 'NF == 2 && $1 ~ /^(0x)?[0-9a-f]+$/ { n += $2 } END { print n + 0 }'
}

requirement what_does_not_fit_into_a_file_is_lost
(
	export GCOV_PREFIX=/dev/null # a cut file of coverage is none
	ulimit -f 128
	trap '' XFSZ
	replayed_at "$DIR/session"
	compared
)

requirement what_does_not_fit_onto_the_disk_is_counted_by_program
mkdir -p "session/samples/current/{root}"
chmod -R 750 session
small="$DIR/session/samples/current/{root}"
mount -t tmpfs -o size=160k,mode=750 small "$small" 2>"$WORK/stderr" ||
	skip "only root may mount a small disk"
cleanup()
{
	cd "$WORK" || exit
	umount "$small"
	small=
}
trap '[ -z "$small" ] || cleanup' EXIT
replayed_at "$DIR/session"
opreport -n "--session-dir=$DIR/session" >"$WORK/report"
# the program's samples, and those of its file and of {other}, which are in the same column
awk '/^ /{ print "received: " $1 " by " $3 }
	/^\t/ { parts += $1; some[$3] = $1 > 0 }
	END { print "in bash and {other}: " parts, some["bash"], some["{other}"] }' "$WORK/report"
cleanup
