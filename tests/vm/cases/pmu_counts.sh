#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: two and four events at once each have their own exact count; those of programs alone
# covers: have no samples of the kernel
# covers: event, unit mask, further bits and privilege levels reach the counter's register bit
# covers: for bit, and nothing but what is allowed
# pmu: model=nehalem@6.1 model=k8@7.2
# limit: 300
# check: 6.1 7.2 6.1-kasan 6.1-kcsan

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

fs=/dev/oprofile
rounds=300
cpus=$(nproc)
all_cpus=$(seq 0 $((cpus - 1)))
need modprobe msr
need opcontrol --init --backend x86
unlimited

# register MSR CPU-TO-BE - is it that on each CPU?
register()
{
	for cpu in $all_cpus; do
		same "register $1 of CPU $cpu, $line" "$(pmu msr "$cpu" "$1")" "$2"
	done
}

# start_counter NUMBER EVENT UNIT-MASK EXTRA KERNEL USER
start_counter()
{
	for entry in event:"$2" unit_mask:"$3" extra:"$4" kernel:"$5" user:"$6" enabled:1 \
			count:2000000000; do
		need write "${entry#*:}" "$fs/$1/${entry%%:*}"
	done
	exec 5<$fs/buffer
	need write 1 $fs/enable
}

stop_counter()
{
	need write 0 $fs/enable
	exec 5<&-
	need write 0 "$fs/$1/enabled"
}

# "EVENT UNIT-MASK EXTRA KERNEL USER EVENT-SELECT": enabled and with interrupt is 0x500000
case $(cat $fs/cpu_type) in
i386/core_i7)
	instructions=INST_RETIRED unit_mask=0x01 branches=BR_INST_RETIRED
	four="BR_INST_RETIRED:3001:0x01:0:1" third="BR_INST_RETIRED.3001"
	select=187 forbidden="0x10000 0x100000 0x400000 0x80000 0x100000000"
	cat >/tmp/table <<-END
		0xc0 0x00 0 0 1 5100c0
		0xc0 0x01 0 1 0 5201c0
		0x3c 0xff 0 1 1 53ff3c
		0xff 0xa5 0x40000 1 1 57a5ff
		0xc4 0x00 0x800000 1 1 d300c4
		0xc4 0x04 0x05000000 1 1 55304c4
		0xc4 0x04 0xff840000 0 1 ffd504c4
		0xc0 0x01 0x200000 1 1 7301c0
		0xc0 0x01 0xffa40000 1 1 fff701c0
	END
	;;
x86-64/hammer)
	instructions=RETIRED_INSTRUCTIONS unit_mask=0 branches=RETIRED_BRANCH_INSTRUCTIONS
	four="CPU_CLK_UNHALTED:20011:0:0:1" third="CPU_CLK_UNHALTED.20011"
	select=c0010001 forbidden="0x10000 0x100000 0x400000 0x200000 0x80000 0x100000000"
	cat >/tmp/table <<-END
		0xc0 0x00 0 0 1 5100c0
		0x76 0x00 0 1 0 520076
		0x1c0 0x3f 0 1 1 100533fc0
		0xfff 0xff 0xff840000 1 1 fffd7ffff
		0x41 0xa5 0x40000 1 1 57a541
	END
	;;
*) fail "the CPU is none of those that this case knows: $(cat $fs/cpu_type)" ;;
esac
for cpu in $all_cpus; do
	pmu msr "$cpu" "$select" 0 >/dev/null # another case may have left what it likes there
done
while read -r line; do
	# shellcheck disable=SC2086
	set -- $line
	start_counter 1 "$1" "$2" "$3" "$4" "$5"
	register "$select" "$6"
	stop_counter 1
	register "$select" 0
done </tmp/table
for bits in $forbidden; do
	refuse "Invalid argument" write "$bits" $fs/1/extra
done
if [ "$select" = 187 ]; then
	line="fixed counter 0, of programs"
	start_counter 4 0xc0 0 0 0 1
	register 38d a
	register 38f 100000000
	stop_counter 4
	line="fixed counter 1, of all"
	start_counter 5 0x3c 0 0 1 1
	register 38d b0
	stop_counter 5
fi
need opcontrol --deinit # the entries are as they were at first again
need opcontrol --init --backend x86
unlimited

# total RING QUANTITY... - of all CPUs
total()
{
	awk -v ring="$1" -v wanted=" $2 " '$1 == ring {
		for (i = 2; i < NF; i += 2)
			if (wanted == " all " || index(wanted, " " $i " "))
				sum += $(i + 1)
		print sum
	}' /tmp/totals
}

# counted NAME.COUNT TOTAL - is there a sample each period, but for each CPU's unfinished one?
counted()
{
	n=$(event_samples "$1") period=${1#*.}
	within "samples of $1, of $2" "$n" $(($2 / period - 2 * cpus)) $(($2 / period + cpus))
	# a sample is of the instruction after the one that was counted, in the kernel now and then
	expected=$((n * $(total user far) / $(total user instructions)))
	within "samples of $1 in the kernel" "$(event_samples "$1" "{kern}")" 0 $((3 * expected + 10))
}

branch_kinds="jumps conditionals calls returns far"
pair="--event=$instructions:10007:$unit_mask:0:1 --event=$branches:5003:0:0:1"
for events in "$pair" "$pair --event=$four --event=$instructions:10009:$unit_mask:1:0"; do
	# shellcheck disable=SC2086
	need opcontrol $events --separate=none
	profile_exactly $hot $rounds
	pmu totals 0 1 >/tmp/totals
	cat /tmp/totals
	counted "$instructions.10007" "$(total user instructions)"
	counted "$branches.5003" "$(total user "$branch_kinds")"
	if [ "$events" != "$pair" ]; then
		third_total=$(total user instructions)
		[ "$select" != 187 ] || third_total=$(total user conditionals)
		counted "$third" "$third_total"
		# What an NMI executes before and after its handler stops the counters is counted,
		# and on CPUs that can't stop them all of it; so is what starts and stops us.
		# Sanitisers add to it (KCSAN: 2504 a sample).
		unseen=2500
		! sanitised || unseen=3000
		n=$(event_samples "$instructions.10009") all=$(total kernel instructions)
		within "samples of the kernel" "$n" \
			$(((all - unseen * $(stored)) / 10009)) $((all * 11 / 100090 + 100))
	fi
	rm -rf "$session"
done
need opcontrol --deinit
