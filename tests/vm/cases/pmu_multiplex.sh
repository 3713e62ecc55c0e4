#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: more events than counters: groups are multiplexed, and no event is lost at a switch;
# covers: scaled by the time that it was counted, each event's number is that of an exact count;
# covers: none is counted for another one; fixed counters are not multiplexed; all registers restored
# pmu: model=core2@6.12 model=p6@6.1 model=zen@7.2
# smp: exact
# sanitised: pmu_multiplex_cpus is the same, on two CPUs
# limit: 400
# check: 6.12 7.2

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

rounds=600
cpus=$(nproc)
# With one CPU, time is that of instructions: each group is counted for half of them.  With more CPUs
# time is the host's, which may stop the guest while a group is counted: shares of time are only known
# to be shares, and how many instructions a group saw only from the sum of both (counted_all).
share_low=0.45 share_high=0.55
[ "$cpus" = 1 ] || share_low=0.2 share_high=0.8
fs=/dev/oprofile

# registers - all that the profiler may write, of each CPU
registers()
{
	for _cpu in $(seq 0 $((cpus - 1))); do
		for _msr in $msrs; do
			echo "cpu $_cpu msr $_msr" "$(dd if="/dev/cpu/$_cpu/msr" bs=8 count=1 \
				skip=$((_msr)) iflag=skip_bytes status=none | od -An -tx8)"
		done
	done
}

# profile EVENT... - of the hot program, twice as long as $rounds; sets $user to the instructions
# that programs retired meanwhile
profile()
{
	_events=$*
	set --
	for _event in $_events; do
		set -- "$@" --event="$_event"
	done
	need opcontrol --start-daemon --buffer-size=1048576 --cpu-buffer-size=65536 "$@"
	pmu profile 0 1 $hot $rounds
	user=$(pmu totals 0 1 | awk '$1 == "user" { print $3 }')
	opcontrol --status >/tmp/status || fail "no status"
	sed -n '/^Event/,/^Separate/p' /tmp/status
	mkdir /tmp/times
	for _event in $_events; do
		time_share "$_event" >"/tmp/times/$_event"
	done
	need opcontrol --shutdown
	accounts
}

# counter_of EVENT - its number, from --status
counter_of()
{
	awk -v event="$1" '$1 == "Event" { here = $3 == event }
		here && match($0, /counter [0-9]+/) { print substr($0, RSTART + 8, RLENGTH - 8) }' \
		/tmp/status
}

# time_share EVENT - the share of the time that it was counted
time_share()
{
	_counter=$fs/stats/counter$(counter_of "$1")
	awk -v running="$(cat "$_counter/running_ns")" -v enabled="$(cat "$_counter/enabled_ns")" \
		'BEGIN { print enabled ? running / enabled : "none" }'
}

# counted NAME COUNT - samples of it in all sample files
counted() { samples_below "/$1.$2."; }

# counted_all COUNT... - every user instruction was counted by the one or the other of the
# events with these counts: what they have left is less than a period on each CPU.  It takes
# some more to start and stop, which all counters see alike.
counted_all()
{
	_sum=0 _left=0
	for _count; do
		_samples=$(counted $instructions "$_count")
		_sum=$((_sum + _samples * _count))
		_left=$((_left + _count * cpus))
	done
	within "instructions of the events with counts $*" $_sum $((user - _left)) \
		$((user + 1000000))
	[ -z "$first_sum" ] || within "the same beside those of the first counter" $_sum \
		$((first_sum - _left)) $((first_sum + first_left))
	[ -n "$first_sum" ] || first_sum=$_sum first_left=$_left
}

# near_exact NAME NUMBER COUNT TRUTH - the number of samples, scaled, stands for as many as there were
near_exact()
{
	[ "$cpus" = 1 ] || return 0
	within "$1, times its count / exact" \
		"$(awk -v n="$2" -v c="$3" -v all="$4" 'BEGIN { print n * c / all }')" 0.95 1.05
}

# exact EVENT-SELECT - what perf counts of it in user mode, alone
exact()
{
	perf stat -x , -o /tmp/stat -e "$1:u" $hot $rounds || fail "perf stat -e $1"
	awk -F , -v event="$1:u" '$3 == event { print $1 }' /tmp/stat
}

# name_of EVENT, count_of EVENT - NAME:COUNT:...
name_of() { echo "${1%%:*}"; }
count_of() { echo "$1" | cut -d : -f 2; }

need modprobe msr
need opcontrol --init
unlimited
often=10009
intel_msrs="0x186 0x187 0xc1 0xc2"
instructions=INST_RETIRED branches=BR_INST_RETIRED select=r00c4 mask=
case $(cat $fs/cpu_type) in
i386/core | i386/piii)
	msrs=$intel_msrs general=2 fixed=0
	nothing=BR_MISS_PRED_RETIRED
	;;
i386/core_2)
	msrs="$intel_msrs 0x309 0x30a 0x30b 0x38d 0x38f" general=2 fixed=3
	nothing=BR_MISS_PRED_RETIRED
	mask=0x0a select=r0ac4 # near calls and returns
	;;
x86-64/*)
	msrs=$(seq $((0xc0010200)) $((0xc001020b))) general=6 fixed=0
	often=50021 # opcontrol takes no less
	instructions=RETIRED_INSTRUCTIONS branches=RETIRED_BRANCH_INSTRUCTIONS select=r00c2
	nothing=RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS
	;;
*) fail "a CPU type that this case does not know" ;;
esac
[ "$fixed" = 0 ] || fixed_used=1
fixed_used=${fixed_used:-0}
exact_branches=$(exact $select)
exact_instructions=$(exact r00c0)
echo "$exact_instructions instructions, of these $exact_branches branches"
registers >/tmp/registers
head -n 4 /tmp/registers

# Instructions on all counters in two turns, each time with another count.  In the second there are
# many more samples, whose own time must not pass for the program's.
events='' count=100003
while [ "$(echo "$events" | wc -w)" -lt $((2 * general + fixed_used)) ]; do
	[ "$(echo "$events" | wc -w)" != $((general + fixed_used)) ] || count=$often
	events="$events $instructions:$count::0:1"
	count=$((count + 10))
done
# shellcheck disable=SC2086
profile $events
grep -q '^Multiplexed: 2 groups of events, 1 ms each' /tmp/status ||
	fail "--status does not show that events are multiplexed"
number=0
# The fixed counter of instructions takes one event; it takes no turns.
for event in $events; do
	wanted=$number
	[ $number -lt $((general + fixed_used)) ] || wanted=$((number - fixed_used + fixed))
	same "counter of $event" "$(counter_of "$event")" $wanted
	number=$((number + 1))
done
i=0 first_sum=
while [ $i -lt "$general" ]; do
	counted_all $((100003 + 10 * i)) $((often + 10 * i))
	i=$((i + 1))
done
i=0
for event in $events; do
	if [ "$fixed_used" = 1 ] && [ $i = "$general" ]; then
		counted_all "$(count_of "$event")"
		same "share of time of $event" "$(cat "/tmp/times/$event")" 1
	else
		within "share of time of $event" "$(cat "/tmp/times/$event")" \
			$share_low $share_high
		n=$(counted $instructions "$(count_of "$event")")
		near_exact "$event, scaled" "$(awk -v n="$n" -v t="$(cat "/tmp/times/$event")" \
			'BEGIN { print n / t }')" "$(count_of "$event")" "$user"
	fi
	i=$((i + 1))
done
registers >/tmp/registers_now
cmp /tmp/registers /tmp/registers_now || fail "registers are not what they were"
need opcontrol --reset
rm -r /tmp/times

# Events of several kinds, with counts that make a thousand samples each.
instructions_event=$instructions:$((exact_instructions / 1000))::0:1
nothing_event=$nothing:500::0:1
branches_events='' count=$((exact_branches / 1000))
while [ "$(echo "$branches_events" | wc -w)" -lt $((2 * general - 2)) ]; do
	branches_events="$branches_events $branches:$count:$mask:0:1"
	count=$((count + 10))
done
# shellcheck disable=SC2086
profile $instructions_event $nothing_event $branches_events
same "samples of an event that does not happen" "$(counted "$nothing" 500)" 0
opreport -l $hot event:$branches >/tmp/report || fail "opreport"
cat /tmp/report
same "columns that are scaled" "$(grep -c "^Counted $branches .*scaled by" /tmp/report)" \
	$((2 * general - 2))

# scaled EVENT TRUTH [OPTION...] - what opreport says of the program
scaled()
{
	_event=$1
	shift
	need opreport -n "$@" $hot "event:$(name_of "$_event")" "count:$(count_of "$_event")" |
		awk '{ n += $1 } END { print n + 0 }'
}

for event in $branches_events $instructions_event; do
	case $event in
	"$instructions_event") truth=$exact_instructions ;;
	*) truth=$exact_branches ;;
	esac
	within "share of time of $event" "$(cat "/tmp/times/$event")" $share_low $share_high
	n=$(scaled "$event")
	near_exact "opreport's $n of $event" "$n" "$(count_of "$event")" "$truth"
	raw=$(scaled "$event" --unscaled)
	within "$raw unscaled / scaled / share of time" "$(awk -v n="$n" -v raw="$raw" \
		-v t="$(cat "/tmp/times/$event")" 'BEGIN { print raw / n / t }')" 0.99 1.01
done
opreport --json $hot >/tmp/json || fail "opreport --json"
grep -q '"running_ns": [0-9]*, "scaled": true' /tmp/json || fail "JSON does not tell"
registers >/tmp/registers_now
cmp /tmp/registers /tmp/registers_now || fail "registers are not what they were"

# CPUs that come and go, and more starts of the same daemon, while groups are switched.
rm -r /tmp/times
need opcontrol --reset
set --
for event in $instructions_event $nothing_event $branches_events; do
	set -- "$@" --event="$event"
done
need opcontrol --start "$@"
$hot $rounds &
for _round in 1 2 3; do
	[ "$cpus" = 1 ] || {
		echo 0 >/sys/devices/system/cpu/cpu1/online || fail "CPU 1 does not go"
		echo 1 >/sys/devices/system/cpu/cpu1/online || fail "CPU 1 does not come"
	}
	need opcontrol --stop
	need opcontrol --start
done
wait
need opcontrol --shutdown
need opdb check "$samples"
same "samples stored" "$(stat_sum samples_stored)" "$(stored)"
same "samples of an event that does not happen" "$(counted "$nothing" 500)" 0
for event in $branches_events; do
	times=$samples/stats/events/$branches.$(count_of "$event").$((mask))
	within "the session's share of time of $event" "$(awk -v running="$(cat "$times/running_ns")" \
		-v enabled="$(cat "$times/enabled_ns")" 'BEGIN { print running / enabled }')" $share_low $share_high
done
registers >/tmp/registers_now
[ "$cpus" != 1 ] || cmp /tmp/registers /tmp/registers_now || fail "registers are not what they were"
dmesg | grep -i "unknown reason" && fail "an NMI of ours was not claimed"
need opcontrol --deinit

# The backend perf: turns are perf's, and how long each event was counted is told in the same way.
need opcontrol --reset
need opcontrol --init --backend perf
unlimited
# shellcheck disable=SC2086
profile $instructions_event $nothing_event $branches_events
grep -q '^Multiplexed: 2 groups of events, scheduled by perf' /tmp/status ||
	fail "--status does not show that perf multiplexes events"
same "samples of an event that does not happen" "$(counted "$nothing" 500)" 0
for event in $branches_events; do
	within "perf: share of time of $event" "$(cat "/tmp/times/$event")" 0.2 0.9
	n=$(scaled "$event")
	near_exact "perf: opreport's $n of $event" "$n" "$(count_of "$event")" "$exact_branches"
done
need opcontrol --deinit
