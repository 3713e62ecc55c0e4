#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: sessions whose samples stand for different numbers of events

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
frequency 1
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
for when in auto always never; do
	try opannotate --assembly --show-events=$when --session-dir="$DIR" >annotated
	grep -e '^\$' -e 'Before each' -e '[0-9] :' -e total annotated
done

requirement documents_have_samples_and_events
frequency 1
opreport --session-dir="$DIR" -X | grep -e '<count' -e '<?opreport-note '
opreport --session-dir="$DIR" --json -c | grep inclusive
opreport --session-dir="$DIR" --csv -l

# clocked EVENT SAMPLES WEIGHT - samples of an event without a period, with this weight in all
clocked()
{
	rm -rf samples
	session <<-EOF
		image prog $1.0.0.all.all.all
		0x1010 $2
		ctr_count 1000000
		file weights/{root}@DIR@/prog/{dep}/{root}@DIR@/prog/$1.0.0.all.all.all
		0x1010 $3
	EOF
	echo "$1"
	opreport --session-dir="$DIR" -l | grep -A 1 ^samples
}

# The weight of an entry has 32 bits, in units of a million here.
requirement events_have_a_unit_that_leaves_four_digits
images
each clocked <<-EOF
	cycles 7 1
	cycles 7 999
	cycles 7 1000
	cycles 7 1234567
	cycles 7 4294967295
	cpu-clock 7 1
	task-clock 7 12345
	cpu-clock 7 1234567
	a_name_that_is_longer_than_others 7 12345
EOF

requirement event_columns_are_chosen
doubled
reports <<-EOF
	-l --show-events=always
	-l -n --show-events=always
	-l -n --show-events=auto
	-l --show-events=never
	--show-events=sometimes
	--csv --show-events=always
EOF

# Each sample stands for its period.
requirement equal_weights_have_no_column_unless_asked_for
images
session <<-EOF
	cpu_type i386/core_2
	image prog CYCLES.1000.0.all.all.all
	0x1010 2, 0x1030 2
	image prog INST.2000.0.all.all.all
	0x1010 1
EOF
reports <<-EOF
	-n -l
	-l --show-events=always -n
	--show-events=always
EOF
report -l -n --show-events=always '{' '}' '{' '}'

requirement weights_are_added_to_the_period
doubled
reports <<-EOF
	-l
	--csv
EOF

# Samples without weights, of an event without a period, weigh the same.
requirement sessions_without_weights_have_shares_of_samples
frequency 1
rm -r samples/current/weights
reports <<-EOF
	-l
EOF

# One event in two sessions, one of which is from before there were weights.
requirement a_session_without_weights_makes_all_samples_weigh_the_same
frequency 1
session --name=old <<-EOF
	cpu_type i386/core_2
	image prog CYCLES.0.0.all.all.all
	0x1010 1
EOF
report -l session:current,old

requirement damaged_weights_are_reported
frequency 1
echo rubbish >"samples/current/weights/{root}$DIR/prog/{dep}/{root}$DIR/prog/CYCLES.0.0.all.all.all"
report -l
