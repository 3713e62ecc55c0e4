#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: what stands above the table when more than 1 % was lost, paused or has no symbols, or
# when samples are few; and that nothing is said to be lost only where nothing was

# doubts NAME NUMBER ... [-- OPTION...] - of a session with these statistics
doubts()
{
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		echo "stat $1 $2"
		shift 2
	done >stats
	[ $# -eq 0 ] || shift
	{
		cat "${image:-$WORK/image}"
		cat stats
	} >description
	rm -rf samples
	session <description
	report "$@" | sed -e '/^CPU/d' -e '/^Profiling/d' -e '/^Session/d'
}

cat >"$WORK/image" <<-EOF
	cpu_type 108
	image prog cycles.100000.0.all.all.all
	0x1010 9000
	0x1015 1000
EOF

requirement losses_over_one_percent_are_said_with_what_helps
images
doubts total_samples 10100 samples_stored 10000 lost_no_space 100
doubts total_samples 10102 samples_stored 10000 lost_no_space 102
doubts total_samples 10500 samples_stored 10000 lost_no_space 100 lost_no_mapping 400
doubts total_samples 20000 samples_stored 10000 lost_no_descriptor 10000
doubts total_samples 10000 samples_stored 10000 cpu0/sample_received 12000 \
	cpu0/sample_lost_overflow 2000

requirement losses_before_the_last_start_are_losses
images
doubts total_samples 10000 samples_stored 10000 lost_records_by_kernel 192153
doubts total_samples 10000 samples_stored 10000 cpu0/sample_lost_overflow 5 \
	lost_records_by_kernel 5

requirement samples_that_the_account_does_not_have_yet_are_counted
images
doubts total_samples 0 samples_stored 0
doubts total_samples 10000 samples_stored 10000 cpu0/throttled 3

event=events/cycles.100000.0

requirement pauses_are_said_with_the_count_to_use_instead
images
doubts total_samples 10000 samples_stored 10000 $event/enabled_ns 1000000000 \
	$event/running_ns 1000000000 $event/paused_ns 10000000 $event/taken 10000
doubts total_samples 10000 samples_stored 10000 $event/enabled_ns 1000000000 \
	$event/running_ns 1000000000 $event/paused_ns 850000000 $event/taken 3900
doubts total_samples 10000 samples_stored 10000 $event/enabled_ns 1000000000 \
	$event/running_ns 1000000000 $event/paused_ns 1000000000 $event/taken 3900
opreport --session-dir="$DIR" --json | grep -e '"notes"'

requirement threads_too_short_to_be_sampled_are_said
images
cat >clock <<-EOF
	cpu_type 108
	image prog cpu-clock.1000000.0.all.all.all
	0x1010 900
	0x1015 100
EOF
image=clock
event=events/cpu-clock.1000000.0
doubts total_samples 1000 samples_stored 1000 $event/enabled_ns 1111111111 \
	$event/running_ns 1111111111 $event/unsampled_ns 111111111 $event/taken 1000
doubts total_samples 1000 samples_stored 1000 $event/enabled_ns 2000000000 \
	$event/running_ns 2000000000 $event/unsampled_ns 1000000000 $event/taken 1000
# 8 % is more than chance makes of 2,000 samples, but not of 1,000; 2 % is not worth a line
doubts total_samples 1000 samples_stored 1000 $event/enabled_ns 2173913042 \
	$event/running_ns 2173913042 $event/unsampled_ns 173913042 $event/taken 2000
doubts total_samples 1000 samples_stored 1000 $event/enabled_ns 1086956521 \
	$event/running_ns 1086956521 $event/unsampled_ns 86956521 $event/taken 1000
doubts total_samples 1000 samples_stored 1000 $event/enabled_ns 1020000000 \
	$event/running_ns 1020000000 $event/unsampled_ns 20000000 $event/taken 100000
image=

requirement time_that_nobody_but_root_may_profile_is_said
images
printf 'cpu_type 108\nimage prog cpu-clock.1000000.0.all.all.all\n0x1010 1000\n' >clock
image=clock
doubts total_samples 1000 samples_stored 1000 $event/enabled_ns 1111111111 \
	$event/running_ns 1111111111 $event/missing_ns 500000000
image=
rm -rf samples
echo "cpu_type 108
stat total_samples 0
stat $event/missing_ns 500000000" | session
report

requirement code_without_symbols_is_said_with_what_helps
images
cat >bare <<-EOF
	cpu_type 108
	image prog cycles.100000.0.all.all.all
	0x1010 9000
	image gone cycles.100000.0.all.all.all
	0x1010 400
	image prog {anon:anon}/7.0x1000.0x3000 cycles.100000.0.all.all.all
	0x10 300
EOF
image=bare
doubts total_samples 9700 samples_stored 9700 -- -l
sed -e 's/400/40/' -e 's/ 300$/ 500/' bare >jit
image=jit
doubts total_samples 9540 samples_stored 9540 -- -l
sed -e 's/400/40/' -e 's/ 300$/ 50/' bare >little
image=little
doubts total_samples 9090 samples_stored 9090 -- -l
image=

requirement chains_that_end_early_are_said_with_why
images
ends="cpu0/chain_no_table 40 cpu0/chain_no_rule 30 cpu1/chain_unreadable 20 cpu1/chain_bad_frame 10"
# shellcheck disable=SC2086
{
	doubts cpu0/chain_root 5000 cpu1/chain_root 1000 cpu0/chain_depth 3900 $ends -- --callgraph
	doubts cpu0/chain_root 5000 cpu1/chain_root 1000 cpu0/chain_depth 3000 $ends \
		stacks_stored 100 lost_bt_no_mapping 50 -- --callgraph
	doubts cpu0/chain_root 50 $ends # of what is not in the report
}
doubts stacks_stored 100 lost_bt_no_mapping 2 -- --callgraph

requirement few_samples_are_said
images
for n in 9 90; do
	printf 'image prog TIMER\n0x1010 %s\nimage lib.so TIMER\n0x1010 %s\n' $n $n >few
	image=few
	doubts total_samples $((2 * n)) samples_stored $((2 * n))
done
printf 'image prog TIMER\n0x1010 60\nimage lib.so TIMER\n0x1010 60\n' >few
doubts total_samples 120 samples_stored 120
image=

requirement event_without_samples_keeps_its_column
images
session <<-EOF
	cpu_type 108
	image prog cycles.100000.0.all.all.all
	0x1010 1000
EOF
echo 'events cycles:0:0:100000:0:1:1,cache-misses:3:1:10000:0:1:1,' | write samples/current/source
report -l
report -n event:cycles
opreport --session-dir="$DIR" --csv
