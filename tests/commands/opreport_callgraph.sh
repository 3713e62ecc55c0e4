#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport --callgraph. Arcs between prog (_start, hot, cold) and lib.so (lib_work)

arcs()
{
	images
	session <<-EOF
		image prog TIMER
		0x1010 60, 0x1030 10
		image prog lib.so TIMER
		0x1000 30
		arcs prog prog TIMER
		0x1000>0x1014 25, 0x1004>0x1018 5, 0x1034>0x1010 10, 0x1010>0x1010 7
		arcs prog lib.so TIMER
		0x1010>0x1008 20
	EOF
}

requirement callgraph_shows_callers_and_callees
arcs
reports <<-EOF
	-c
	-c -n -%
	-c -n -t 20
	-c -n -r
	-c -n -i cold
	-c -n -x
	-c -n -m lib
	-c -n -a -g -w -i hot
	-c -n lib-image:*lib.so
	-c -n image-exclude:*lib.so
	-l -n
EOF

# What has no symbols has arcs all the same; those of its first address, too.
requirement images_without_symbols_have_arcs
images
cp prog bare
strip -s bare
session <<-EOF
	image prog bare TIMER
	0x1040 8
	image prog {kern}/no-vmlinux TIMER
	0x400 4
	arcs prog bare TIMER
	0x1010>0x0 3
	arcs prog bare {kern}/no-vmlinux TIMER
	0x0>0x0 2
	arcs prog {kern}/no-vmlinux {kern}/no-vmlinux TIMER
	0x500>0x400 1
EOF
report -c -n

# Libraries that are not separated are applications of their own.
requirement libraries_without_separation_are_applications
images
session <<-EOF
	image prog TIMER
	0x1010 60
	image lib.so TIMER
	0x1000 30
	arcs prog lib.so TIMER
	0x1010>0x1008 20
EOF
report -c -n

requirement arcs_have_columns
images
session <<-EOF
	image prog TIMER.0.0.all.all.0
	0x1010 60
	image prog TIMER.0.0.all.all.1
	0x1010 40
	arcs prog prog TIMER.0.0.all.all.0
	0x1030>0x1010 5
	arcs prog prog TIMER.0.0.all.all.1
	0x1030>0x1010 6
EOF
reports <<-EOF
	-c
	-c -n -m cpu
	-c -n cpu:1
EOF

# A call graph file that was cut costs its arcs and nothing else.
requirement cut_arcs_cost_only_themselves
arcs
file="samples/current/{root}$DIR/prog/{dep}/{root}$DIR/prog/{cg}/{root}$DIR/prog/TIMER.0.0.all.all.all"
: >last
for length in $(seq 2600 -97 0); do
	truncate -s "$length" "$file"
	of_session opreport -c -n | sed 's/has [0-9]*$/has N/' >report
	cmp -s report last || cat report # each report that is not as the one before
	cp report last
done

# Whatever a call graph file says, the samples of the others stay.
requirement scrambled_arcs_leave_other_samples
arcs
for at in $(seq 0 4 240); do
	printf '\%03o' $((at * 37 % 256)) |
		dd of="$file" bs=1 seek="$at" conv=notrunc status=none
	opreport --session-dir="$DIR" -c -n >out 2>err
	check grep -q '^60 *60.0000  prog' out
	opreport --session-dir="$DIR" -X -c >out 2>err
	check grep -q '<count>60</count>' out
done

requirement callgraph_and_details_are_refused
arcs
report -c -d
