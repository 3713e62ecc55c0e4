#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport --children, --tree and --inverted, from whole stacks: recursion, mutual recursion, the
# kernel, and samples that have no stack.  The {cg} file is not read.

stacks()
{
	images
	session <<-EOF
		image prog TIMER
		0x1012 10, 0x1032 9
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
		stack 2 lib.so+0x1000 prog+0x1035 prog+0x1015
	EOF
}

requirement inclusive_counts_a_sample_once_for_each_function_of_its_stack
stacks
reports <<-EOF
	--children
	--children -n
	--children -n -t 40
	--children -n -a -g -w
	--children -n -r
	--children -n -s sample
	--children -n -i cold
	--children -n -x
	--children -n -m lib
	--children -n -f lib-image:*no-vmlinux
	--no-children -n
EOF

requirement lines_are_listed_by_their_own_samples_with_inclusive_ones_beside
stacks
reports <<-EOF
	--lines
	--lines -n --children
	--lines -n -t 20 -i hot
	--lines -n -f -w -a
	--lines --csv
	--lines -X
	--lines -c
	--lines -d
	--lines --inline
	--lines {} {}
EOF
opreport --session-dir="$DIR" --lines --json | grep '"line"'
columns=60 shown PAGER= opreport --color=never --lines

requirement the_first_look_has_the_hottest_functions_and_lines
stacks
reports <<-EOF
	--hottest
	--hottest -n
	--hottest -i cold
	--hottest --symbols
	--hottest --csv
	--hottest { } { }
EOF
columns=60 shown PAGER= opreport --color=never --hottest
rm -rf "$DIR/samples"
images
session <<-EOF
	image prog {kern}/no-vmlinux TIMER
	0x400 6
EOF
reports <<-EOF
	--hottest -n
EOF

# An interpreter (hot) below two functions that it has made; those have no samples of their own.
requirement the_first_look_names_functions_that_were_made_at_run_time
images
interpreted="{anon:anon}/77.0x7f0000000000.0x7f0000010000"
session <<-EOF
	image prog TIMER
	0x1012 90, 0x1032 10
	stacks prog TIMER
	stack 60 prog+0x1012 $interpreted+0x110 prog+0x1015 $interpreted+0x210 prog+0x1005
	stack 30 prog+0x1012 $interpreted+0x210 prog+0x1005
	stack 10 prog+0x1032 prog+0x1005
EOF
mkdir -p jit
write jit/perf-77.map <<-EOF
	7f0000000100 100 py::Reader.read:/usr/lib/python3.13/long/reader.py
	7f0000000200 100 py::<module>:prog.py
EOF
reports <<-EOF
	--hottest --jit-dir $DIR/jit
	--hottest -n --jit-dir $DIR/jit
	--hottest
EOF

requirement on_a_terminal_lists_have_inclusive_samples_if_there_are_stacks
stacks
shown PAGER= opreport --color=never --symbols -n
shown PAGER= opreport --color=never --no-children -n
shown PAGER= opreport --color=never --verbose=all --symbols

requirement trees_show_whole_stacks_from_either_end
stacks
reports <<-EOF
	--tree
	--tree -n
	--tree -n -t 30
	--tree -n -f -m lib
	--tree -n -i cold
	--tree -n -x
	--tree -n lib-image:*no-vmlinux
	--inverted
	--inverted -n
	--inverted -n -t 30
	--inverted -n -e hot
EOF

requirement limits_say_what_they_leave_out
stacks
reports <<-EOF
	--tree -n --max-depth=1
	--tree -n --max-depth=2
	--tree -n --max-lines=1
	--tree -n --max-lines=5
	--tree -n --max-depth=2 --max-lines=3
	--inverted -n --max-depth=1
	--inverted -n --max-lines=4
	--tree -n --max-depth=0 --max-lines=0 -t 100
EOF

requirement sessions_without_whole_stacks_say_so
images
session <<-EOF
	image prog TIMER
	0x1010 60, 0x1030 40
	arcs prog prog TIMER
	0x1034>0x1010 10
EOF
reports <<-EOF
	--children
	--tree
	--inverted
	--no-children
EOF

requirement roots_name_their_application_if_there_are_more
stacks
session <<-EOF
	image other lib.so TIMER
	0x1000 3
EOF
reports <<-EOF
	--tree -n
	--inverted -n
	--children -n
EOF

requirement names_with_brackets_get_no_second_ones
images
session <<-EOF
	image prog {kern}/kallsyms TIMER
	0x400 6
	image prog {kern}/[bpf] TIMER
	0xffffffffc0200400 2
	stacks prog TIMER
	stack 6 {kern}/kallsyms+0x400 prog+0x1018 prog+0x1005
	stack 2 {kern}/[bpf]+0xffffffffc0200400 {kern}/kallsyms+0x400
EOF
write samples/current/kallsyms <<-EOF
	ffffffff81000000 T _stext
	ffffffff81000400 T run_filter
	ffffffffc0200400 t bpf_prog_1	[bpf]
EOF
reports <<-EOF
	--tree -n
	--inverted -n
EOF

requirement trees_have_columns_and_weights
images
session <<-EOF
	image prog CYCLES.1000.0.all.all.0
	0x1012 10, 0x1032 10
	stacks prog CYCLES.1000.0.all.all.0
	stack 10 prog+0x1012 prog+0x1005
	stack 10 prog+0x1032 prog+0x1005
	image prog CYCLES.1000.0.all.all.1
	0x1012 5
	stacks prog CYCLES.1000.0.all.all.1
	stack 5 prog+0x1012 prog+0x1035
	weights
	ctr_count 1024
	image prog CYCLES.1000.0.all.all.0
	0x1012 1000
	stacks prog CYCLES.1000.0.all.all.0
	stack 1000 prog+0x1012 prog+0x1005
EOF
reports <<-EOF
	--children -n
	--tree
	--tree -m cpu -n
	--inverted -t 50
EOF

requirement a_damaged_stack_file_costs_its_stacks_only
stacks
file="samples/current/stacks/{root}$DIR/prog/TIMER.0.0.all.all.all"
cp "$file" whole
: >last
for length in $(seq 0 97 "$(stat -c %s whole)"); do
	cp whole "$file"
	truncate -s "$length" "$file"
	opreport --session-dir="$DIR" --tree -n 2>/dev/null |
		awk '{ sum += $3 } END { print sum " samples" }' >report
	cmp -s report last || cat report
	cp report last
done

requirement contradictions_are_refused
stacks
each of_session opreport <<-EOF
	--children --tree
	--tree --inverted
	--children -c
	--children -d
	--tree --inline
	--tree --csv
	--children --json
	--children --format=dcpiprof
	--inverted -s sample
	--inverted -r
	--tree -a
	--tree -g
	--tree -w
	--tree --show-events=always
	--children --no-children
	--max-depth=3
	--children --max-lines=3
	--tree --max-depth=-1
	--tree { } { }
EOF

# The share of a pattern is that of samples with any of its functions in their call chain: of 27
# samples 22 have hot, 11 cold, 6 both, and 2 of cold lib_work, too.
requirement inclusive_limits_count_a_sample_once_for_all_functions_of_a_pattern
stacks
reports <<-EOF
	-n --fail-above=cold=40%:inclusive
	-n --fail-above=cold=41%:inclusive
	-n --fail-above=[ch]o*=0:inclusive --max-lines=1
	-n --fail-above=[cl]*=0:inclusive --max-lines=1
	-n --fail-above=lib_work=7%:self --fail-above=cold=30%:self --fail-above=_start=59%:inclusive
	-n -i lib_work --fail-above=cold=40%:inclusive
	-n -e cold --fail-above=cold=40%:inclusive
	--children -n --fail-above=cold=40%:inclusive
	--lines -n --fail-above=cold=40%:inclusive --fail-above=[ch]o*=0:inclusive
	-c -t 80 -n --fail-above=cold=40%:inclusive
	-n --fail-above=clod=5%:inclusive
	-n --fail-above=cold=5%:inclusiv
	-n --fail-above=cold=5%:
	-n --fail-above=cold=lots:inclusive
	-n --inline --fail-above=cold=5%:inclusive
	-n -d --fail-above=cold=5%:inclusive
EOF

requirement inclusive_limits_leave_the_report_as_it_is
stacks
for format in --csv --json --xml --symbols; do
	for share in self inclusive; do
		opreport --session-dir="$DIR" $format --fail-above=cold=50%:$share |
			sed "s/50%:$share/50%/" >$share
	done
	cmp self inclusive && echo "$format: $(grep -c cold inclusive) lines of cold"
done
of_session opreport --html=page.html --fail-above=cold=40%:inclusive

requirement inclusive_limits_without_call_chains_are_warned_of
images
session <<-EOF
	image prog TIMER
	0x1012 10, 0x1032 9
EOF
reports <<-EOF
	-n --fail-above=cold=50%:inclusive
	-n --fail-above=cold=40%:inclusive
EOF
