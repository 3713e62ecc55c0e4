#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: differences of two profiles

two_processors()
{
	images
	session <<-EOF
		image prog TIMER.0.0.all.all.0
		0x1010 50, 0x1030 40, 0x1000 10
		image prog TIMER.0.0.all.all.1
		0x1010 150, 0x1030 40
		image prog lib.so TIMER.0.0.all.all.1
		0x1000 10
	EOF
}

requirement difference_shows_growth_and_new_symbols
two_processors
reports <<-EOF
	-l -m cpu { cpu:0 } { cpu:1 }
	-l -n -m cpu { cpu:1 } { cpu:0 }
	-m cpu { cpu:0 } { cpu:1 }
	-l -n -m cpu -t 30 { cpu:0 } { cpu:1 }
	-l -n -r -m cpu { cpu:0 } { cpu:1 }
	-l -n -m cpu image:*prog { cpu:0 } { cpu:1 }
	-l -n -m cpu {} {}
	-l -n -m cpu -i hot { cpu:0 } { cpu:1 }
EOF

requirement wrong_differences_are_refused
two_processors
reports <<-EOF
	-l { cpu:0 }
	-l { cpu:0 { cpu:1 }
	-l } {
	-l { cpu:0 } { cpu:1
	-l {} {} {}
	-l {} { cpu:1 }
	-c {} {}
	-X {} {}
	-l -g {} {}
	-l { cpu:0 } { cpu:0,1 }
	-l { cpu:0 } { cpu:7 }
EOF
