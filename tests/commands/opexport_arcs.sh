#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opexport --to=oprofile: the {cg} files are of the arcs of stacks, if there are any.

# Writes the keys of the {cg} files, and a reader's sums by the facts of the format.
exported()
{
	rm -rf tree
	opexport --session-dir="$DIR" --to=oprofile --output=tree
	python3 "$COMMANDS/original_tree.py" 1.4 tree
	find tree -path '*{cg}*' -type f | sort | while read -r file; do
		opdb dump "$file"
	done
}

# A session with these call graphs.
with_calls()
{
	images
	session <<-EOF
		cpu_type i386/core_2
		ctr_event 0x3c
		ctr_count 1000
		image prog CYCLES.1000.0.70.71.all
		0x1010 10, 0x1020 7
		image prog lib.so CYCLES.1000.0.70.71.all
		0x2010 5
		is_kernel 1
		image prog {kern}/kallsyms CYCLES.1000.0.70.71.all
		0x120 6
		is_kernel 0
		$(cat)
	EOF
	write samples/current/modules <<-EOF
		kallsyms ffffffff81000000 1000000 -
	EOF
	write samples/current/kallsyms <<-EOF
		ffffffff81000000 T _stext
		ffffffff81000100 T do_work
	EOF
}

# A recursive function, an entry of the kernel, and a chain that was cut.  The {cg} file beside stacks
# is not read.
requirement arcs_of_stacks_are_those_of_cg_files_packed_or_not
with_calls <<-EOF
	arcs prog prog CYCLES.1000.0.70.71.all
	0x1020>0x1010 18, 0x1010>0x1020 8, 0x1030>0x1020 17
	arcs prog prog lib.so CYCLES.1000.0.70.71.all
	0x1030>0x2010 5
	is_kernel 1
	cg_to_is_kernel 1
	arcs prog {kern}/kallsyms {kern}/kallsyms CYCLES.1000.0.70.71.all
	0x200>0x120 6
EOF
exported >cg.txt
cat cg.txt
rm -rf samples
with_calls <<-EOF
	arcs prog prog CYCLES.1000.0.70.71.all
	0x1>0x1 99
	stacks prog CYCLES.1000.0.70.71.all
	stack 8 prog+0x1010 prog+0x1020 prog+0x1010 prog+0x1020 prog+0x1030
	stack 2 prog+0x1010 prog+0x1020
	stack 5 lib.so+0x2010 prog+0x1030
	stack 6 {kern}/kallsyms+0x120 {kern}/kallsyms+0x200 prog+0x1030
	stack 9 {kern}/{other}+0 prog+0x1020 prog+0x1030
EOF
exported >stacks.txt
diff cg.txt stacks.txt

make_session --pack "$DIR"
exported >packed.txt
diff cg.txt packed.txt
