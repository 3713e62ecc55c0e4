#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a process in a memory control group that has a new image each turn: the kernel's memory
# covers: does not grow with it, and all is accounted for
# limit: 90
# sanitised: memory that has been freed stays in quarantine
# check: 6.12

# shellcheck source=../guest/case.sh
. /vm/case.sh

group=/tmp/cgroup/storm
mkdir -p /tmp/cgroup /tmp/storm
mount -t cgroup2 cgroup2 /tmp/cgroup || fail "there are no control groups"
trap 'cd /; rmdir $group; umount /tmp/cgroup; rm -rf /tmp/storm' EXIT
need write +memory /tmp/cgroup/cgroup.subtree_control
mkdir $group
sanitised || need write 48M $group/memory.max

# storm SECONDS - in the group; prints what rename_storm prints
storm() { sh -c "echo \$\$ >$group/cgroup.procs; exec $workloads/rename_storm /tmp/storm $1"; }

# Kernel memory that can't be reclaimed, kB
unreclaimable() { awk '$1 == "SUnreclaim:" { print $2 }' /proc/meminfo; }

storm 1 >/dev/null # what has to be made once is there
read -r _ plain <<END
$(storm 5)
END

profile_begin --backend nmi_timer
storm 1 >/dev/null
before=$(unreclaimable)
read -r turns profiled <<END
$(storm 15)
END
after=$(unreclaimable)
opcontrol --status
echo "$turns turns; turns a second of CPU time: $plain alone, $profiled profiled"
profile_end
sanitised || # what has been freed stays in quarantine
	within "kB that $turns images have left behind" $((after - before)) -100000 6000
