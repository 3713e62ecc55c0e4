#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: the emulated local APIC masks LVTPC when it delivers the counters' interrupt, and
# covers: loses what comes while it is masked; on AMD's it is not masked; each overflow in the
# covers: kernel is sampled where it happens; the histogram of the kernel is exact
# pmu: model=nehalem@6.1 model=nehalem,lvtpc=keep@6.12
# sanitised: it proves the emulated counters, with a module of its own, to the instruction

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

overflows=100 period=10007
parameters=/sys/module/pmu_lvtpc/parameters
turns=$((period * overflows / 2))

slow_handlers() { dmesg | grep -c 'pmu_lvtpc.* took too long to run'; }

# sample UNMASK - returns the module's numbers in $samples and $elsewhere, of $masked lost ones
sample()
{
	masked=$(pmu statistics | awk '{ print $4 }') logged=$(slow_handlers)
	pmu snapshot 0
	need insmod /vm/modules/pmu_lvtpc.ko unmask="$1" period=$period overflows=$overflows
	pmu snapshot 1
	samples=$(cat $parameters/samples) elsewhere=$(cat $parameters/elsewhere)
	masked=$(($(pmu statistics | awk '{ print $4 }') - masked))
	logged=$(($(slow_handlers) - logged))
	begin=$(cat /sys/module/pmu_lvtpc/sections/.text.pmu_loop)
	looped=$(exact_count "$begin" +40)
	begin=$(cat /sys/module/pmu_lvtpc/sections/.text.pmu_device)
	device_looped=$(exact_count "$begin" +40)
	need rmmod pmu_lvtpc
	echo "unmask $1: $samples samples, $elsewhere of them elsewhere, $masked lost to the mask," \
		"$looped instructions in the loop"
}

# The loops are turns of two and three instructions, set up and returned from by a few.
check_loops()
{
	within "instructions in the loop" "$looped" $((2 * turns)) $((2 * turns + 8))
	within "instructions in the loop with a device" "$device_looped" 3000 3012
}

# The kernel counts its own handler, too: there are some samples more than the loop has periods.  On
# a slow host it also logs that the handler took long, which takes up to a period.
all_samples()
{
	within "samples" "$samples" $overflows $((overflows * 12 / 10))
	within "samples in the loop" $((samples - elsewhere)) $((overflows - 1)) \
		$((overflows + 1 + logged))
	same "lost ones" "$masked" 0
}

sample 1
check_loops
all_samples
sample 0
check_loops
if pmu identify | grep -q 'lvtpc mask'; then
	same "samples without unmasking" "$samples" 1
	# its handler had set the counter again, which overflowed once more
	same "lost ones" "$masked" 1
else
	all_samples
fi
