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
