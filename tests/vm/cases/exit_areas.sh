#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a process with 1,000 executable areas exits: being profiled costs it no more than the exit
# covers: itself, and no hook has to do with more than one of them
# smp: exact
# limit: 240
# check: 6.1 7.2

# shellcheck source=../guest/case.sh
. /vm/case.sh

plain=$($workloads/areas 1000 20) || fail "areas failed"
profile_begin --backend timer
profiled=$($workloads/areas 1000 20) || fail "areas failed"
lost=$(cat /dev/oprofile/stats/unmapped_lost)
profile_end
echo "an exit with 1,000 areas takes $plain us, profiled $profiled us"
same "mappings that could not be remembered" "$lost" 0
within "an exit that is profiled, percent of one that is not" $((profiled * 100 / plain)) 0 200
