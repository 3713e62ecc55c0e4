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

# Recursion, mutual recursion, and the kernel.  The {cg} file is not read.
stacks()
{
	images
	session <<-EOF
		image prog TIMER
		0x1012 10, 0x1032 4
		image prog lib.so TIMER
		0x1000 2
		image prog {kern}/no-vmlinux TIMER
		0x400 6
		arcs prog prog TIMER
		0x1010>0x1010 99
		stacks prog TIMER
		stack 10 prog+0x1012 prog+0x1015 prog+0x1015 prog+0x1015 prog+0x1005
		stack 4 prog+0x1032 prog+0x1015 prog+0x1035 prog+0x1015
		stack 6 {kern}/no-vmlinux+0x400 prog+0x1018 prog+0x1005
	EOF
}

requirement each_sample_counts_once_for_each_call_in_its_stack
stacks
reports <<-EOF
	-c
	-c -n -%
	-c -n -i cold
	-c -n -x
	-c -n -m lib
	-c -n lib-image:*no-vmlinux
	-c --format=csv
	-c --format=json
EOF

# The threshold leaves out lines, and the others keep their percentages.
requirement threshold_changes_no_percentages
stacks
reports <<-EOF
	-c -n -t 30
	-c -n -t 60
EOF

requirement documents_have_the_arcs_of_the_text_at_each_threshold
stacks
reports <<-EOF
	-c -n -t 30 --csv
	-c -n -t 60 --csv
EOF
opreport --session-dir="$DIR" -c -t 60 -X | grep -o -e '<symbol idref="[0-9]*">' -e 'self="1"' \
	-e '<callers>' -e '<callees>' -e '</call[a-z]*>' -e '<symboldata id="[0-9]*" name="[a-z_]*"' |
	tr '\n' ' '
echo

# Weights of stacks are in units of their event.
requirement stacks_have_weights
images
session <<-EOF
	image prog CYCLES.1000.0.all.all.all
	0x1012 10, 0x1032 10
	stacks prog CYCLES.1000.0.all.all.all
	stack 10 prog+0x1012 prog+0x1005
	stack 10 prog+0x1032 prog+0x1005
	weights
	ctr_count 1024
	image prog CYCLES.1000.0.all.all.all
	0x1012 1000
	stacks prog CYCLES.1000.0.all.all.all
	stack 1000 prog+0x1012 prog+0x1005
EOF
report -c -n

# A session with stack files, one with {cg} files, and one whose stack file is damaged.
requirement sessions_may_have_stacks_or_arcs
stacks
session --name=old <<-EOF
	image prog TIMER
	0x1012 5
	arcs prog prog TIMER
	0x1005>0x1012 5
EOF
report -c -n session:current,old
echo no stack file >"samples/current/stacks/{root}$DIR/prog/TIMER.0.0.all.all.all"
of_session opreport -c -n session:current,old

requirement stacks_have_columns
images
session <<-EOF
	image prog TIMER.0.0.all.all.0
	0x1012 60
	image prog TIMER.0.0.all.all.1
	0x1012 40
	stacks prog TIMER.0.0.all.all.0
	stack 60 prog+0x1012 prog+0x1035
	stacks prog TIMER.0.0.all.all.1
	stack 30 prog+0x1012 prog+0x1035
EOF
reports <<-EOF
	-c -n
	-c -n -m cpu
	-c -n cpu:1
EOF

requirement callgraph_and_details_are_refused
arcs
report -c -d
