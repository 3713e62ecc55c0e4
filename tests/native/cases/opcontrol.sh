#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: opcontrol without the module: setup, start, status, stop and start again, dump, save,
# covers: shutdown

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

is_root || skip "opcontrol is for root"
export HOME="$scratch"

says()
{
	"$@" >"$scratch/said" 2>&1 || fail "failed: $*: $(cat "$scratch/said")"
}

saying() { grep -q "$1" "$scratch/said" || fail "\"$1\" was not said: $(cat "$scratch/said")"; }

work() { "$workloads/split" "$(lasting 1 2000)" >/dev/null; }

says opcontrol --setup --perf --event="$(clock 2000):0:1:1" --separate=kernel --session-dir="$session"
status=0
opcontrol --status >"$scratch/said" || status=$?
same "exit status without a daemon" "$status" 3
saying "Source: perf events"
saying "Daemon not running"
says opcontrol --start
trap 'opcontrol --shutdown >/dev/null 2>&1; rm -rf "$scratch"' EXIT
saying Profiling
work
says opcontrol --status
saying "State: running"
# guests have no JSON in their python3
opcontrol --status --json | tr -d ' \n' >"$scratch/json"
for part in '"state":"running"' "\"pid\":$(cat "$session/lock")" "\"most\":$((4096 << 20))"; do
	grep -qF -e "$part" "$scratch/json" || fail "no $part in JSON: $(cat "$scratch/json")"
done
saying "Events: cpu-clock:[0-9]*:0:$((1000000000 / $(rate 2000))):0:1:1"
says opcontrol --stop
says opcontrol --status
saying "State: stopped"
report
first=$(symbol_samples split_seventy)
enough "samples until the stop" "$first" 100
work
says opcontrol --dump
report
same "samples after it" "$(symbol_samples split_seventy)" "$first"
says opcontrol --start
work
says opcontrol --dump
report
within "after another start" "$(symbol_samples split_seventy)" $((first + 100)) $((first * 20))
says opcontrol --save=one
[ -s "$session/samples/one/account" ] || fail "nothing was saved"
[ -s "$session/samples/one/pack" ] || fail "what was saved is not packed"
same "loose files of what was saved" "$(find "$session/samples/one" -name '{root}' | wc -l)" 0
says opcontrol --shutdown
saying "The daemon has ended"
