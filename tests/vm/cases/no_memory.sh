#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: buffers that are larger than the memory there is are refused, and nobody is killed
# limit: 120
# check: 6.12 6.1-kasan

# shellcheck source=../guest/case.sh
. /vm/case.sh

available() { awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo; }

need opcontrol --init --backend timer
# What can be asked for at most is 1 GB: less than that must be left.
spare=600
eaten=$(($(available) - spare))
if [ "$eaten" -gt 0 ]; then
	need mkdir /tmp/eaten
	need mount -t tmpfs -o size="${eaten}m" eaten /tmp/eaten
	trap 'umount /tmp/eaten' EXIT
	need dd if=/dev/zero of=/tmp/eaten/zeros bs=1M count="$eaten" status=none
fi
echo "available: $(available) MB of $(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo) MB"
refusal=0
need write 100000000 /dev/oprofile/buffer_size # 763 MB
sh -c 'exec 4</dev/oprofile/buffer' 2>/tmp/said || refusal=$?
grep -q "Cannot allocate memory\|out of memory" /tmp/said ||
	fail "the buffer was opened with status $refusal: $(cat /tmp/said)"
dmesg | grep -q "invoked oom-killer" && fail "the kernel began to kill for it"

need write 131072 /dev/oprofile/buffer_size
need opcontrol --start
need opcontrol --shutdown
