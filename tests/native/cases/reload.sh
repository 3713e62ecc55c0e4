#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: libraries that are opened, busy and closed in turn at one address, and code that
# covers: another thread unmaps and replaces right after it ran: each has its own samples

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

library_shares()
{
	workload=$1
	sample --freq=4000 "$workloads/$workload" 200 5 "$workloads"/libreload?.so \
		>"$scratch/truth"
	report
	same "$workload: samples in code that never runs" "$(symbol_samples pad_never_run)" 0
	all=$(symbol_samples reload_spin)
	enough "$workload: samples in the libraries" "$all"
	grep '^/.*so [0-9]' "$scratch/truth" >"$scratch/libraries"
	same "libraries told of" "$(wc -l <"$scratch/libraries")" 4
	while read -r library seconds; do
		near "$library, busy for $seconds s," "$(symbol_samples reload_spin "$library")" \
			"$all" 0.25
	done <"$scratch/libraries"
	within "$workload: lost of 1000" $((1000 * $(lost) / (all + 1))) 0 10
}

twice library_shares reload
twice library_shares remap
