#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: CPUs go and come while perf events are sampled, by oprofiled --perf and by operf: what
# covers: they had is kept, one that comes back is sampled again, as is one that was off at the
# covers: start, and the numbers add up
# smp: 4@6.1
# sanitised: it is of operf and the kernel's own driver; the module has no part in it
# limit: 600

# shellcheck source=../guest/case.sh
. /vm/case.sh

steady='' load='' daemon=''
trap 'kill $steady $load $daemon' EXIT

received()
{
	need opcontrol --dump >/dev/null
	cat "$samples/stats/cpu$1/sample_received" 2>/dev/null || echo 0
}

more_than() { [ "$(received "$1")" -gt "$2" ]; }
switch_cpu() { need write "$2" "/sys/devices/system/cpu/cpu$1/online"; }

# load_cpu CPU - this one and no other, but for CPU 0, which always has a load
load_cpu()
{
	end_load
	taskset $((1 << $1)) $workloads/split 1000 >/dev/null &
	load=$!
}

end_load()
{
	[ -n "$load" ] || return 0
	kill "$load"
	wait "$load"
	load=''
}

# used_up PID TICKS - has the process had so many hundredths of a second in user mode?
used_up() { [ "$(cut -d ' ' -f 14 "/proc/$1/stat")" -gt "$2" ]; }

# is_profiled PID - has operf samples of it?
is_profiled() { [ "$(samples_below ".$1.$1.0")" -gt 0 ]; }

# answers - the daemon
answers() { opcontrol --dump >/dev/null 2>&1; }

# comes_back CPU - it is off, and then is sampled again
comes_back()
{
	switch_cpu "$1" 1
	load_cpu "$1"
	until_true 30 more_than "$1" $(($(received "$1") + 20))
}

# profile NAME OPTION... - CPUs go and come while oprofiled runs; all that it received adds up
profile()
{
	echo "-- $1"
	shift
	switch_cpu 3 0
	oprofiled --perf --foreground --no-pack "$@" &
	daemon=$!
	until_true 30 answers
	same "samples of CPU 3, which was never on" "$(received 3)" 0
	comes_back 3
	before=$(received 3)
	switch_cpu 3 0
	until_true 30 more_than 0 $(($(received 0) + 20))
	off=$(received 3)
	[ "$off" -ge "$before" ] || fail "CPU 3: $before samples became $off"
	until_true 30 more_than 0 $(($(received 0) + 20))
	same "samples of CPU 3 while it is off" "$(received 3)" "$off"
	comes_back 3
	# off and on at once, before anybody looks, and two at a time
	switch_cpu 1 0
	switch_cpu 2 0
	switch_cpu 2 1
	comes_back 1
	load_cpu 2
	until_true 30 more_than 2 $(($(received 2) + 20))
	# while it is stopped, too
	need opcontrol --stop >/dev/null
	switch_cpu 2 0
	switch_cpu 2 1
	need opcontrol --start >/dev/null
	load_cpu 2
	until_true 30 more_than 2 $(($(received 2) + 20))
	end_load
	echo "received: $(received 0) $(received 1) $(received 2) $(received 3)"
	until_true 30 has_events 8 # of each CPU: what is counted, and what is mapped
	kill $daemon
	wait $daemon
	same "status of oprofiled" $? 0
	daemon=''
	need opdb check "$samples"
	accounts
	rm -rf $session
}

# has_events COUNT - so many are open: those of CPUs that have gone are closed
has_events() { [ "$(readlink "/proc/$daemon/fd"/* | grep -c perf_event)" -eq "$1" ]; }

need opcontrol --setup --perf # what it is to talk to
taskset 1 $workloads/split 1000 >/dev/null &
steady=$!
profile flat --separate-cpu=1 --events=cpu-clock:0:0:1000000:0:1:1
profile "unwound stacks" --callgraph=dwarf --events=cpu-clock:0:0:4000000:0:1:1

echo "-- operf"
operf --system-wide --session-dir=$session --separate-cpu --separate-thread --no-pack \
	--events=cpu-clock:1000000 2>/tmp/said &
daemon=$!
until_true 30 is_profiled "$steady"
back=''
for _turn in 1 2; do
	switch_cpu 3 0
	switch_cpu 3 1
	load_cpu 3
	back="$back $load"
	until_true 30 used_up $load 50
done
end_load
kill -INT $daemon
wait $daemon
same "status of operf" $? 0
daemon=''
grep '^operf:' /tmp/said || fail "operf says nothing at its end: $(cat /tmp/said)"
same "samples of operf's last line" "$(sed -n 's/^operf: \([0-9]*\) .*/\1/p' /tmp/said)" "$(stored)"
for load in $back; do
	enough "samples of CPU 3, of the load that began when it was back" \
		"$(samples_below ".$load.$load.3")" 10
done
