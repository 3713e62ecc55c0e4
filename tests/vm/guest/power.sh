#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a session on a disk after the power was cut (tests/vm/power.sh)
#
# Looks at what the boot before has left on the disk, and then profiles and dumps until the power is
# cut.  The daemon's minutes are 0.3 seconds long, so that it packs what is idle all the time.
# Tells on the third port, at once: "checked SAMPLES", "acked SAMPLES", "wrong REASON", and how many
# packed parts are on the disk, and how many of them have idle files: "parts NUMBER IDLE".

# shellcheck source=case.sh
. /vm/case.sh

tell() { echo "$*" >/dev/ttyS2; }
fail()
{
	tell "wrong $*"
	exit 1
}

system='' acked=0 last=false
# shellcheck source=/dev/null
. /vm/orders
session=/mnt/session
samples=$session/samples/current

modprobe "$system" 2>/dev/null || :
mkdir -p /mnt
need mount -t "$system" /dev/nvme0n1 /mnt
# the kernel writes what is dirty all the time, so that a cut meets files in all states
need write 10 /proc/sys/vm/dirty_writeback_centisecs
need write 10 /proc/sys/vm/dirty_expire_centisecs

# number NAME - of opcontrol's words about the daemon
number() { opcontrol --status | sed -n "s/^$1: //p"; }

there=0
if [ "$acked" -gt 0 ]; then
	idle=$(find $samples -maxdepth 1 -name 'idle.*' | wc -l)
	tell "parts $(find $samples -maxdepth 1 -name '*.[1-9]*' | wc -l) $idle"
	opdb check $samples >/tmp/check 2>&1 || fail "opdb check: $(tail -n 1 /tmp/check)"
	opreport --session-dir=$session >/tmp/report 2>/tmp/errors ||
		fail "opreport: $(tail -n 1 /tmp/errors)"
	doubts=$(awk '/^Account:/ { print; exit }' /tmp/report)
	cp -a $session /tmp/copy
	opdb unpack /tmp/copy >/tmp/said 2>&1 || grep -q 'nothing is packed' /tmp/said ||
		fail "opdb unpack: $(tail -n 1 /tmp/said)"
	there=$(samples=/tmp/copy/samples/current stored)
	rm -rf /tmp/copy
	[ "$there" -ge "$acked" ] || fail "$there samples are left, $acked were acknowledged"
	tell "checked $there samples${doubts:+ ($doubts)}"
fi
! "$last" || exit 0

need opcontrol --setup --perf --session-dir=$session >/dev/null
LD_PRELOAD=/vm/build/tests/native/workloads/hurry.so OP_HURRY=200 \
	oprofiled --perf --session-dir=$session --events=cpu-clock:0:0:500000:0:1:1 \
	>/tmp/said 2>&1 ||
	fail "$(tail -n 1 /tmp/said)"
/vm/build/tests/native/workloads/churn /tmp/programs 1000000 5 10 10 >/dev/null &
/vm/workloads/split 1000 >/dev/null &
while :; do
	stored=$(number 'Samples stored')
	opcontrol --dump >/tmp/said 2>&1 || fail "$(tail -n 1 /tmp/said)"
	[ -n "$stored" ] || fail "no status of the daemon"
	tell "acked $((there + stored))" # of this daemon, and of those before
done
