#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: wrong command lines, damaged sessions, losses, unwritable output

# Command lines that make no sense, or ask for what is not there.
requirement wrong_command_lines_are_refused
images
reports <<-EOF
	-v

EOF
mkdir -p samples/current
report
session <<-EOF
	image prog TIMER
	0x1010 6
EOF
reports <<-EOF
	-a
	-w
	-g
	-e x
	-i x
	-s vma
	-s debug
	-l -%
	-m lib -x
	-t 101
	-t x
	-t nan
	-s time
	-s vma,vma
	-m core
	-D fancy
	-V loud
	--nonsense
	-t
	cpu:x
	cpu:3-1
	color:red
	event:
	a a
	archive:
	-e ,x -l
	session:none
	image:nothing
EOF

# What is damaged, missing or changed costs a warning, never the report.
requirement damage_costs_a_warning_not_the_report
images
session <<-EOF
	image prog TIMER
	0x1010 60
	image gone1 TIMER
	0x1010 1
	image broken TIMER
	0x1010 2
	image lib.so TIMER
	0x1010 3
EOF
head -c 300 prog > broken
reports <<-EOF
	-l -n $DIR/prog gone1
	-l -n broken
	-l -n
EOF
session <<-EOF
	image gone2 TIMER
	0x1010 1
	image gone3 TIMER
	0x1010 1
	image gone4 TIMER
	0x1010 1
	image gone5 TIMER
	0x1010 1
EOF
reports <<-EOF
	-l -n gone*
	-l -n -V all gone4 gone5
EOF
(
	cd 'samples/current/{root}' || exit
	echo x >odd-name
	ln -s odd-name link
	echo code >7.jo
	cd ".$DIR/prog/{dep}/{root}$DIR/prog" || exit
	head -c 1000 TIMER.0.0.all.all.all >TIMER.0.0.all.all.0
	echo junk >TIMER.0.0.all.all.1
	: >TIMER.0.0.all.all.2
	: >.odb-unfinished
)
report -n prog
echo junk >"samples/current/{root}$DIR/lib.so/{dep}/{root}$DIR/lib.so/TIMER.0.0.all.all.all"
report -n lib.so

# The profiler's own samples, taken as images by a profiler before it, are passed over.
requirement samples_of_sample_files_are_skipped
images
session <<-EOF
	image prog TIMER
	0x1010 90
	image samples/current/x TIMER
	0x10 5
	image sample TIMER
	0x10 10
EOF
report -n

requirement losses_are_listed_by_cause
images
session <<-EOF
	image prog TIMER
	0x1010 90
EOF
reports <<-EOF
	-n
	--stats
EOF
session <<-EOF
	stat total_samples 100
	stat samples_stored 100
	stat lost_no_mapping 0
EOF
write samples/current/stats/junk <<-EOF
	x
EOF
reports <<-EOF

	-n
	-n -V stats
	-l
EOF
session <<-EOF
	stat samples_stored 90
	stat lost_no_mapping 7
	stat lost_kernel 3
	stat event_lost_overflow 11
	stat cpu0/sample_received 60
	stat cpu1/sample_received 50
	stat cpu0/sample_lost_overflow 4
	stat cpu1/sample_lost_overflow 6
EOF
reports <<-EOF

	-n
	-l
EOF

# Below the losses stands what profiling cost, if the session tells.
requirement overhead_is_shown_below_losses
images
session <<-EOF
	image prog TIMER
	0x1010 90
	stat total_samples 90
	stat samples_stored 90
	stat cpu0/throttled 0
	stat daemon_cpu_ms 256
EOF
report
session <<-EOF
	stat profiling_ms 61000
EOF
reports <<-EOF

	-n
EOF
session <<-EOF
	stat cpu0/throttled 2
	stat cpu1/throttled 3
	stat daemon_cpu_ms 1500
	stat profiling_ms 1500
EOF
report
session <<-EOF
	stat lost_invalid_domain 1
EOF
write samples/current/source <<-EOF
	source module
EOF
report
write samples/current/source <<-EOF
	source perf
EOF
report

requirement output_goes_to_a_file
images
session <<-EOF
	image prog TIMER
	0x1010 90
EOF
reports <<-EOF
	-n -o $DIR/report
	-n -o $DIR/none/report
	-n -o /dev/full
EOF
try cat report

# fuzz_pp_image changes images anywhere; here the report of the others is what it was.
requirement damaged_image_leaves_the_report_of_others
images
session <<-EOF
	image damaged TIMER
	0x1010 60
	image lib.so TIMER
	0x1000 40
EOF
for at in $(seq 0 3 63) $(seq 64 61 9000); do
	cp prog damaged
	printf '\377' | dd of=damaged bs=1 seek="$at" conv=notrunc status=none
	opreport --session-dir="$DIR" -lg -n >out 2>err || echo "byte $at: exit $?"
	check grep -q '^60 ' out
	check grep -q ' lib_work$' out
done
