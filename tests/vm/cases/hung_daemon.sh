#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a daemon that hangs is killed by opcontrol --shutdown, and the next one starts
# smp: 2@6.12
# sanitised: it is of opcontrol and the daemon; to the module it is a killed daemon, as in killed

# shellcheck source=../guest/case.sh
. /vm/case.sh

profile_begin --backend timer
daemon=$(cat $session/lock)
kill -STOP "$daemon"
refuse "was killed" opcontrol --shutdown
# Killed, it may take a moment until it is reaped.
is_gone() { [ ! -d "/proc/$daemon" ] || grep -q 'State:.Z' "/proc/$daemon/status" 2>/dev/null; }
until_true 10 is_gone
profile_begin
[ "$(cat $session/lock)" != "$daemon" ] || fail "the daemon $daemon is still in the lock"
need opcontrol --shutdown
need opdb check "$samples"
need opcontrol --deinit
