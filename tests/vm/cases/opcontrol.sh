#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: opcontrol with the real module: what it refuses and why, loading and unloading,
# covers: saving and resetting while samples come
# limit: 150
# check: 6.1 6.12 7.2 6.1-kasan 6.1-kcsan 6.1-rt

# shellcheck source=../guest/case.sh
. /vm/case.sh

# status TEXT - does --status say it?
status() { opcontrol --status | grep -q "$1" || fail "--status does not say \"$1\""; }

need opcontrol --deinit
status "Daemon not running"
status "Driver not loaded"
refuse "no backend \"abacus\"" opcontrol --init --backend abacus
refuse "/no/such.ko: No such file" opcontrol --init --module /no/such.ko
echo "no module" >/tmp/bad.ko
refuse "/tmp/bad.ko does not match the kernel" opcontrol --init --module /tmp/bad.ko
refuse "once the module is loaded" opcontrol --list-events
refuse "once the module is loaded" opcontrol --event=CPU_CLK_UNHALTED:100000

need opcontrol --init --backend timer
need opcontrol --init
status "Backend: timer"
refuse "loaded with the backend timer" opcontrol --init --backend nmi_timer
refuse "samples by a timer" opcontrol --event=CPU_CLK_UNHALTED:100000
opcontrol --list-events | grep -q TIMER || fail "--list-events does not tell of TIMER"
exec 4</dev/oprofile/cpu_type
refuse "process $$ " opcontrol --deinit
exec 4<&-
need opcontrol --deinit
grep -q '^oprofile ' /proc/modules && fail "the module is still loaded"
[ -e /dev/oprofile/enable ] && fail "oprofilefs is still mounted"
need opcontrol --deinit # nothing to do

file=$(find "/lib/modules/$(uname -r)" -name oprofile.ko)
need cp "$file" /tmp/other.ko
need opcontrol --init --module=/tmp/other.ko --backend=timer
status "Backend: timer"
need opcontrol --deinit

# Saved while samples come: each one is in the old session or in the new one.
need opcontrol --start --frequency "$frequency" --backend timer # loads by itself
status "Daemon running"
status "TIMER at $frequency Hz"
$workloads/split 2 >/dev/null &
workload=$!
taken() { [ "$(cat /dev/oprofile/stats/cpu*/sample_received | sort -n | tail -n 1)" -ge 20 ]; }
until_true 10 taken
need opcontrol --dump
[ "$(stored)" -gt 0 ] || fail "a dump brings no samples"
need opcontrol --save first
refuse "the session \"first\" exists" opcontrol --save first
wait $workload
need opcontrol --shutdown
need opdb check $session/samples/first $samples
second=$(stored)
# The module's statistics go on where the daemon's begin anew: what the daemon lost before is in
# the session that was saved.
samples=$session/samples/first
[ -s "$samples/pack" ] || fail "what was saved is not packed"
need opdb unpack "$samples"
first=$(stored) lost_before=$(daemon_lost)
samples=$session/samples/current
received=$(stat_sum sample_received) lost=$(($(lost) + lost_before))
echo "received $received = first $first + second $second + lost $lost, $lost_before before --save"
[ "$first" -gt 0 ] || fail "no samples came before --save"
[ "$second" -gt 0 ] || fail "no samples came after --save"
same "first + second + lost" $((first + second + lost)) "$received"

need opreport session:first >/tmp/report
grep -q split /tmp/report || fail "opreport session:first does not tell of the workload"
grep -qx "Backend: timer (asked for)" /tmp/report || fail "opreport does not say which backend"

# Reset while samples come: what is left is less than what was taken.
profile_begin
need $workloads/split 1 >/dev/null
need opcontrol --reset
after=$(stored)
need opcontrol --stop
received=$(stat_sum sample_received)
[ "$after" -lt "$received" ] || fail "$after of $received samples are left after --reset"
[ -d $session/samples/first ] || fail "--reset took a saved session"
status "Daemon paused"

need opcontrol --shutdown
refuse "no daemon runs" opcontrol --dump
need opcontrol --deinit
