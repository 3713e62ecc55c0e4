#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: code that runs with interrupts off has its true share under nmi_timer, and nearly
# covers: nothing under timer; symbols of a module
# limit: 90

# shellcheck source=../guest/case.sh
. /vm/case.sh

need insmod /vm/modules/irqs_off.ko
trap 'rmmod irqs_off' EXIT

for backend in nmi_timer timer; do
	profile_begin --backend $backend
	echo "100 100 20" >/proc/irqs_off || fail "the load did not run"
	profile_end
	read -r _ off _ on </proc/irqs_off
	report
	off_samples=$(symbol_samples irqs_off_spin)
	on_samples=$(symbol_samples irqs_on_spin)
	echo "$backend: $off_samples samples in $off ns off, $on_samples in $on ns on"
	enough "$backend: samples with interrupts on" "$on_samples"
	rate=$(awk -v s="$off_samples" -v ns="$off" 'BEGIN { print s / (ns / 1e9) }')
	on_rate=$(awk -v s="$on_samples" -v ns="$on" 'BEGIN { print s / (ns / 1e9) }')
	if [ $backend = nmi_timer ]; then
		within "$backend: rate off / rate on" \
			"$(awk -v a="$rate" -v b="$on_rate" 'BEGIN { print a / b }')" 0.8 1.25
	else
		within "$backend: rate off / rate on" \
			"$(awk -v a="$rate" -v b="$on_rate" 'BEGIN { print a / b }')" 0 0.05
	fi
	need opcontrol --deinit
	rm -rf $session
done
