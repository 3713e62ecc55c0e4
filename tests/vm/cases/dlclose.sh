#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: libraries that are opened, busy and closed in turn, at one address: each has its
# covers: own samples

# shellcheck source=../guest/case.sh
. /vm/case.sh

measure()
{
	profile_begin --backend nmi_timer --separate=lib
	need $workloads/reload 200 20 $workloads/libreload?.so >/tmp/truth
	profile_end
	report
	library_shares /tmp/truth
	rm -rf $session
}

twice measure
