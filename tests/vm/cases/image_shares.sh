#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a user who makes new images as fast as can be leaves others room for theirs: their new
# covers: programs lose at most 1 % of their samples by it, during the storm and after it
# limit: 300
# smp: exact
# check: 6.1 7.2

# shellcheck source=../guest/case.sh
. /vm/case.sh

number=40
folder=/tmp/image_shares
mkdir -p $folder/storm $folder/lives
chmod 777 $folder/storm

# live - programs that nobody has run before
live()
{
	rm -rf $folder/lives/*
	# shellcheck disable=SC2046
	need $workloads/spawn $number 20 $folder/lives $(ls -d $workloads/brief?)
}

profile_begin --backend timer
need write 1024 /sys/module/oprofile/parameters/images_kb_max
su -s /bin/sh nobody -c "exec $workloads/rename_storm $folder/storm 1000000" >/dev/null &
storm=$!
trap 'kill $storm 2>/dev/null; rm -rf $folder' EXIT
full() { [ "$(cat /dev/oprofile/stats/images_lost)" -gt 10 ]; }
until_true 60 full
live
kill $storm
wait $storm
live
profile_end
report
right=$(symbol_samples brief_spin)
lost=$(lost)
stat_sums | grep lost
# What the storm itself does is done in a program and a library that were there before it.
enough "samples in brief_spin" "$right"
within "thousandths of the samples that are lost" $((lost * 1000 / (lost + right))) 0 10
