#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: code that another thread unmaps right after it ran, and replaces: the samples are
# covers: on the file that was there
# smp: 2@6.1,7.2 4@6.12

# shellcheck source=../guest/case.sh
. /vm/case.sh

measure()
{
	profile_begin --backend nmi_timer --separate=lib
	need $workloads/remap 200 20 $workloads/libreload?.so >/tmp/truth
	profile_end
	report
	library_shares /tmp/truth
	rm -rf $session
}

twice measure
