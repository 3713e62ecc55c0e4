#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: multiplexed events

# counted EVENT ENABLED RUNNING
counted()
{
	mkdir -p "samples/current/stats/events/$1"
	echo "$2" >"samples/current/stats/events/$1/enabled_ns"
	echo "$3" >"samples/current/stats/events/$1/running_ns"
}

# Of two events, one was counted a third of the time, and one all the time.
multiplexed()
{
	images
	session <<-EOF
		cpu_type i386/core_2
		image prog LOADS.500.65.all.all.all
		0x1010 10, 0x1030 1
		image prog LOADS.501.65.all.all.all
		0x1010 7
		arcs prog prog LOADS.500.65.all.all.all
		0x1030>0x1010 4
	EOF
	counted LOADS.500.65 3000 1000
	counted LOADS.501.65 3000 3000
}

requirement counts_are_scaled
multiplexed
reports <<-EOF
	event:LOADS count:500
	-l -n event:LOADS count:500
	-d -n count:500
	-l -n --unscaled count:500
	--unscaled count:500
	-l -n
	--csv
	--csv --unscaled
	-c -n count:500
EOF

# Times that are missing or impossible, or say that nothing was counted.
requirement wrong_times_change_nothing
multiplexed
wrong()
{
	counted LOADS.500.65 "$1" "${2-}"
	report -l -n count:500
}
each wrong <<-EOF
	3000 0
	0 0
	1000 3000
	x 1000
	3000
	-3000 1000
	99999999999999999999999999999 1
EOF

requirement counts_do_not_wrap
images
session <<-EOF
	image prog LOADS.500.65.all.all.all
	0x1010 4000000000
EOF
counted LOADS.500.65 18446744073709551615 1
report -l -n count:500

# Ten thousand samples at as many addresses, times 1.25: what is rounded goes to the next.
requirement sums_are_right_to_one_sample
images
{
	echo 'image prog LOADS.500.65.all.all.all'
	seq 1048576 1058575 | sed 's/$/ 1/'
} | session
counted LOADS.500.65 1250 1000
reports <<-EOF
	-n count:500
	-l -n count:500
EOF
