#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport --symbols: what names have which samples, and the options of lists

# The program alone: which symbol has which samples, how columns look.
requirement symbols_have_the_samples_of_their_addresses
images
session <<-EOF
	image prog TIMER
	0x1004 1, 0x1010 600, 0x102f 200, 0x1030 90, 0x104f 100, 0x1050 5, 0x2010 4
EOF
reports <<-EOF

	-f
	-n
	-l
	-l -n
	-l -w
	-l -g
	-l -g -f
	-l -a
	-l -r
	-l -t 9
	-l -D none -i _Z3addii
	-l -i hot
	-l -e hot,cold
	-l -s symbol
	-l -s vma
	-l -n -s sample,vma -D smart
	-l -g -s debug
	-d
	-d -g -a -%
	-d -n -t 10
EOF
