#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: with the rules of the service (a mount namespace in which folders of users and kernel
# covers: symbols are hidden and nothing but the session can be written to, its capabilities, no new
# covers: privileges), the daemon profiles what root's does: the kernel's symbols, a program that
# covers: another user runs from a folder of its own, and one that is removed; without any one of
# covers: the capabilities it does not; root's opcontrol controls it; it starts again after it was
# covers: killed, and closes sessions by the clock
#
#	rights.sh BUILD

set -euo pipefail

build=$1
here=$(cd "$(dirname "$0")" && pwd)
unit=$build/system/oprofile.service
failures=0

fail() { printf 'NOT OK %s\n' "$*"; failures=$((failures + 1)); }
skip() { echo "$*" >&2; exit 77; }

[[ $(id -u) -eq 0 ]] || skip "only root runs the daemon for the whole system"
# The host is what process 1 sees (libop/foreign/host.h): this script, as the first process.
if [[ $$ -ne 1 ]]; then
	unshare --net --mount --pid --fork --mount-proc true 2>/dev/null ||
		skip "there are no namespaces here"
	exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"
fi
scratch=$(mktemp -d)
workers=()
session=$scratch/none
opcontrol() { "$build/utils/opcontrol/opcontrol" "$@"; }
opreport() { "$build/pp/opreport" --session-dir="$session" "$@"; }
clean()
{
	[[ ${#workers[@]} -eq 0 ]] || kill "${workers[@]}" 2>"$scratch/log" || :
	[[ ! -e $session/lock ]] || opcontrol --session-dir="$session" --shutdown >"$scratch/log" || :
	rm -rf "$scratch"
}
trap clean EXIT
chmod 711 "$scratch"
command -v setpriv >"$scratch/log" || skip "there is no setpriv"

# The unit's capabilities, as setpriv has them.
mapfile -t unit_has < <(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | tr -s ' ' '\n' | grep . |
	sed 's/^CAP_//' | tr '[:upper:]' '[:lower:]')
# listed [BUT] - all of them but one
listed()
{
	local name text=

	for name in "${unit_has[@]}"; do
		[[ $name = "${1:-}" ]] || text+=,+$name
	done
	echo "${text#,}"
}
missing= # of the unit's capabilities
confined()
{
	unshare --net --mount "$here/sandbox.sh" "$unit" "$build" "$session" "$(listed "$missing")" \
		env OPROFILE_SYMBOLS="$session/symbols" "$@"
}

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

# run_spinner USER NAME - a program in a folder that only its user may enter
run_spinner()
{
	local file=$scratch/$2/$2

	install -d -m 700 -o "$1" -g "$1" "$scratch/$2"
	install -m 700 -o "$1" -g "$1" /bin/bash "$file"
	setpriv --reuid="$1" --regid="$1" --clear-groups "$file" -c 'while :; do :; done' &
	workers+=($!)
	within_minute test "/proc/$!/exe" -ef "$file" || fail "$2 did not start"
}

# Programs of root, and of another user: one that stays, and one that is removed.
work()
{
	run_spinner 0 own
	run_spinner 65534 kept
	run_spinner 65534 gone
	rm -r "$scratch/gone"
}

stop_work()
{
	kill "${workers[@]}"
	wait "${workers[@]}" || :
	workers=()
}

# samples_of PROGRAM - how many samples a report has
samples_of() { awk -v name="$1" '$3 == name { n += $1 } END { print n + 0 }' "$scratch/images.txt"; }
sampled()
{
	opcontrol --session-dir="$session" --dump >"$scratch/log" 2>&1 || return 1
	opreport >"$scratch/images.txt" 2>"$scratch/log" || return 1
	[[ $(samples_of own) -ge 100 ]]
}

# What is known of them when they are gone: names of functions, and which file was removed.
facts()
{
	rm -rf "$scratch/kept" "$scratch/own"
	OPROFILE_SYMBOLS=$session/symbols opreport -l >"$scratch/symbols.txt" 2>"$scratch/log" || return 0
	! grep -qE ' \[kernel\] +[a-z_]' "$scratch/symbols.txt" || echo "kernel"
	! grep -qE '^[0-9].*own +[a-z_]+$' "$scratch/symbols.txt" || echo "own"
	! grep -qE '^[0-9].*kept +[a-z_]+$' "$scratch/symbols.txt" || echo "kept"
	! grep -qE '^[0-9].*gone \(deleted, [0-9a-f]+\) +[a-z_]+$' "$scratch/symbols.txt" || echo "gone"
	# it is chance whether memory without a file has samples
	find "$session" -maxdepth 3 ! -name '*-*' ! -name processes ! -path '*/.*' \
		-printf '%P %m %u %g\n' | sort
}

# profile NAME [WRAPPER] - starts the daemon, and describes the session in the file NAME
profile()
{
	local name=$1 pid

	session=$scratch/session.$name
	export HOME=$session # with its settings
	# as systemd-tmpfiles makes it
	install -d -m 2750 "$session" "$session/symbols"
	: >"$scratch/$name"
	work
	OPROFILE_SYMBOLS=$session/symbols "${2:-command}" "$build/utils/opcontrol/opcontrol" \
		--session-dir="$session" --perf --start >"$scratch/log" 2>&1 || return 1
	pid=$(cat "$session/lock")
	grep -E '^(CapEff|CapBnd|NoNewPrivs)' "/proc/$pid/status" >"$scratch/rights.$name"
	readlink "/proc/$pid/ns/net" "/proc/$pid/ns/mnt" >>"$scratch/rights.$name"
	within_minute sampled || fail "$name: no samples of root's program: $(cat "$scratch/log" "$scratch/images.txt")"
	opcontrol --session-dir="$session" --status >"$scratch/status" ||
		fail "$name: no status"
	grep -q "$pid" "$scratch/status" || fail "$name: the status is not that of process $pid"
}

# end_profile NAME - the same, when it has ended
end_profile()
{
	opcontrol --session-dir="$session" --shutdown >"$scratch/log" 2>&1 ||
		fail "$1: no end: $(cat "$scratch/log")"
	stop_work
	facts >"$scratch/$1"
}

profile root || skip "no perf events here: $(cat "$scratch/log")"
end_profile root
for fact in kernel own kept gone; do
	grep -qx $fact "$scratch/root" || fail "root's profile does not know: $fact"
done

profile service confined ||
	fail "the daemon does not start with the rules of the service: $(cat "$scratch/log")"
cmp -s "$scratch/rights.root" "$scratch/rights.service" && fail "the daemon was not confined"
# Killed, it starts again, and what a dump has acknowledged is there.
pid=$(cat "$session/lock")
kill -KILL "$pid"
is_gone() { [[ ! -d /proc/$pid ]]; }
within_minute is_gone || fail "the daemon was not killed"
before=$(samples_of own)
confined "$build/utils/opcontrol/opcontrol" --session-dir="$session" --perf --start \
	>"$scratch/log" 2>&1 || fail "no start after a kill: $(cat "$scratch/log")"
sampled || :
[[ $(samples_of own) -ge $before ]] || fail "the profile before the kill is lost"
end_profile service
diff "$scratch/root" "$scratch/service" || fail "the service's profile is not that of root"

# Sessions are closed by the clock, one after the other, and packed.
session=$scratch/session.closing
export HOME=$session
install -d -m 2750 "$session" "$session/symbols"
work
confined "$build/utils/opcontrol/opcontrol" --session-dir="$session" --perf --close-every=1s --start \
	>"$scratch/log" 2>&1 || fail "no start with --close-every: $(cat "$scratch/log")"
has_closed() { [[ $(find "$session/samples" -path '*/2*Z-2*Z/pack' | wc -l) -ge 3 ]]; }
within_minute has_closed ||
	fail "sessions are not closed: $(grep -m 1 closed "$session/samples/oprofiled.log")"
end_profile closing

# needless CAPABILITY - whether this kernel gives everybody what it is for
needless()
{
	case $1 in
	syslog) setpriv --bounding-set=-syslog grep -q '^0*[1-9a-f]' /proc/kallsyms ;;
	perfmon) [[ $(cat /proc/sys/kernel/perf_event_paranoid) -lt 0 ]] ;;
	*) false ;;
	esac
}

# Whatever is taken away, something is missing.
for missing in "${unit_has[@]}"; do
	if needless "$missing"; then
		echo "without $missing: not judged, for everybody may do here what it is for"
		continue
	fi
	if profile "no_$missing" confined; then
		end_profile "no_$missing"
	else
		stop_work
	fi
	! cmp -s "$scratch/root" "$scratch/no_$missing" ||
		fail "the service's profile is that of root without CAP_${missing^^}"
	echo "without $missing: $(diff "$scratch/root" "$scratch/no_$missing" | sed -n 's/^< //p' |
		head -n 4 | cut -d ' ' -f 1 | paste -sd ' ')"
done

cat "$scratch/rights.service"
[[ $failures -eq 0 ]]
