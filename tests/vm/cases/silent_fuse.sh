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

end_all() { kill -KILL "$burning" "$server" 2>/dev/null; }

# timely COMMAND... - the command must end within 10 s, on a host that does nothing else in one
timely()
{
	"$@" &
	_pid=$!
	_ended() { [ ! -d /proc/$_pid ] || grep -q '^State:.Z' /proc/$_pid/status 2>/dev/null; }
	_left=200
	until _ended; do
		_left=$((_left - 1))
		[ $_left -gt 0 ] || fail "still waits after 10 s: $*, in $(awk '{ print $1; exit }' \
			/proc/$_pid/wchan 2>/dev/null)"
		usleep 50000
	done
	wait $_pid || fail "failed with status $?: $*"
}

profile_begin --backend nmi_timer --separate=lib
$workloads/silent_fuse >/tmp/stuck &
burning=$!
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
grep -q 'address space was locked' /tmp/status || fail "--status does not tell: $(cat /tmp/status)"

# Not by pidof, which would wait for the process whose lock is held.
daemon=$(sed -n 's/^Daemon running: pid //p' /tmp/status)
need kill -KILL "$daemon"
closed() { [ ! -d "/proc/$daemon" ] || grep -q '^State:.Z' "/proc/$daemon/status"; }
until_true 2 closed
rm -rf $session # the statistics begin anew
profile_begin --separate=lib
until_true 10 busy
need $workloads/split 2 >/dev/null
timely opcontrol --shutdown
need opdb check "$samples"
accounts
enough "samples of another program" "$(samples_below workloads/split)" 50
end_all
