#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: code that runs with interrupts off has its true share under nmi_timer, and nearly
# covers: nothing under timer; symbols of a module
# limit: 120

# shellcheck source=../guest/case.sh
. /vm/case.sh

need insmod /vm/modules/irqs_off.ko
trap 'rmmod irqs_off' EXIT

received() { cat /dev/oprofile/stats/cpu*/sample_received | awk '{ n += $1 } END { print n }'; }

# The load, 2 s off and 2 s on, until there are samples enough, into off and on (ns).
work()
{
	off=0 on=0
	for _ in 1 2 3 4 5 6; do
		echo "100 100 20" >/proc/irqs_off || fail "the load did not run"
		read -r _ more_off _ more_on </proc/irqs_off
		off=$((off + more_off)) on=$((on + more_on))
		[ "$(received)" -lt 2000 ] || break
	done
}

ratio() { awk -v a="$1" -v b="$2" -v c="$3" -v d="$4" 'BEGIN { print a / b / (c / d) }'; }

for backend in nmi_timer timer; do
	profile_begin --backend $backend
	work
	profile_end
	report
	off_samples=$(symbol_samples irqs_off_spin)
	on_samples=$(symbol_samples irqs_on_spin)
	echo "$backend: $off_samples samples in $off ns off, $on_samples in $on ns on"
	enough "$backend: samples with interrupts on" "$on_samples" 200
	rate=$(ratio "$off_samples" "$off" "$on_samples" "$on")
	if [ $backend = nmi_timer ] && sanitised; then # whose own code has a share of the loops' time
		within "$backend: rate off / rate on" "$rate" 0.5 2
	elif [ $backend = nmi_timer ]; then
		within "$backend: rate off / rate on" "$rate" 0.75 1.33
	else
		within "$backend: rate off / rate on" "$rate" 0 0.05
	fi
	need opcontrol --deinit
	rm -rf $session
done
