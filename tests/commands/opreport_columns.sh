#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: one column an event, CPU, process or thread; --merge

requirement cpus_are_columns
images
session <<-EOF
	image prog TIMER.0.0.all.all.0
	0x1010 60
	image prog TIMER.0.0.all.all.1
	0x1010 30, 0x1030 30
	image prog TIMER.0.0.all.all.10
	0x1034 5
EOF
reports <<-EOF

	-l
	-l -a -n
	-d -n
	-n cpu:0
	-n cpu:0-1
	cpu:10,1
	-m cpu
	-l -n -m all
	-n cpu:7
EOF

requirement threads_are_columns_of_a_process
images
session <<-EOF
	image prog TIMER.0.0.10.10.all
	0x1010 60
	image prog TIMER.0.0.10.11.all
	0x1010 30
	image prog TIMER.0.0.20.20.all
	0x1030 10
EOF
reports <<-EOF

	--csv -l
	-m tid
	-m tgid
	tgid:10
	tid:10,20
	-n tgid:15-25
EOF

# Programs are named by their samples in the process; one with threads that ran others has some.
requirement processes_threads_and_cpus_may_be_lines
images
session <<-EOF
	image prog TIMER.0.0.10.10.0
	0x1010 60
	image prog TIMER.0.0.10.11.1
	0x1010 30
	image prog TIMER.0.0.20.20.1
	0x1030 7
	image lib.so TIMER.0.0.20.20.1
	0x1030 3
	image {kern}/kallsyms TIMER.0.0.0.0.0
	0x400 5
EOF
reports <<-EOF
	--by=process
	-n --by=process -f
	-n --by=thread
	-n --by=thread --max-lines=2
	-n --by=thread -t 20 -r
	-n --by=cpu
	-n --by=cpu tgid:10
	-n --by=process -x
	--by=process -l
	--by=process --csv
	--by=process -m tid
	--by=process { } { }
	--by=host
	-n --by=thread --tgid=10
	-n --by=process --tid=11,20
	-n -l --cpu=0 --tgid=0-15 -m tid
	-n --cpu=1 cpu:0 -m all
	-n --cpu=x
	-n --tid=7
	-n --tgid=20 -m all { } { tgid:10 }
EOF
session --name=plain <<-EOF
	image prog TIMER
	0x1010 60
EOF
reports <<-EOF
	-n --by=process session:plain
	-n --by=cpu session:plain
	-n --by=process session:plain,current
EOF

requirement weights_of_lines_are_comparable
images
session <<-EOF
	image prog CYCLES.1000.0.10.10.all
	0x1012 10
	image prog CYCLES.1000.0.20.20.all
	0x1012 10
	weights
	ctr_count 1024
	image prog CYCLES.1000.0.20.20.all
	0x1012 10
EOF
reports <<-EOF
	-n --by=process
EOF

requirement events_are_columns
images
session <<-EOF
	cpu_type i386/nehalem
	cpu_speed 2666.76
	image prog CPU_CLK_UNHALTED.100000.0.all.all.all
	0x1010 60
	image prog LLC_MISSES.6000.65.all.all.all
	0x1010 4, 0x1030 12
EOF
reports <<-EOF

	-l
	-n event:LLC_MISSES
	count:100000
	-n unit-mask:0x41
EOF
session <<-EOF
	cpu_type i386/nehalem
	cpu_speed 2666.76
	image prog LLC_MISSES.6000.1.all.all.all
	0x1030 2
EOF
reports <<-EOF
	event:LLC_MISSES
	-m unitmask event:LLC_MISSES
EOF
session <<-EOF
	cpu_type i386/nehalem
	cpu_speed 2666.76
	image prog LLC_MISSES.6000.1.all.all.3
	0x1030 1
EOF
reports <<-EOF

	-n -m cpu,unitmask
EOF

# The head explains events by the catalogue of the CPU type that the samples come from.
requirement head_explains_events_by_the_catalogue
images
write events/i386/nehalem/events <<-EOF
	event:0x3c counters:0 um:zero minimum:6000 name:CPU_CLK_UNHALTED : Cycles
	event:0x3d counters:0 um:kinds minimum:6000 name:REQUESTS : Requests of memory
	event:0x3e counters:0 um:devices minimum:6000 name:REQUESTS : Requests of devices
	event:0x3f counters:0 um:stalls minimum:6000 name:STALLS : Stalls
EOF
tr '>' '\t' <<-EOF | write events/i386/nehalem/unit_masks
	name:zero type:mandatory default:0x0
	>0x0 No unit mask
	name:kinds type:bitmask default:0x1
	>0x1 Reads
	>0x2 Writes
	name:devices type:mandatory default:0x40
	>0x40 By DMA
	name:stalls type:exclusive default:a
	>0x1 extra: a All
	>0x1 extra:edge,cmask=1 b Beginnings
EOF
explain()
{
	rm -rf samples
	session <<-EOF
		cpu_type i386/nehalem
		cpu_speed 2666.76
		image prog $1.all.all.all
		0x1010 60
	EOF
	of_session opreport | grep -v '^-\|%\|prog'
}
# REQUESTS are two events, which their unit masks tell apart; the unit masks of STALLS differ in
# modifiers only.
each explain <<-EOF
	CPU_CLK_UNHALTED.100000.0
	REQUESTS.6000.2
	REQUESTS.6000.3
	REQUESTS.6000.8
	REQUESTS.6000.64
	STALLS.6000.1
	NONESUCH.6000.0
	NONESUCH.6000.1
EOF

requirement broken_catalogue_costs_explanations_only
images
write events/i386/nehalem/events <<-EOF
	event:0x3c nonsense
EOF
write events/i386/nehalem/unit_masks <<-EOF
	nonsense
EOF
session <<-EOF
	cpu_type i386/nehalem
	image prog CPU_CLK_UNHALTED.100000.0.all.all.all
	0x1010 60
EOF
report

# The text catalogue has an event of this name, but libpfm4 the one with this unit mask.
requirement head_explains_events_of_libpfm4
images
write events/i386/nehalem/events <<-EOF
	event:0x3c counters:0 um:zero minimum:6000 name:UOPS_RETIRED : Text
EOF
tr '>' '\t' <<-EOF | write events/i386/nehalem/unit_masks
	name:zero type:mandatory default:0x0
	>0x0 No unit mask
EOF
session <<-EOF
	cpu_type i386/nehalem
	image prog UOPS_RETIRED.6000.1.all.all.all
	0x1010 60
EOF
of_session opreport >out
if ldd "$(command -v opreport)" | grep -q libpfm; then
	check grep -q '^Counted UOPS_RETIRED ' out
	check test -z "$(grep 'Unknown\|Text' out)"
fi

# A number that two processes had is not named, if they are not told apart.
requirement threads_have_their_names
images
session <<-EOF
	image prog TIMER.0.0.10.10.0
	0x1010 60
	image prog TIMER.0.0.10.11.1
	0x1010 30
	image lib.so TIMER.0.0.20.12.1
	0x1030 7
	image lib.so TIMER.0.0.20.13.1
	0x1030 3
EOF
write samples/current/threads <<-EOF
	10 10 prog
	10 11 disk writer
	10 12 once
	20 12 again
EOF
reports <<-EOF
	--by=thread
	-n --by=thread --max-lines=2
	-n --by=process
EOF
of_session opreport --json tgid:20 -m cpu | grep -o '"tid": [^}]*}'
of_session opreport -X tgid:20 -m cpu | grep '<?opreport-class'
