#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: kprobes that are switched off in debugfs are counted, and opcontrol --status tells; before
# covers: and after that nothing is counted
# check: 6.12 6.1-kasan

# shellcheck source=../guest/case.sh
. /vm/case.sh

switch=/sys/kernel/debug/kprobes/enabled
[ -e $switch ] || fail "there is no $switch"
trap 'echo 1 >$switch' EXIT

profile_begin --backend nmi_timer
disarmed() { cat /dev/oprofile/stats/hooks_disarmed; }
need $workloads/split 1 >/dev/null
need opcontrol --dump
same "syncs that found kprobes switched off" "$(disarmed)" 0
same "calls that kprobes missed" "$(cat /dev/oprofile/stats/hooks_missed)" 0

need write 0 $switch
noticed() { [ "$(disarmed)" -gt 0 ]; }
until_true 5 noticed
opcontrol --status >/tmp/status
grep -q 'kprobes were found switched off' /tmp/status ||
	fail "--status does not tell: $(cat /tmp/status)"

need write 1 $switch
before=$(disarmed)
need $workloads/split 1 >/dev/null
need opcontrol --dump
same "syncs that found kprobes switched off, then" "$(disarmed)" "$before"
profile_end
