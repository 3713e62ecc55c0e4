#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: an attempt to mount oprofilefs does not load the module, which anybody may make
# sanitised: no file system of the kernel is a module

# shellcheck source=../guest/case.sh
. /vm/case.sh

[ ! -d /sys/module/oprofile ] || fail "the module is loaded already"
[ -e "/lib/modules/$(uname -r)/extra/oprofile.ko" ] || fail "there is no module to load"
command -v modprobe >/proc/sys/kernel/modprobe
mkdir -p /tmp/mount

# The kernel does load file systems that have an alias, if they are modules.
need modprobe -r overlay
mount -t overlay -o lowerdir=/nowhere overlay /tmp/mount 2>/dev/null
[ -d /sys/module/overlay ] || fail "the kernel does not load file systems"

mount -t oprofilefs oprofilefs /tmp/mount 2>/dev/null && fail "oprofilefs was mounted"
[ ! -d /sys/module/oprofile ] || fail "the module was loaded"

# And the module, once loaded, mounts.
need opcontrol --init --backend timer
need opcontrol --deinit
