#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: the service's filter of system calls lets opcontrol and the daemon do all that they do
# from start to end, seen by strace; and how exposed systemd-analyze finds the service
#
#	filter.sh BUILD

set -euo pipefail

build=$1
unit=$build/system/oprofile.service
# Exposure, in tenths.  What is left is for the user and capabilities that show the daemon
# everybody's processes and files; for perf_event_open(); for addresses of the kernel; and for
# sockets of control and of CPUs' messages.
most=20
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() { printf 'NOT OK %s\n' "$*"; failures=$((failures + 1)); }
skip() { echo "$*" >&2; exit 77; }

command -v systemd-analyze >"$scratch/log" || skip "there is no systemd-analyze (package systemd)"
systemd-analyze security --offline=true --no-pager --threshold="$most" "$unit" \
	>"$scratch/exposure" 2>&1 || fail "$(tail -n 1 "$scratch/exposure")"
command -v strace >"$scratch/log" || skip "there is no strace"
[[ $(id -u) -eq 0 ]] || skip "only root runs the daemon for the whole system"

# names SET... - the calls of sets and of calls, as a filter has them
names()
{
	local name

	for name; do
		if [[ $name = @* ]]; then
			# shellcheck disable=SC2046 # words
			names $(systemd-analyze syscall-filter "$name" | sed -n 's/^    *\([^# ]\)/\1/p')
		else
			echo "$name"
		fi
	done
}

filter() { sed -n "s/^SystemCallFilter=$1//p" "$unit"; }
# shellcheck disable=SC2046 # words
names $(filter '' | sed '/^~/d') @default | sort -u >"$scratch/listed"
# shellcheck disable=SC2046
names $(filter '~') | sort -u >"$scratch/denied"
comm -23 "$scratch/listed" "$scratch/denied" >"$scratch/allowed"
for name in openat perf_event_open setresuid seccomp; do
	grep -qx "$name" "$scratch/allowed" || fail "the filter of $unit was not understood: $name"
done
for name in reboot settimeofday kexec_load swapon ptrace mount umount2 finit_module; do
	! grep -qx "$name" "$scratch/allowed" || fail "$name is allowed"
done

# The life of a daemon: started, sampling, dumped, its log and files reopened, ended and packed.
export HOME=$scratch
opcontrol=$build/utils/opcontrol/opcontrol
session=$scratch/session
traced()
{
	strace -f -qq -o "$scratch/trace.$RANDOM.$BASHPID" "$@" >"$scratch/log" 2>&1
}
# Read from with a limit, to look again.
mkfifo "$scratch/never"
exec 3<>"$scratch/never"
# strace stays until the daemon has ended; opcontrol's last line is written when it runs.
: >"$scratch/started"
strace -f -qq -o "$scratch/trace.daemon" "$opcontrol" --session-dir="$session" --perf --start \
	>"$scratch/started" 2>&1 &
tracer=$!
until grep -q '^Profiling' "$scratch/started" || ! kill -0 "$tracer" 2>/dev/null; do
	read -rt 0.1 -u 3 || :
done
kill -0 "$tracer" 2>/dev/null || skip "no perf events here: $(tail -n 1 "$scratch/started")"
for action in --status --dump --save=one --stop --start --reset --dump --shutdown; do
	traced "$opcontrol" --session-dir="$session" $action ||
		fail "opcontrol $action: $(cat "$scratch/log")"
done
cat "$scratch"/trace.* | sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' | sort -u >"$scratch/used"
wait "$tracer" || :
grep -qx perf_event_open "$scratch/used" || fail "the daemon was not traced"
comm -23 "$scratch/used" "$scratch/allowed" >"$scratch/missing"
[[ ! -s $scratch/missing ]] || fail "not allowed: $(tr '\n' ' ' <"$scratch/missing")"

printf '%d calls used, %s\n' "$(wc -l <"$scratch/used")" \
	"$(tail -n 1 "$scratch/exposure" | sed 's/.*level for //')"
[[ $failures -eq 0 ]]
