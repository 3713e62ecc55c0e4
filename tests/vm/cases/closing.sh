#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: sessions of the module that the daemon closes by the clock: each sample is in one of them
# limit: 150
# check: 6.1 6.12 7.2 6.1-kasan

# shellcheck source=../guest/case.sh
. /vm/case.sh

closed() { find $session/samples -mindepth 1 -maxdepth 1 -name '2*T*Z-2*T*Z*' | sort; }
are_closed() { [ "$(closed | wc -l)" -ge "$1" ]; }
has_files() { find "$1" -type d -name '{dep}' | grep -q .; }

need opcontrol --setup --close-every=3s --callgraph=8
need opcontrol --start --frequency "$frequency" --backend timer
opcontrol --status | grep -q '^Sessions are closed every 3s' || fail "--status does not say it"
$workloads/split 10 >/dev/null &
workload=$!
until_true 20 are_closed 2
wait $workload
need opcontrol --shutdown
need opcontrol --setup --close-every=0 --callgraph=0

# The module's statistics go on where those of a session begin anew.
sum=0 lost=$(lost)
for samples in $(closed) $session/samples/current; do
	# no sample may have come after the last one was closed
	if [ "$samples" != $session/samples/current ] || has_files "$samples"; then
		need opdb check "$samples"
	fi
	[ "$samples" = $session/samples/current ] || [ -s "$samples/pack" ] ||
		fail "$samples is not packed"
	[ ! -s "$samples/pack" ] || need opdb unpack "$samples"
	n=$(stored) daemon=$(daemon_lost)
	echo "$samples: $n samples, $daemon lost"
	sum=$((sum + n))
	[ "$samples" = $session/samples/current ] || lost=$((lost + daemon))
done
same "samples of all sessions, and lost ones" $((sum + lost)) "$(stat_sum sample_received)"
need opreport --last=1h -l >/tmp/report
grep -q split_seventy /tmp/report || fail "opreport --last=1h does not tell of the workload"
closed | xargs rm -r
