#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: nothing waits for a process whose mmap lock is held for ever: dump, loading of a module,
# covers: close by a killed reader, stop; its samples are lost by a cause of their own, and those
# covers: of other processes are not
# limit: 90
# sanitised: the kernel is built without FUSE
# check: 6.12 7.2

# shellcheck source=../guest/case.sh
. /vm/case.sh

modprobe fuse 2>/dev/null
[ -c /dev/fuse ] || fail "there is no /dev/fuse"
chmod 666 /dev/fuse # as udev has it

# Both are in a mount namespace that has a copy of /dev/oprofile: the module can't be unloaded before
# they have ended.
gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
both_gone() { gone "$burning" && gone "$server"; }
end_all()
{
	kill -KILL "$burning" "$server" 2>/dev/null
	until_true 10 both_gone
}

# timely COMMAND... - the command must end within 30 s, on a host that does nothing else in one
timely()
{
	"$@" &
	_pid=$!
	_left=600
	until gone $_pid; do
		_left=$((_left - 1))
		[ $_left -gt 0 ] || fail "still waits after 30 s: $*, in $(awk '{ print $1; exit }' \
			/proc/$_pid/wchan 2>/dev/null)"
		usleep 50000
	done
	wait $_pid || fail "failed with status $?: $*"
}

profile_begin --backend nmi_timer --separate=lib
$workloads/silent_fuse >/tmp/stuck &
burning=$!
server=$burning # until it is known
trap end_all EXIT
is_stuck()
{
	[ -d /proc/$burning ] || fail "the process whose lock is to be held has ended"
	grep -q stuck /tmp/stuck
}
until_true 20 is_stuck
server=$(awk '$1 == "server" { print $2 }' /tmp/stuck)

timely opcontrol --dump
need $workloads/split 1 >/dev/null
timely opcontrol --dump
busy() { [ "$(cat /dev/oprofile/stats/sample_lost_busy)" -gt 100 ]; }
until_true 10 busy
timely insmod /vm/modules/deep.ko
timely rmmod deep
opcontrol --status >/tmp/status
grep -q 'kept its mappings locked' /tmp/status || fail "--status does not tell: $(cat /tmp/status)"

# Not by pidof, which would wait for the process whose lock is held.
daemon=$(sed -n 's/^Daemon running: pid //p' /tmp/status)
need kill -KILL "$daemon"
until_true 2 gone "$daemon"
rm -rf $session # the statistics begin anew
profile_begin --separate=lib
until_true 10 busy
need $workloads/split 2 >/dev/null
timely opcontrol --shutdown
need opdb check "$samples"
accounts
enough "samples of another program" "$(samples_below workloads/split)" 50
end_all
