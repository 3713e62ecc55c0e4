#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opcontrol: events that the catalogue does not have, but libpfm4 has of this CPU type
. "$COMMANDS/driver.sh"

requirement events_of_libpfm4_are_counted
machine '0 1 2 3'
try opcontrol --start -e RETIRED:6000 -e DATA_CACHE_MISSES:6000
journal | grep -e --events
counters 0 1

# L1_MISS+L3_HIT is taken by opcontrol, though these are no flags.
requirement reports_know_unit_masks_that_libpfm4_joins
export OPROFILE_EVENTS_DIR="$TOP/events"
for mask in 8 12 256; do
	rm -rf samples
	session <<-EOF
		cpu_type i386/tigerlake
		image {kern}/no-vmlinux MEM_LOAD_RETIRED.6000.$mask.all.all.all
		0x10 1
	EOF
	opreport --session-dir="$DIR" | sed -n 's/.* with a unit mask of //p'
done
