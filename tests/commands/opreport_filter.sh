#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport --include-symbols and --exclude-symbols: what a pattern matches, and what is said of one
# that matches nothing

functions()
{
	images
	session <<-EOF
		image prog TIMER
		0x1010 600, 0x1030 90, 0x1040 40, 0x1050 5
	EOF
}

requirement patterns_match_each_name_of_a_symbol
functions
report -l -n -i hot
report -l -n -i __hot_alias
report -l -n -i _Z3addii
report -l -n -i add
of_session opreport -l -n -i 'add(int, int)'
of_session opreport -l -n -i 'add(int, int),cold'
of_session opreport -l -n -D none -i 'add(int, int)'
report -l -n -i '*o[tl]*'
report -l -n -e '*o[tl]*'
report -l -n -e __hot_alias,add

# An empty report does not say that a name was misspelt.
requirement patterns_without_a_match_are_told
functions
report -l -n -i hott
report -l -n -i COLD
report -l -n -i ho
report -l -n -i nothing_like_it
report -l -n -i hot,cald
report -l -n -e cald
report -l -n -i 'x*'
report -l -n -i hot,
report -l -n -i 'hot(,cold'

requirement differences_need_a_match_in_one_of_two
functions
mv samples/current samples/old
session <<-EOF
	image prog TIMER
	0x1030 90
EOF
report -l -n -i hot "{" session:old "}" "{" session:current "}"
report -l -n -i hat "{" session:old "}" "{" session:current "}"

# Of a function that two versions of a library name, the name of the newest is shown.
requirement the_default_version_names_a_function
write names.s <<-EOF
	.globl old_free, new_free
	.type old_free, @function
	.type new_free, @function
	.symver old_free, cfree@OLD
	.symver new_free, free@@NEW
	old_free:
	new_free:
	.rept 16
	nop
	.endr
	.size old_free, 16
	.size new_free, 16
EOF
write names.map <<-EOF
	OLD { global: cfree; };
	NEW { global: free; local: *; };
EOF
gcc -shared -nostdlib -s -Wl,-Ttext=0x2000 -Wl,--version-script=names.map -o lib.so names.s
session <<-EOF
	image lib.so TIMER
	0x1004 7
EOF
report -l -n
report -l -n -i cfree

# For tests of programs: the report, and then the verdict.
requirement symbols_above_their_limit_are_exit_status_3
images
session <<-EOF
	image prog TIMER
	0x1010 600, 0x1030 90, 0x1040 40
	image lib.so TIMER
	0x1000 10
EOF
reports <<-EOF
	-n --fail-above=hot=82%
	-n --fail-above=hot=81
	-n --fail-above=cold=5% --fail-above=add=5% --fail-above=hot=99.5%
	-n -i cold --fail-above=hot=5%
	-n -e hot --fail-above=[ch]o*=5%
	-n -t 50% --fail-above=cold=5%
	-n -c --fail-above=cold=5%
	-n --children --fail-above=cold=5%
	--json --fail-above=cold=5% --output-file=/dev/null
	--csv -n --fail-above=cold=5%
	-n --fail-above=clod=5%
	-n --fail-above=cold=100%
	--fail-above=cold
	--fail-above=cold=
	--fail-above==5%
	--fail-above=cold=lots
	--fail-above=cold=5% { } { }
EOF
of_session opreport -n "--fail-above=add(int, int)=5%"
