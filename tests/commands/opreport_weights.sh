#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Reports of sessions whose samples stand for different numbers of events

# Two samples of heavy code and eight of light code: 3 of 4 events are in the heavy one.
frequency()
{
	images
	session <<-EOF
		cpu_type i386/core_2
		image prog CYCLES.0.0.all.all.all
		0x1010 2, 0x1030 8
		arcs prog prog CYCLES.0.0.all.all.all
		0x1030>0x1010 2, 0x1010>0x1030 8
		ctr_count 1000
		file weights/{root}@DIR@/prog/{dep}/{root}@DIR@/prog/CYCLES.0.0.all.all.all
		0x1010 6000, 0x1030 2000
		file weights/{root}@DIR@/prog/{dep}/{root}@DIR@/prog/{cg}/{root}@DIR@/prog/CYCLES.0.0.all.all.all
		0x101000001030 2000, 0x103000001010 6000
	EOF
}

# A period of 1000, which was doubled for two samples.
doubled()
{
	images
	session <<-EOF
		cpu_type i386/core_2
		image prog CYCLES.1000.0.all.all.all
		0x1010 2, 0x1030 2
		file weights/{root}@DIR@/prog/{dep}/{root}@DIR@/prog/CYCLES.1000.0.all.all.all
		0x1010 2000
	EOF
}

requirement shares_are_of_events
frequency
reports <<-EOF
	-t 0
	-l
	-l -a
	-l -t 50
	-d -n
	-c
	--csv -l
	--json -l
EOF
both try opannotate --assembly --session-dir="$DIR"

requirement weights_are_added_to_the_period
doubled
reports <<-EOF
	-l
	--csv
EOF

# Samples without weights, of an event without a period, weigh the same.
requirement sessions_without_weights_have_shares_of_samples
frequency
rm -r samples/current/weights
reports <<-EOF
	-l
EOF

# One event in two sessions, one of which is from before there were weights.
requirement a_session_without_weights_makes_all_samples_weigh_the_same
frequency
session --name=old <<-EOF
	cpu_type i386/core_2
	image prog CYCLES.0.0.all.all.all
	0x1010 1
EOF
report -l session:current,old

requirement damaged_weights_are_reported
frequency
echo rubbish >"samples/current/weights/{root}$DIR/prog/{dep}/{root}$DIR/prog/CYCLES.0.0.all.all.all"
report -l
