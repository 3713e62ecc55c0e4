#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: code that runs with interrupts off has each of its samples under nmi_timer, and none
# covers: under timer; symbols of a module
# limit: 120
# check: 6.1 6.12 7.2 6.1-kcsan 6.1-rt

# shellcheck source=../guest/case.sh
. /vm/case.sh

need insmod /vm/modules/irqs_off.ko
trap 'rmmod irqs_off' EXIT

received() { cat /dev/oprofile/stats/cpu*/sample_received | awk '{ n += $1 } END { print n }'; }

# The load, 2 s off and 2 s on, until there are samples enough: times (ns) and NMIs into off and on.
work()
{
	off=0 on=0 off_nmis=0 on_nmis=0
	for _ in 1 2 3 4 5 6; do
		echo "100 100 20" >/proc/irqs_off || fail "the load did not run"
		read -r _ ns nmis _ more_ns more_nmis </proc/irqs_off
		off=$((off + ns)) off_nmis=$((off_nmis + nmis))
		on=$((on + more_ns)) on_nmis=$((on_nmis + more_nmis))
		[ "$(received)" -lt 2000 ] || break
	done
}

ratio() { awk -v a="$1" -v b="$2" -v c="$3" -v d="$4" 'BEGIN { print a / b / (c / d) }'; }

# Which samples are whose is exact.  How many come in which time is the host's affair: it lets the
# sender's CPU run, or the other, or handlers of interrupts, which have a part of the time with
# interrupts on.  A backend that does not see code with interrupts off has none there at all.
for backend in nmi_timer timer; do
	profile_begin --backend $backend
	work
	profile_end
	report
	off_samples=$(symbol_samples irqs_off_spin)
	on_samples=$(symbol_samples irqs_on_spin)
	echo "$backend: $off_samples samples in $off ns off, $on_samples in $on ns on"
	enough "$backend: samples with interrupts on" "$on_samples" 200
	if [ $backend = nmi_timer ]; then
		lost=$(lost)
		within "$backend: samples with interrupts off" "$off_samples" \
			$((off_nmis - lost)) "$off_nmis"
		# Before the other CPU has been called, its own timer samples: a twentieth at most.
		within "$backend: samples with interrupts on" "$on_samples" \
			$((on_nmis - lost)) $((on_nmis + on_nmis / 20))
		within "$backend: rate off / rate on" \
			"$(ratio "$off_samples" "$off" "$on_samples" "$on")" 0.25 4
	else
		same "$backend: NMIs" $((off_nmis + on_nmis)) 0
		same "$backend: samples with interrupts off" "$off_samples" 0
	fi
	need opcontrol --deinit
	rm -rf $session
done
