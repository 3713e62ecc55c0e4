#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: with the capabilities that the service leaves it, in a network namespace of its own and
# without new privileges, the daemon profiles what root's does: the kernel's symbols, a program
# that another user runs from a folder of its own and has removed; root's opcontrol controls
# it, and it starts again after it was killed
#
#	rights.sh BUILD

set -euo pipefail

build=$1
unit=$build/system/oprofile.service
failures=0

fail() { printf 'NOT OK %s\n' "$*"; failures=$((failures + 1)); }
skip() { echo "$*" >&2; exit 77; }

[[ $(id -u) -eq 0 ]] || skip "only root runs the daemon for the whole system"
scratch=$(mktemp -d)
worker=
session=$scratch/none
opcontrol() { "$build/utils/opcontrol/opcontrol" "$@"; }
opreport() { "$build/pp/opreport" --session-dir="$session" "$@"; }
clean()
{
	[[ -z $worker ]] || kill "$worker" 2>"$scratch/log" || :
	[[ ! -e $session/lock ]] || opcontrol --session-dir="$session" --shutdown >"$scratch/log" || :
	rm -rf "$scratch"
}
trap clean EXIT
chmod 711 "$scratch"
export HOME=$scratch OPROFILE_SYMBOLS=$scratch/symbols
command -v setpriv >"$scratch/log" || skip "there is no setpriv"
unshare --net true 2>"$scratch/log" || skip "no network namespaces here: $(cat "$scratch/log")"

# The unit's capabilities, as setpriv has them.
capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | tr -s ' ' '\n' | grep . |
	sed 's/^CAP_/+/' | tr '[:upper:]' '[:lower:]' | paste -sd,)
confined()
{
	unshare --net setpriv --bounding-set="-all,$capabilities" --inh-caps=-all --no-new-privs \
		"$@"
}
confined true 2>"$scratch/log" || skip "setpriv cannot: $(cat "$scratch/log")"

# Read from with a limit, to look again.
mkfifo "$scratch/never"
exec 3<>"$scratch/never"
# within_minute COMMAND... - whether it succeeds in a minute
within_minute()
{
	local end=$((SECONDS + 60))

	until "$@"; do
		[[ $SECONDS -lt $end ]] || return 1
		read -rt 0.2 -u 3 || :
	done
}

runs_spinner() { [[ $(readlink "/proc/$worker/exe") = */spinner ]]; }

# A program of another user, in a folder that only that user can enter, and then in none.
work()
{
	install -d -m 700 -o 65534 -g 65534 "$scratch/others"
	install -m 700 -o 65534 -g 65534 /bin/bash "$scratch/others/spinner"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$scratch/others/spinner" -c \
		'while :; do :; done' &
	worker=$!
	within_minute runs_spinner || fail "the program did not start"
	rm -r "$scratch/others"
}

# The program in a report: which file it is, and a function by name
image='spinner \(deleted, [0-9a-f]+\)'
named="^[0-9].*$image +[a-z_]+\$"

# sampled PATTERN... - whether a dump has samples in symbols or images of these patterns
sampled()
{
	local pattern

	opcontrol --session-dir="$session" --dump >"$scratch/log" 2>&1 || return 1
	opreport -l >"$scratch/symbols.txt" 2>"$scratch/log" || return 1
	for pattern; do
		grep -qE "$pattern" "$scratch/symbols.txt" || return 1
	done
}

# profile NAME [WRAPPER] - starts the daemon, and describes the session in the file NAME
profile()
{
	local name=$1 pid

	session=$scratch/session.$name
	work
	"${2:-command}" "$build/utils/opcontrol/opcontrol" --session-dir="$session" --perf --start \
		>"$scratch/log" 2>&1 || { cat "$scratch/log"; return 1; }
	pid=$(cat "$session/lock")
	grep -E '^(CapEff|CapBnd|NoNewPrivs)' "/proc/$pid/status" >"$scratch/rights.$name"
	readlink "/proc/$pid/ns/net" >>"$scratch/rights.$name"
	within_minute sampled "$named" ' kallsyms +[a-z_]' ||
		fail "$name: no samples of the program or the kernel: $(cat "$scratch/log")"
	opcontrol --session-dir="$session" --status >"$scratch/status" ||
		fail "$name: no status"
	grep -q "$pid" "$scratch/status" || fail "$name: the status is not that of process $pid"

	# the names of the program come from what no path leads to any more
	find "$session" -maxdepth 1 -printf '%P %m %u %g\n' | sort >"$scratch/$name"
	grep -oE "$image" "$scratch/symbols.txt" | sort -u >>"$scratch/$name"
	kill "$worker"
	wait "$worker" || :
	worker=
}

profile root || skip "no perf events here"
opcontrol --session-dir="$session" --shutdown >"$scratch/log" || fail "root: no end"
profile service confined || fail "the daemon does not start with the rights of the service"
cmp -s "$scratch/rights.root" "$scratch/rights.service" && fail "the daemon was not confined"
diff "$scratch/root" "$scratch/service" || fail "the service's profile is not that of root"

# Killed, it starts again, and what a dump has acknowledged is there.
kill -KILL "$(cat "$session/lock")"
confined "$build/utils/opcontrol/opcontrol" --session-dir="$session" --perf --start \
	>"$scratch/log" 2>&1 || fail "no start after a kill: $(cat "$scratch/log")"
sampled spinner || fail "the profile before the kill is lost"
opcontrol --session-dir="$session" --shutdown >"$scratch/log" 2>&1 ||
	fail "no end after a kill: $(cat "$scratch/log")"
opreport -l >"$scratch/symbols.txt" 2>"$scratch/log" || fail "no report: $(cat "$scratch/log")"
grep -q spinner "$scratch/symbols.txt" || fail "the packed session has no program"

cat "$scratch/rights.service"
[[ $failures -eq 0 ]]
