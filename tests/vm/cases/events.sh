#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: events by name, with a named unit mask and for programs only: from opcontrol's
# covers: command line to the counters, the columns of reports and their head
# covers: counters that perf or the NMI watchdog holds: the backend perf stands in until the next
# covers: start, and --status says so; the backend x86, asked for by name, says who, and how to free
# covers: them; --stop gives counters back
# pmu: model=nehalem@6.1 model=icelake@6.12 model=zen@7.2
# limit: 300
# check: 6.1 7.2 6.1-kasan

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

rounds=1500

# refuse_start TEXT - --start must fail and say so
refuse_start() { refuse "$1" opcontrol --start; }

need opcontrol --init
opcontrol --status >/tmp/status
grep -q '^Backend: x86 (the best one)$' /tmp/status || fail "the backend is not x86"
sed -n '/^CPU type/p; /^Event/,/^Separate/p' /tmp/status
grep -q '^Event 0: CPU_CLK_UNHALTED:.* (the default)' /tmp/status || fail "no default event"
grep -q '^Counters in use' /tmp/status && fail "counters are in use"
opcontrol --list-events >/tmp/list
ophelp >/tmp/help
cmp /tmp/list /tmp/help || fail "opcontrol --list-events is not what ophelp says"

case $(sed -n 's/.*CPU type "\(.*\)"/\1/p' /tmp/list) in
"Intel Core/i7")
	instructions=INST_RETIRED calls=BR_INST_RETIRED
	first=$instructions:100003:any_p:0:1 second=$calls:5003:near_call:0:1
	;;
"Intel Ice Lake microarchitecture") # names of libpfm4
	instructions=INST_RETIRED calls=BR_INST_RETIRED
	first=$instructions:100003::0:1 second=$calls:6007:NEAR_CALL:0:1
	;;
"AMD64 Zen") # has no event for calls, and no unit masks of these
	instructions=RETIRED_INSTRUCTIONS calls=RETIRED_BRANCH_INSTRUCTIONS
	first=$instructions:100003::0:1 second=$calls:5003::0:1
	;;
*) fail "the CPU is none of those that this case knows: $(head -n 1 /tmp/list)" ;;
esac
refuse "has no event NO_SUCH_EVENT" opcontrol --event=NO_SUCH_EVENT:100000
refuse "is below" opcontrol --event="$instructions:5"
refuse "unit mask" opcontrol --event="$instructions:100000:no_such_mask"

hold_by_perf()
{
	perf stat -e instructions sleep 1000 2>/tmp/stat &
	perf=$!
	until_true 30 sh -c "ls -l /proc/$perf/fd | grep -q perf_event"
}

let_go()
{
	kill "$perf"
	wait "$perf"
}

# backend_is NAME [TEXT] - after a start, by that reason; it takes samples
backend_is()
{
	need opcontrol --start
	opcontrol --status >/tmp/status
	grep '^Backend:' /tmp/status
	grep -q "^Backend: $1 (.*${2:-})\$" /tmp/status || fail "the backend is not $1"
	grep 'Counters in use' /tmp/status && fail "--status says that counters are in use"
	need $hot 100
	need opcontrol --stop
	[ "$(opcontrol --status | sed -n 's/^Samples received: //p')" -gt 0 ] ||
		fail "the backend $1 took no samples"
}

# Held counters: by perf, by the NMI watchdog, and free again without a new daemon.
need opcontrol --event="$first" --event="$second"
hold_by_perf
backend_is perf "counter [0-9]* is held by perf or the NMI watchdog"
let_go
backend_is x86
need write 1 /proc/sys/kernel/nmi_watchdog
backend_is perf "counter [0-9]* is held by perf or the NMI watchdog"
need write 0 /proc/sys/kernel/nmi_watchdog
backend_is x86
perf stat -x , -o /tmp/stat -e instructions:u /vm/pmu/length
awk -F , '$3 == "instructions:u" { n = $1 } END { exit !(n > 0) }' /tmp/stat ||
	fail "--stop keeps counters: perf says $(cat /tmp/stat)"
need opcontrol --shutdown
need opcontrol --deinit
rm -rf "$session"

# By name there is no other.  The log has a line for each thing that is refused, which says to whom
# and why: the counters, when they are looked for, and the buffer.
need opcontrol --init --backend x86
enabled=$(find /dev/oprofile -maxdepth 1 -name "[0-9]*" | sort | head -n 1)
need write "$((0x3c))" "$enabled/event"
need write 1000003 "$enabled/count"
need write 1 "$enabled/user"
need write 1 "$enabled/enabled"
hold_by_perf
lines() { dmesg | grep 'oprofile: '; }
lines >/tmp/lines
refuse "Device or resource busy" dd if=/dev/oprofile/buffer of=/dev/null
lines >/tmp/lines_now
diff /tmp/lines /tmp/lines_now | grep '^+[^+]' >/tmp/lines_new
cat /tmp/lines_new
same "lines in the log for a buffer that is refused" "$(wc -l </tmp/lines_new)" 1
grep -q 'process [0-9]* (.*): counter [0-9]* is held by perf or the NMI watchdog' /tmp/lines_new ||
	fail "the log does not say to whom the buffer is refused, and why"
refuse_start "process $perf (perf) has perf events open"
lines >/tmp/lines
diff /tmp/lines_now /tmp/lines | grep '^+[^+]' >/tmp/lines_new
cat /tmp/lines_new
[ "$(wc -l </tmp/lines_new)" -le 1 ] || fail "the log has more than a line for a start that is refused"
opcontrol --status | grep -q '^Event 1: ' || fail "--status does not tell of the second event"
let_go
need write 1 /proc/sys/kernel/nmi_watchdog
refuse_start "sysctl kernel.nmi_watchdog=0"
need write 0 /proc/sys/kernel/nmi_watchdog
need opcontrol --deinit
need opcontrol --init

# The register, bit for bit, is what was written here.
need opcontrol --start
for counter in /dev/oprofile/[0-9]*; do
	[ "$(cat "$counter/enabled")" = 1 ] || continue
	same "kernel of $counter" "$(cat "$counter/kernel")" 0
	same "user of $counter" "$(cat "$counter/user")" 1
	echo "$counter: event $(cat "$counter/event") unit mask $(cat "$counter/unit_mask")" \
		"count $(cat "$counter/count")"
done
opcontrol --status | sed -n '/^Event/,/^Separate/p'

$hot symbols >/tmp/symbols
pmu snapshot 0
need $hot $rounds
pmu snapshot 1
need opcontrol --shutdown
need opdb check "$samples"
accounts

need opreport -l $hot >/tmp/both
cat /tmp/both
grep -q '^CPU: unknown' /tmp/both && fail "the head does not name the CPU"
grep -q 'Unknown' /tmp/both && fail "the head does not know an event or unit mask"
for event in $instructions $calls; do
	grep -q "^Counted $event events (.*) with a unit mask of .* count " /tmp/both ||
		fail "the head does not tell of $event"
done
awk '$NF == "heavy" && NF == 5 { found = 1 } END { exit !found }' /tmp/both ||
	fail "the report does not have two columns"

# Instructions: the shares of the functions are those of the histogram.  leaf() and caller()
# take turns every few instructions, so they are one: a period that is so large meets them out
# of step.
need opreport -l $hot event:"$instructions" >/tmp/report
whole=$(awk '$1 ~ /^[0-9]+$/ { n += $1 } END { print n + 0 }' /tmp/report)
exact=$(exact_count 10000000 11000000)
within "samples of $exact instructions / expected" \
	"$(awk -v n="$whole" -v exact="$exact" 'BEGIN { print n * 100003 / exact }')" 0.98 1.02
pmu symbols 0 1 /tmp/symbols >/tmp/symbol_counts
awk '{ n[$1 == "leaf" ? "caller" : $1] += $2 } END { for (name in n) print name, n[name] }' \
	/tmp/symbol_counts >/tmp/exact
while read -r name count; do
	samples_here=$(symbol_samples "$name")
	[ "$name" != caller ] || samples_here=$((samples_here + $(symbol_samples leaf)))
	share "$name" "$samples_here" "$whole" \
		"$(awk -v a="$count" -v b="$exact" 'BEGIN { printf "%.9f", a / b }')"
done </tmp/exact

# Calls: caller() and leaf() have nearly all of them, and heavy(), with most instructions, none.
need opreport -l $hot event:"$calls" >/tmp/report
whole=$(awk '$1 ~ /^[0-9]+$/ { n += $1 } END { print n + 0 }' /tmp/report)
if [ "$calls" = BR_INST_RETIRED ]; then
	enough "samples of calls" "$whole" 500
	within "share of the function that calls" "$(awk -v n="$(symbol_samples caller)" \
		-v m="$(symbol_samples leaf)" -v all="$whole" 'BEGIN { print (n + m) / all }')" 0.96 1
	within "samples of calls in heavy()" "$(symbol_samples heavy)" 0 $((whole / 100))
	# 3000 in a round, and a few more
	period=${second#*:} period=${period%%:*}
	within "calls / expected" "$(awk -v n="$whole" -v p="$period" -v r=$rounds \
		'BEGIN { print n * p / (3000 * r) }')" 0.98 1.05
else
	enough "samples of branches" "$whole" 500
fi
need opcontrol --deinit
