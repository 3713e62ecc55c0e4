#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: code that another thread unmaps right after it ran, and replaces: the samples are
# covers: on the file that was there
# smp: 2@6.1,7.2 4@6.12

# shellcheck source=../guest/case.sh
. /vm/case.sh

unmapped_shares()
{
	profile_begin --backend nmi_timer --separate=lib
	need $workloads/remap 200 20 $workloads/libreload?.so >/tmp/truth
	profile_end
	report
	same "samples in code that never runs" "$(symbol_samples pad_never_run)" 0
	all=$(symbol_samples reload_spin)
	enough "samples in the files" "$all"
	within "samples in other code of the files" \
		$(($(line_samples $workloads/libreload) - all)) 0 $((all / 100))
	while read -r library seconds; do
		near "$library, busy for $seconds s," \
			"$(symbol_samples reload_spin "$library")" "$all" 0.25
	done </tmp/truth
	within "lost of 1000" $((1000 * $(lost) / (all + 1))) 0 10
	rm -rf $session
}

twice unmapped_shares
