#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport --format: dcpicat, dcpiprof, and the others by name

two_events()
{
	images
	session <<-EOF
		cpu_type 94
		image prog CPU_CLK_UNHALTED.100000.0.all.all.all
		0x1010 60, 0x1014 3, 0x1030 7
		image prog LLC_MISSES.6000.65.all.all.all
		0x1030 12
		image prog lib.so CPU_CLK_UNHALTED.100000.0.all.all.all
		0x1004 30
		image other lib.so LLC_MISSES.6000.65.all.all.all
		0x1004 8
	EOF
}

requirement dcpicat_lists_addresses
two_events
reports <<-EOF
	-n --format=dcpicat
	-n --format=dcpicat event:LLC_MISSES -x
	-n --format=dcpicat -i cold
EOF

requirement dcpicat_has_heads
two_events
of_session opreport --format=dcpicat |
	sed -E '/^(image|epoch) /s/[0-9a-f]{2,}$/ID/'

requirement dcpiprof_lists_shares
two_events
reports <<-EOF
	--format=dcpiprof
	--format=dcpiprof -l -n
	--format=dcpiprof -l -t 10 event:CPU_CLK_UNHALTED
EOF

requirement losses_go_to_stderr
images
session <<-EOF
	image prog TIMER
	0x1010 60
	stat total_samples 1000
	stat lost_no_mapping 3
EOF
report -n --format=dcpicat prog -x

requirement wrong_options_are_refused
two_events
reports <<-EOF
	--format=dcpi
	--format=dcpicat -X
	--format=dcpicat -c
	--format=dcpiprof -l -w
	--format=dcpiprof -a -l
	--format=dcpiprof { } { }
EOF

# One option for all of them: what --csv says, --format=csv says, too.
requirement format_names_equal_the_flags
two_events
for format in csv json xml; do
	opreport --session-dir="$DIR" -l --$format | sed "s/ --$format/ FORMAT/" >by_flag
	opreport --session-dir="$DIR" -l --format=$format | sed "s/ --format=$format/ FORMAT/" >by_name
	check test -s by_flag
	check cmp by_flag by_name
done
