#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # lib.sh sets $status
# opcontrol: events, the counters they are placed on, and what the driver and the daemon are told
. "$COMMANDS/driver.sh"

# start COUNTERS ARGUMENT... - on a machine with these counters; what it came to
start()
{
	machine "$1"
	shift
	try opcontrol --start "$@" | grep -v '^The daemon runs'
	journal | grep -e --events || :
	# shellcheck disable=SC2046 # a list
	counters $(cd fs && echo [0-9])
}

writes()
{
	"$COMMANDS/writes.py" "$@"
}

requirement events_of_the_cpu_type_are_listed
machine
try opcontrol -l
put fs/cpu_type nmi_timer
try opcontrol -l
put fs/cpu_type x86-64/family99h
try opcontrol -l
put fs/cpu_type $cpu
try opcontrol -l
rm fs/frequency
try opcontrol --frequency=10
try opcontrol --time-slice=10
put events/$cpu/events 'event:0x76 counters:0 nonsense\n'
try opcontrol -l

# 77777 was there before: what an event does not need is left as it is
requirement specifications_become_numbers_in_the_driver
start '0 1 2 3' -e RETIRED:6000
start '0 1 2 3' # the default
# user only, kernel only, a code of 12 bits, masks joined and by name
start '0 1 2 3' -e RETIRED:6000::0:1 -e REQUESTS:500:0x3:1:0 -e REQUESTS:501:writes
# modifiers: edge is bit 18, inv 23, cmask from 24 on; the marks stay out
start '0 1 2 3' -e STALLS:1000:starts -e STALLS:1001:idle -e STALLS:1002:cycles+inv+cmask=0xff
# events of few counters take them from events of all
start '0 1 2 3' -e RETIRED:6000 -e LOW:500 -e ONLY0:500
start '1 3' -e RETIRED:6000 -e LOW:500
# a counter that the CPU should not have is not used, but not left running
start '0 3 9' -e RETIRED:6000 -e CPU_CLK_UNHALTED:6001
start 0 -e ONLY0:4294967295

requirement counters_are_cleared_first_and_enabled_in_the_order_of_events
machine '0 1 2 3'
writes opcontrol --start-daemon -e RETIRED:6000 -e LOW:500 -e ONLY0:500
machine '1 3'
writes opcontrol --start-daemon -e RETIRED:6000 -e LOW:500

# a file that cannot be written, as the driver's for a count that is too large
requirement count_that_the_driver_refuses_is_not_kept
machine '0 1 2 3'
for n in 0 1 2 3; do ln -sf /proc/sys/kernel/ngroups_max fs/$n/count; done
settings opcontrol --setup -e RETIRED:3000000000
settings opcontrol --start -e RETIRED:3000000000
settings opcontrol --setup -e RETIRED:2147483647
try opcontrol --status | grep RETIRED

requirement start_that_fails_keeps_the_settings
machine '0 1 2 3'
settings opcontrol --setup -e RETIRED:6000
export FAKE_MODE=refuse
settings opcontrol --start -e RETIRED:7000
try opcontrol --status | grep RETIRED
export FAKE_MODE=
settings opcontrol --start -e RETIRED:7000

requirement events_are_kept_and_shown
machine '0 1 2 3'
try opcontrol --status
try opcontrol --start -e RETIRED:6000 -e STALLS:1000:starts:1:0 -e ONLY0:500
try opcontrol --status
try opcontrol --event=RETIRED:7000 # for the next start: the driver is not touched
counters 1
try opcontrol --shutdown
try opcontrol --start # the first event of a call replaces all
counters
try opcontrol --shutdown
settings opcontrol -e LOW:500 -e RETIRED:6000
settings opcontrol --event=default

requirement events_that_cannot_be_counted_change_nothing
machine '0 1 2 3'
opcontrol --event=LOW:600
each settings opcontrol <<-'EOF'
	--event=RETIRED
	--event=RETIRED:x
	--event=RETIRED:6000:0:0:0
	-e RETIRED:6000 -e default
	--event=RETIRD:6000
	--start --event=RETIRED:2999
	--event=RETIRED:6000 --callgraph=4
	-e STALLS:1000:nosuch
	-e RETIRED:6000 -e STALLS:99
	--event=REQUESTS:500:erases
	--event=IBS_OP:50000
	-e RETIRED:6000 -e RETIRED:6000
	-e ONLY0:500:0:1:0 -e ONLY0:501:0:0:1
	-e RETIRED:6000 -e CPU_CLK_UNHALTED:6000 -e LOW:500 -e REQUESTS:500 -e STALLS:500
EOF
for type in timer nmi_timer x86-64/family99h i386/athlon; do
	put fs/cpu_type $type
	settings opcontrol --event=RETIRED:6000
done
counters

requirement counters_that_are_not_free_are_told
machine '2 3'
try opcontrol --status
try opcontrol --event=LOW:500 # the CPU could count it, at another time
try opcontrol --status
try opcontrol --start
holds fs/enable
journal
try opcontrol --start --event=RETIRED:6000
counters 2 3
try opcontrol --shutdown
put fs/cpu_type timer
try opcontrol --start
try opcontrol --status # it has no frequency
machine '1 2'
try opcontrol --start -e RETIRED:6000 -e LOW:500 -e STALLS:500
machine ''
try opcontrol --start
try opcontrol --status

requirement more_events_than_counters_are_multiplexed
for choice in 'RETIRED:6000 LOW:500' 'RETIRED:6000 RETIRED:6001 LOW:500' \
	'ONLY0:500 ONLY0:501 ONLY0:502' 'ONLY0:500 ONLY0:501 ONLY0:502 ONLY0:503 ONLY0:504'; do
	machine '0 1 2 3 4 5 6 7'
	put fs/general_counters '2\n'
	put fs/fixed_counters '0\n'
	put fs/virtual_counters '6\n'
	# shellcheck disable=SC2046,SC2086 # a list
	try opcontrol --start $(printf -- ' -e %s' $choice)
	journal | grep -e --events || :
	try opcontrol --status | grep -e counter -e Multiplexed
done
rm -r fs/[0246] # held by others
try opcontrol --shutdown
try opcontrol --start -e RETIRED:6000 -e LOW:500
journal | grep -e --events
put fs/virtual_counters '65\n'
try opcontrol --status | grep -A 1 '^Event'

requirement the_default_event_is_good_with_call_chains
machine '0 1 2 3'
put events/$cpu/events \
	'event:0x76 counters:0,1,2,3 um:zero minimum:100000 name:CPU_CLK_UNHALTED : Cycles\n'
put events/$cpu/unit_masks 'name:zero type:mandatory default:0x0\n\t0x0 None\n'
try opcontrol --start --callgraph=16
journal | grep -e --events

requirement numbers_written_to_a_counter_are_read_back
machine '0 1 2 3'
set -- -e RETIRED:6000 -e REQUESTS:500:reads:1:0
ln -f fs/1/kernel fs/1/user # one number for two
try opcontrol --start "$@"
counters
put_counters 0 1 2 3
ln -sf /dev/null fs/0/count
try opcontrol --start "$@"
put_counters 0 1 2 3
rm fs/1/unit_mask
try opcontrol --start "$@"
holds fs/0/enabled fs/enable

requirement a_driver_without_modifiers_takes_events_without_them
machine 0
rm fs/0/extra
try opcontrol --start -e STALLS:1000:starts
holds fs/0/enabled
try opcontrol --start -e STALLS:1000:cycles
holds fs/0/enabled

requirement counters_are_the_directories_with_numbers
machine ''
for name in 0 3 10 63 64 00 01 1x -1 +2 4.5 ' 5' 99 100; do
	mkdir "fs/$name"
done
try opcontrol --start -e LOW:500 -e ONLY0:500

# Whether there is one is this machine's: what may be set up is what can be counted.
requirement events_that_no_counter_takes_are_refused_at_setup
machine
try opcontrol --setup --perf --event=page-faults:1
try opcontrol --setup --perf --event=cpu-clock:10
try opcontrol --setup --perf --event=cpu-clock:10000
run_quietly ocount -e cycles true
case $(cat "$WORK/stderr") in
*"no hardware counter"*) expected=1 ;;
*) expected=0 ;;
esac
run_quietly opcontrol --setup --perf --event=cycles:100000
[ "$status" = $expected ] || echo "exit $status instead of $expected: $(cat "$WORK/stderr")"
if [ $expected = 1 ]; then
	grep -q 'event "cycles": this machine has no hardware counter' "$WORK/stderr" ||
		echo "another reason: $(cat "$WORK/stderr")"
fi
if [ $expected = 1 ]; then # the settings are as before
	grep -qx CHOSEN_EVENTS_0=cpu-clock:10000 "$HOME/.oprofile/daemonrc" || echo "settings changed"
fi
