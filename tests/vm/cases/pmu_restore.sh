#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: after shutdown every register of the counters and LVTPC is what it was, on each CPU;
# covers: also after a CPU went and came while it was sampled, and after 1000 starts and stops (6.1)
# covers: the module can't be unloaded while it samples
# covers: perf and the NMI watchdog count again; with the watchdog on, the log says who holds
# covers: the counters
# pmu: model=nehalem@6.1 model=zen@7.2
# limit: 600
# check: 7.2 6.1-kasan

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

fs=/dev/oprofile
length=2000009 # instructions of /vm/pmu/length in user mode
need modprobe msr
need opcontrol --init --backend x86
unlimited
case $(cat $fs/cpu_type) in
i386/core_i7)
	selects="186 187 188 189" counters="c1 c2 c3 c4 309 30a 30b" others="38d 38f"
	;;
*)
	selects="c0010200 c0010202 c0010204 c0010206 c0010208 c001020a"
	counters="c0010201 c0010203 c0010205 c0010207 c0010209 c001020b" others=
	;;
esac
general=$(echo "$selects" | wc -w)

# mark CPU - give each register a value that nobody else would: nothing counts with them
mark()
{
	n=$((1 + 32 * $1))
	for msr in $selects; do
		pmu msr "$1" "$msr" "$(printf %x $((0x31000 + n)))" >/dev/null
		n=$((n + 1))
	done
	for msr in $counters; do
		pmu msr "$1" "$msr" "$(printf %x $((0x12340000 + n)))" >/dev/null
		n=$((n + 1))
	done
	for msr in $others; do # no fixed counter counts anything; some counters may run
		pmu msr "$1" "$msr" "$([ "$msr" = 38d ] && echo 808 || echo 100000005)" >/dev/null
	done
	taskset $((1 << $1)) /vm/pmu/pmu lvtpc "100$(printf %x $((0xe0 + $1)))" >/dev/null
}

# registers - all of them, of each CPU
registers()
{
	for cpu in 0 1; do
		# shellcheck disable=SC2086
		pmu msrs $cpu $selects $counters $others | sed "s/^/cpu $cpu register /"
		echo "cpu $cpu LVTPC $(taskset $((1 << cpu)) /vm/pmu/pmu lvtpc)"
	done
}

# unchanged AFTER-WHAT - are the registers those in /tmp/before?
unchanged()
{
	registers >/tmp/after
	diff /tmp/before /tmp/after || fail "registers are not restored after $1"
}

# enable_all COUNT - enable each general counter, by itself, with the buffer open
enable_all()
{
	for number in $(seq 0 $((general - 1))); do
		for entry in event:0xc0 unit_mask:0 kernel:1 user:1 enabled:1 \
			count:$(($1 + number)); do
			need write "${entry#*:}" "$fs/$number/${entry%%:*}"
		done
	done
	exec 5<$fs/buffer
}
switch_cpu() { need write "$1" /sys/devices/system/cpu/cpu1/online; }
received() { cat "$fs/stats/cpu$1/sample_received"; }
more_than() { [ "$(received "$1")" -gt "$2" ]; }
count_events() { need perf stat -x , -o /tmp/stat -e "$1:u" /vm/pmu/length; }

for cpu in 0 1; do
	mark $cpu
done
registers >/tmp/before
cat /tmp/before
load=
trap 'kill $load' EXIT
# run_on CPU - keep that CPU busy
run_on()
{
	nice -n 19 taskset $((1 << $1)) $hot 10000000 5<&- &
	load="$load $!"
}
enable_all 20011
run_on 0
run_on 1

need write 1 $fs/enable
until_true 30 more_than 0 100
until_true 30 more_than 1 100
registers >/tmp/while
[ "$(grep -vcxFf /tmp/before /tmp/while)" -ge $((4 * general)) ] ||
	fail "the counters are not used at all"
refuse "temporarily unavailable" rmmod oprofile
need write 0 $fs/enable
unchanged "a stop"
refuse "temporarily unavailable" rmmod oprofile

# A CPU that comes back has the kernel's own LVTPC: so that is what it was.
switch_cpu 0
switch_cpu 1
mark 1
need write 1 $fs/enable
until_true 30 more_than 1 100
switch_cpu 0
switch_cpu 1
run_on 1
until_true 30 more_than 1 "$(received 1)"
need write 0 $fs/enable
registers >/tmp/after
for file in before after; do
	grep -v "cpu 1 LVTPC" /tmp/$file >/tmp/$file.rest
done
diff /tmp/before.rest /tmp/after.rest || fail "registers are not restored after hotplug"
same "LVTPC of a CPU that came while sampling" "$(taskset 2 /vm/pmu/pmu lvtpc)" 400
mark 1

# While both CPUs are busy and every counter overflows.
exec 5<&-
enable_all 100003
nmis() { awk '$1 == "NMI:" { for (i = 2; i < NF - 1; i++) n += $i } END { print n + 0 }' /proc/interrupts; }
cycles=100
sanitised || [ "$(uname -r | cut -d . -f 1-2)" != 6.1 ] || cycles=1000
before=$(nmis) begin=$(cut -d ' ' -f 1 /proc/uptime)
for _ in $(seq $cycles); do
	echo 1 >$fs/enable
	echo 0 >$fs/enable
done
# A busy host lets some starts pass without an overflow.
within "NMIs in $cycles starts and stops, from $begin to $(cut -d ' ' -f 1 /proc/uptime) s" \
	$(($(nmis) - before)) $((cycles / 10)) 1000000000
unchanged "$cycles starts and stops"
need write 1 $fs/enable
until_true 30 more_than 0 100
until_true 30 more_than 1 100
need write 0 $fs/enable
# shellcheck disable=SC2086
kill $load
wait
load=
exec 5<&-
unchanged "closing the buffer"
need opcontrol --deinit
unchanged "unloading"

count_events instructions
same "instructions that perf counts" "$(awk -F , '$3 == "instructions:u" { print $1 }' /tmp/stat)" \
	$length

# The watchdog's counter runs: as cycles, with an interrupt that is an NMI.
watchdog_select()
{
	for msr in $selects; do
		select=$(pmu msr 0 "$msr")
		[ $((0x$select & 0x500000)) -eq $((0x500000)) ] && echo "$msr" && return
	done
	for msr in $others; do
		[ "$msr" != 38d ] || [ $((0x$(pmu msr 0 38d) & 0x888)) -eq 0 ] || echo fixed
	done
}
need write 1 /proc/sys/kernel/watchdog_thresh
need write 1 /proc/sys/kernel/nmi_watchdog
same "LVTPC with the watchdog" "$(taskset 1 /vm/pmu/pmu lvtpc)" 400
[ -n "$(watchdog_select)" ] || fail "the watchdog has no counter"
before=$(nmis)
run_on 0
barked() { [ "$(nmis)" -gt "$before" ]; }
until_true 100 barked
echo "the watchdog's NMIs come: $before, then $(nmis)"

need opcontrol --init --backend x86
opcontrol --status >/tmp/status
grep -i "watchdog" /tmp/status || fail "--status does not tell of the watchdog"
dmesg | grep "oprofile: process .*held by perf or the NMI watchdog" | head -n 1 | grep . ||
	fail "the log does not say who holds the counter"
need write 0 /proc/sys/kernel/nmi_watchdog
need write 10 /proc/sys/kernel/watchdog_thresh
