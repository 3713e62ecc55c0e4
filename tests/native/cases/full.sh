#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: operf and the daemon on a full disk, with a limit of file size, with failing calls:
# covers: they survive, fail with one line, and received = stored + lost in the report

in_memory=yes
sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# call chains are lost before samples, which fails where samples alone would not
chains=--no-call-graph
fault=$BUILD/tests/unit/daemon/fault.so
# many programs, so many files; each copy is an image of its own
mkdir programs
for i in $(seq 40); do cp "$workloads/brief1" "programs/$i"; done
# shellcheck disable=SC2016 # for the shell that runs it
run='for round in 1 2 3; do for program in programs/*; do $program "$life"; done; done'
event=$(clock 20000) life=$(periods 3 20000 1)
export life

# all_lost - the error of a session without samples says that all were lost, after they had come
all_lost()
{
	_said='error: no samples in the session .*: \([0-9]*\) received, .* \([0-9]*\) lost[,;]'
	_numbers=$(sed -n "s/.*$_said.*/\\1 \\2/p" "$scratch/errors" | tail -n 1)
	[ -n "$_numbers" ] && [ "${_numbers% *}" = "${_numbers#* }" ]
}

# account SESSION - the report's numbers add up, and it doubts none of them; a call that fails early
# may cost all samples
account()
{
	opreport --session-dir="$1" >"$scratch/report" 2>"$scratch/errors" || {
		all_lost || { cat "$scratch/errors"; fail "no report of $1"; }
		return
	}
	awk '/^Account:/ { print; bad = 1 }
		/^Samples: / { r = $2; s = $4; l = $6 == "lost" || $7 == "lost" ? $6 : 0
			said = 1; if (l == "none") l = 0; if (r != s + l) { print; bad = 1 } }
		END { exit bad || !said }' "$scratch/report" ||
		{ cat "$scratch/report"; fail "the account of $1"; }
}

# no limit: no loss; the exit status of the command
need operf ${chains:+"$chains"} --session-dir="$session" -e "$event" sh -c "$run" 2>/dev/null
account "$session"

# the list of kallsyms is beyond the limit; samples are not
# shellcheck disable=SC3045 # dash and bash have it
(
	ulimit -f 400
	need operf ${chains:+"$chains"} --session-dir="$session" -e "$event" sh -c "$run" 2>/dev/null
) || exit 1
account "$session"

# faulty FAULT - operf while calls fail, but not those of the programs
faulty()
{
	OP_FAULT=$1 LD_PRELOAD=$fault operf ${chains:+"$chains"} --session-dir="$scratch/s" -e "$event" \
		env -u LD_PRELOAD -u OP_FAULT sh -c "$run"
}

# no further file, but room in the journal: samples are counted by program
need faulty renameat:5+:28 2>/dev/null
account "$scratch/s"
grep -q '{other}' "$scratch/report" || { cat "$scratch/report"; fail "nothing is in {other}"; }
chains=
for call in open:150+:28 fallocate:3+:28 mmap:60+:12 write:60+:5; do
	_status=0
	faulty $call >"$scratch/said" 2>&1 || _status=$?
	[ $_status -le 1 ] || { cat "$scratch/said"; fail "$call: operf ended with $_status"; }
	[ ! -d "$scratch/s/samples/current/{root}" ] || account "$scratch/s"
done

is_root || exit 0
mkdir small
# shellcheck disable=SC2016 # in the shell of the namespace
need unshare --mount sh -c '
	mount -t tmpfs -o size=300k,mode=700 none small && "$@" && cp -a small kept
' sh sh -c 'operf --no-call-graph --no-pack --session-dir=small -e "$1" \
	sh -c "$2" 2>said; echo $? >status' sh \
	"$event" "$run"
same "the exit status on a full disk" "$(cat status)" 1
grep -q "could not be stored.*the disk was full" said || { cat said; fail "no cause"; }
account kept
