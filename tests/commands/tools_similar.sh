#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Misspelt options, events, symbols and sessions: errors name what was meant, where a name is near

requirement a_misspelt_option_is_told_the_nearest
each try <<-EOF
	opreport --chidlren
	opreport --symbol
	opreport --treee=5
	opannotate --asembly
	operf --callgrap true
	ocount --event=cycles true
	opcontrol --statsu
	oprofiled --session-dri=/tmp
	opdb --jsn
	ophelp --serach=x
	opreport --zzz
	opreport -Z
EOF

requirement a_misspelt_word_of_an_option_is_told_the_nearest
each try <<-EOF
	opreport --format=jsn
	opreport --sort=smaple
	opreport --merge=tig
	opreport --demangle=smrt
	opreport --color=alway
	opreport -Vstat
	opannotate -s --show-events=alwyas
	opexport --to=foldd
	opexport --to=zzz
	opexport --to=callgrind --from=x --from-format=folde
	opimport --from=perfdata x
	opimport --separate=treads x
	opimport --cpu-type=i386/nehalm x
	optop --by=treads
	oprofiled --foreground -Vmodul
	opcontrol --start -Vmodul
	opcontrol --setup --separate=treads
	ophelp --cpu-type=i386/nehalm
EOF

requirement a_command_without_dashes_or_misspelt_is_told_the_nearest
each try <<-EOF
	opcontrol start
	opcontrol statsu
	opdb chekc .
EOF

requirement a_misspelt_event_of_perf_is_told_the_nearest
for command in 'operf -e cpu-clok:100000' 'ocount -e page-fault'; do
	# which events the CPU has is different on each machine
	$command true 2>&1 | sed "s/^.*; \(did you mean\)/$command: \1/"
done

requirement a_misspelt_event_of_the_cpu_is_told_the_nearest
export OPROFILE_EVENTS_DIR="$TOP/events"
each try <<-EOF
	ophelp --cpu-type=i386/core_2 --check-events INST_RETIERD_ANY_P:100000
	ophelp --cpu-type=i386/core_2 --check-events inst_retired:100000
	ophelp --cpu-type=i386/core_2 --check-events NOTHING_LIKE_IT:100000
EOF

requirement a_misspelt_symbol_is_told_those_near
images
session <<-EOF
	image prog TIMER
	0x1010 600, 0x1030 90, 0x1040 40
EOF
of_session opreport -l -i hto
of_session opreport -l -i clod

requirement a_misspelt_session_is_told_the_nearest
images
session <<-EOF
	image prog TIMER
	0x1010 600
EOF
cp -r samples/current samples/before_the_change
touch samples/befora
of_session opreport session:before_the_chnge
of_session opreport session:before
of_session opreport session:nothing_like_it
of_session opreport session:/nonexistent/before

requirement a_misspelt_word_of_a_specification_is_told_the_nearest
images
session <<-EOF
	image prog CYCLES.1000.0.all.all.all
	0x1010 600
	image prog lib.so CYCLES.1000.0.all.all.all
	0x1000 7
EOF
each of_session opreport <<-EOF
	tgd:7
	evnt:CYCLES
	xyzzy:7
	event:CYCLS
	event:CYC*X
	porg
	image:porg
	lib-image:lib.s
	$DIR/lib.soo
	image:zzz
	cpu:7
	event:CYCLES cpu:7
	--by=proces
EOF
printf 'main;hot 60\n' >folded
try opreport --by=thraed folded
