#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a command as the service's rules have it, where no systemd is:
#
#	unshare --net --mount sandbox.sh UNIT BUILD KEPT CAPABILITIES COMMAND...
#
# KEPT, a directory, is what ReadWritePaths= of the unit UNIT is in a system; BUILD has the
# programs.  CAPABILITIES are as of "setpriv --bounding-set", without the first "-all".  Of the rules, those
# about files, capabilities and modes are there; tests/install/filter.sh has the system calls.

set -euo pipefail

unit=$(cat "$1") build=$2 kept=$3 capabilities=$4
shift 4

# rule NAME VALUE - whether the unit has it
rule() { grep -qx "$1=$2" <<<"$unit"; }

mount --make-rprivate /
# What is to stay, whatever is hidden.
place=/mnt
mount -t tmpfs tmpfs $place
mkdir $place/build $place/kept $place/empty $place/dev
touch $place/nothing
mount --rbind "$build" $place/build
mount --bind "$kept" $place/kept

hide() { mount -t tmpfs -o mode=755 tmpfs "$1"; }
! rule ProtectHome tmpfs || for dir in /home /root /run/user; do
	[[ ! -d $dir ]] || hide $dir
done
! rule PrivateTmp yes || { hide /tmp; hide /var/tmp; }
for i in build kept; do
	mkdir -p "${!i}"
	mount --move $place/$i "${!i}"
done
if rule PrivateDevices yes; then
	for i in null zero full random urandom; do
		touch $place/dev/$i
		mount --bind /dev/$i $place/dev/$i
	done
	mkdir $place/dev/shm
	mount --bind /dev/shm $place/dev/shm
	mount --rbind $place/dev /dev
fi
! rule ProtectProc invisible || mount -t proc -o hidepid=invisible proc /proc
! rule ProtectKernelModules yes || [[ ! -d /lib/modules ]] || mount --bind $place/empty /lib/modules
if rule ProtectKernelTunables yes; then
	mount --bind $place/nothing /proc/kallsyms
	mount --bind /proc/sys /proc/sys
	mount -o remount,bind,ro /proc/sys
fi
if rule ProtectSystem strict; then
	while read -r _ _ _ _ dir _; do
		dir=$(printf '%b' "$dir")
		[[ $dir = "$kept" || $dir = /dev/* || $dir = /proc* ]] ||
			mount -o remount,bind,ro "$dir" 2>$place/nothing || :
	done </proc/self/mountinfo
	! touch /etc/written 2>/dev/null || { echo "sandbox: /etc can be written to" >&2; exit 2; }
fi
limit=()
umask "$(sed -n 's/^UMask=//p' <<<"$unit")"
! rule RestrictSUIDSGID yes || limit=("$build/tests/install/no_setid")
exec setpriv --bounding-set="-all,$capabilities" --inh-caps=-all --no-new-privs "${limit[@]}" "$@"
