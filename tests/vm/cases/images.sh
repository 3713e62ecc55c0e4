#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: programs in other places: deleted while they run, on an overlay, in a mount
# covers: namespace of their own, in a chroot
# limit: 90
# check: 6.1 6.12 7.2 6.1-kasan 6.1-rt

# shellcheck source=../guest/case.sh
. /vm/case.sh

place=/tmp/place
mkdir -p $place/lower $place/upper $place/work $place/merged $place/private $place/root
cp $workloads/brief1 $place/deleted
cp $workloads/brief1 $place/lower/overlaid
cp $workloads/brief1 $place/hidden
cp $workloads/brief1 $place/root/jailed
for file in /lib/x86_64-linux-gnu/libc.so.6 /lib64/ld-linux-x86-64.so.2; do
	mkdir -p "$place/root${file%/*}"
	cp $file "$place/root$file"
done

profile_begin --backend nmi_timer
$place/deleted 1500 &
runs_deleted() { [ "$(readlink /proc/$!/exe)" = $place/deleted ]; }
until_true 10 runs_deleted
rm $place/deleted
modprobe overlay || fail "the kernel has no overlayfs"
need mount -t overlay -o lowerdir=$place/lower,upperdir=$place/upper,workdir=$place/work \
	overlay $place/merged
$place/merged/overlaid 1500
unshare -m sh -c "mount -t tmpfs private $place/private && cp $place/hidden $place/private &&
	exec $place/private/hidden 1500"
chroot $place/root /jailed 1500
wait
need umount $place/merged	# no path is held
profile_end

enough "samples of the deleted program" "$(samples_below deleted)" 20
enough "samples of the program on the overlay" "$(samples_below merged/overlaid)" 20
enough "samples of the program in its own namespace" "$(samples_below private/hidden)" 20
enough "samples of the program in a chroot" "$(samples_below place/root/jailed)" 20
