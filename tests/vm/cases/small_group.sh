#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: processes that come and go in a memory control group of 6 MB, while nobody reads the
# covers: samples: what the profiler remembers of them does not count as the group's, which loses no
# covers: process
# limit: 120
# sanitised: memory that has been freed stays in quarantine
# check: 6.1 6.12 7.2

# shellcheck source=../guest/case.sh
. /vm/case.sh

group=/tmp/cgroup/small
mkdir -p /tmp/cgroup
mount -t cgroup2 cgroup2 /tmp/cgroup || fail "there are no control groups"
trap 'rmdir $group; umount /tmp/cgroup; rm -f /tmp/small_group.sh' EXIT
need write +memory /tmp/cgroup/cgroup.subtree_control
mkdir $group
need write 6M $group/memory.max

# lives NUMBER - of processes in the group, one after the other; its peak in kB
cat >/tmp/small_group.sh <<'END'
echo $$ >$1/cgroup.procs
turn=0
while [ $turn -lt $2 ]; do
	(:)
	turn=$((turn + 1))
done
END
lives()
{
	need sh /tmp/small_group.sh $group "$1"
	echo $(($(cat $group/memory.current) / 1024))
}

# So that each process has samples, and all of them have room.
frequency=5000
profile_begin --backend nmi_timer --cpu-buffer-size=65536
daemon=$(pidof oprofiled) || fail "no daemon runs"
lives 100
kill -STOP "$daemon"
kb=$(lives 1500)
kill -CONT "$daemon"
profile_end
echo "the group has $kb kB after 1,600 processes"
same "processes that were killed for memory" "$(sed -n 's/^oom_kill //p' $group/memory.events)" 0
within "kB of the group" "$kb" 0 1000
