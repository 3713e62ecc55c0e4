#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: made-up call chains of 255 callers in 255 mappings: resolving them takes at most a fifth
# covers: of the time of the process that makes them
# smp: exact
# limit: 240
# check: 6.1 7.2

# shellcheck source=../guest/case.sh
. /vm/case.sh

workers() { $workloads/cpu_ms kworker/u; }

profile_begin --backend timer --callgraph 255 --buffer-size=1000000 --buffer-watershed=250000
before=$(workers)
/vm/fuzz/hostile chain &
chain=$!
trap 'kill $chain 2>/dev/null' EXIT
until_true 20 test "$($workloads/cpu_ms hostile)" -gt 0
sleep 5
spent=$(($(workers) - before)) of=$($workloads/cpu_ms hostile)
kill $chain
profile_end
stat_sums | grep -E "chain|received"
echo "sync took $spent ms for $of of the process"
within "percent of what the process computes, for sync" $((spent * 100 / of)) 0 20
