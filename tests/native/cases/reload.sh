#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: libraries that are opened, busy and closed in turn at one address, and code that
# covers: another thread unmaps and replaces right after it ran: each has its own samples

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# measure WORKLOAD
measure()
{
	sample -e "$(clock 4000)" "$workloads/$1" 200 "$(periods 5 4000 5)" "$workloads"/libreload?.so >"$scratch/truth"
	report
	library_shares "$scratch/truth"
}

measure reload
measure remap
