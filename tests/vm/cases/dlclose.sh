#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: libraries that are opened, busy and closed in turn, at one address: each has its
# covers: own samples

# shellcheck source=../guest/case.sh
. /vm/case.sh

closed_shares()
{
	profile_begin --backend nmi_timer --separate=lib
	need $workloads/reload 200 20 $workloads/libreload?.so >/tmp/truth
	profile_end
	report
	same "samples in code that never runs" "$(symbol_samples pad_never_run)" 0
	all=$(symbol_samples reload_spin)
	enough "samples in the libraries" "$all"
	within "samples in other code of the libraries" \
		$(($(line_samples $workloads/libreload) - all)) 0 $((all / 100))
	while read -r library seconds; do
		near "$library, busy for $seconds s," \
			"$(symbol_samples reload_spin "$library")" "$all" 0.25
	done </tmp/truth
	within "lost of 1000" $((1000 * $(lost) / (all + 1))) 0 10
	rm -rf $session
}

twice closed_shares
