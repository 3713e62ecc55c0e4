#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots systemd in a root file system, and runs a script there as root:
#
#	boot.sh ROOT SCRIPT [ARGUMENT...]
#
# It has namespaces of its own but for the network, and a cgroup of its own, below which its own
# are.  Of the machine it can change nothing: /proc/sys and /sys are read-only, and it has no rights
# for the clock, modules, audit and reboots.  What SCRIPT prints comes at the end; what systemd says
# is in ROOT/boot.log.
#
# Exit status: that of SCRIPT, 77 if no systemd boots here (the last line says why).

set -euo pipefail

if [[ $$ -ne 1 ]]; then
	skip() { echo "skip: $*"; exit 77; }

	root=$1
	top=$(findmnt --noheadings --output TARGET --types cgroup2 | head -n 1)
	[[ -n $top ]] || skip "no cgroup2 is mounted"
	own=$top/oprofile-boot.$$
	mkdir "$own" 2>/dev/null || skip "no cgroup can be made below $top"
	# shellcheck disable=SC2317,SC2016 # of the trap; of the bash there
	remove_own()
	{
		echo 1 >"$own/cgroup.kill"
		timeout 30 bash -c 'until grep -q "^populated 0$" "$0"; do sleep 0.1; done' \
			"$own/cgroup.events"
		find "$own" -depth -type d -exec rmdir {} +
	}
	trap remove_own EXIT
	rm -f "$root"/{boot.log,said}
	status=0
	# shellcheck disable=SC2016 # of the bash there
	timeout --kill-after=10 600 bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$own" \
		unshare --cgroup --ipc --mount --pid --uts --fork --kill-child \
		--propagation private "$0" "$@" >"$root/boot.log" 2>&1 || status=$?
	[[ -e $root/said ]] || skip "systemd does not boot here: $(tail -n 1 "$root/boot.log")"
	cat "$root/said"
	exit "$status"
fi

root=$1 script=$2
shift 2
cp "$script" "$root/inside.sh"
cat >"$root/etc/systemd/system/inside.service" <<-END
	[Unit]
	SuccessAction=exit-force
	FailureAction=exit-force

	[Service]
	Type=oneshot
	ExecStart=/bin/bash /inside.sh $*
	StandardOutput=file:/said
	StandardError=inherit
END
cd "$root"
mount --bind . .
cd "$root"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sys sys
mount -t cgroup2 cgroup sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
for name in full null random tty urandom zero; do
	touch dev/$name
	mount --bind /dev/$name dev/$name
done
mkdir dev/shm
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s /proc/self/fd dev/fd
ln -s pts/ptmx dev/ptmx # of systemd's devpts; PrivateDevices= wants it
pivot_root . mnt
umount --lazy /mnt
mount --make-rshared / # as systemd does itself where it is not told of a container
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \
	setpriv --bounding-set=-audit_control,-sys_boot,-sys_module,-sys_rawio,-sys_time \
	/usr/lib/systemd/systemd --unit=inside.service --log-target=console --show-status=no
