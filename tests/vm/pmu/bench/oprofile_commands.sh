#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: what --dump, --save and --reset cost while samples are taken: instructions of the
# covers: command, the daemon and the kernel, all together
# pmu: model=nehalem
# smp: exact
# limit: 300

# shellcheck source=../../guest/pmu_case.sh
. /vm/pmu_case.sh

command()
{
	name=$1
	shift
	measure "opcontrol $name" opcontrol "$@" | grep '^measured: ' >/tmp/measured
	cat /tmp/measured
	echo "measured: command $name user $(awk '{ print $(NF - 2) }' /tmp/measured)" \
		"kernel $(awk '{ print $NF }' /tmp/measured)"
}

need opcontrol --init --backend x86
unlimited
need opcontrol --event=INST_RETIRED:100003:any_p:0:1
need opcontrol --start
# symbols of new programs are saved once
need /vm/pmu/hot 100 >/dev/null
need opcontrol --dump
need opcontrol --save=first
need /vm/pmu/hot 100 >/dev/null
command dump --dump
need /vm/pmu/hot 100 >/dev/null
command save --save=second
need /vm/pmu/hot 100 >/dev/null
command reset --reset
need opcontrol --shutdown
