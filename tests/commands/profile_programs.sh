#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The programs of processes in recordings, and samples that are hard to place.

# A clock event with the flags of perf: sample_id_all, and that COMM tells of exec, or not
new='event type=1 period=1000000 id=11 flags=0x1040000'
old='event type=1 period=1000000 id=11 flags=0x40000'

# Records with a trailer of process, time and id
comm() # PID NAME TIME [MISC]
{
	echo "record 3 ${4:-2} d$1 d$1 '$2 d$1 d$1 q$3 q11"
}
fork() # PID PARENT TIME [MISC]
{
	echo "record 7 ${4:-0} d$1 d$2 d$1 d$2 q$3 d$1 d$1 q$3 q11"
}
map() # PID START PATH TIME
{
	echo "record 1 2 d$1 d$1 q$2 q0x1000 q0 '$3 d$1 d$1 q$4 q11"
}
hit() # PID ADDRESS TIME [MISC]
{
	echo "record 9 ${4:-2} q11 q$2 d$1 d$1 q$3 q1"
}

# Samples, where they are, and the program of each
programs()
{
	show_profile -v perf made | grep -v '^image\|^event\|^fact'
}

requirement processes_that_ran_before_have_their_own_program
{
	echo "$new"
	echo 'pipe 112'
	comm 10 bash 0
	map 10 0x400000 /bin/bash 0
	map 10 0x7f0000000000 /lib/libc.so.6 0
	fork 20 10 0
	comm 20 worker 0
	map 20 0x500000 /usr/bin/worker 0
	hit 20 0x500010 30
	hit 20 0x400010 31
} | make_profile >made
programs

requirement forks_that_a_recorder_marked_are_made_up_too
{
	echo "$new"
	echo 'pipe 112'
	map 10 0x400000 /bin/bash 1
	fork 20 10 2 0x2000
	map 20 0x500000 /usr/bin/worker 3
	hit 20 0x500010 30
} | make_profile >made
programs

requirement children_have_the_program_of_their_parents_until_they_execute_one
{
	echo "$new"
	echo 'pipe 112'
	comm 10 bash 0
	map 10 0x400000 /bin/bash 0
	fork 20 10 5
	hit 20 0x400010 6
	comm 20 renamed 7
	map 20 0x600000 /usr/share/renamed 8
	hit 20 0x600010 9
	comm 20 ls 10 0x2002
	map 20 0x500000 /opt/ls-1.2.so 11
	map 20 0x600000 /bin/ls 12
	hit 20 0x500010 13
} | make_profile >made
programs

requirement libraries_mapped_first_are_no_programs
{
	echo "$old"
	echo 'pipe 112'
	comm 10 surfaceflinger 0
	map 10 0x40000000 /system/lib/libc.so 0
	map 10 0x50000000 /system/bin/linker 0
	map 10 0x50001000 /dev/ashmem/dalvik-jit 0
	map 10 0x50002000 /data/app/base.odex 0
	map 10 0x60000000 /vendor/bin/other 0
	map 10 0x70000000 /system/bin/surfaceflinger 0
	hit 10 0x40000010 30
} | make_profile >made
programs

requirement names_that_come_behind_mappings_choose_among_them
{
	echo "$old"
	echo 'pipe 112'
	map 10 0x400000 /opt/first 0
	map 10 0x500000 /opt/second_with_a_long_name 0
	comm 10 second_with_a_l 0
	hit 10 0x500010 30
} | make_profile >made
programs

requirement old_kernels_do_not_say_that_a_program_was_executed
{
	echo "$old"
	echo 'pipe 112'
	comm 10 bash 0
	map 10 0x400000 /bin/bash 0
	fork 20 10 5
	comm 20 ls 6
	map 20 0x500000 /bin/ls 7
	map 20 0x7f0000000000 /lib/ld-2.19.so 8
	hit 20 0x500010 9
	fork 30 10 10
	comm 30 renamed 11
	map 30 0x7f0000000000 /lib/libm-2.19.so 12
	hit 30 0x400010 13
} | make_profile >made
programs

# perf 3.8
requirement names_of_events_need_no_end
make_profile >made <<-EOF
	event type=1 config=7 period=1 id=11
	pipe 112
	record 65 0 q7 b97 b108 b105 b103 b110 b45 b102 b115
	sample 0x400010 30 11 5
EOF
try show_profile -v perf made

requirement tracing_data_may_be_in_their_record
make_profile >made <<-EOF
	event type=1 period=1000000 id=11
	pipe 112
	record 66 0 d100 z128
	sample 0x400010 30 11 5
EOF
try show_profile perf made

# Both ways of perf: the chain says whose code it is, or nothing does.
requirement leaves_are_not_doubled_where_only_the_chain_says_whose_they_are
{
	echo "$new sample_type=0x20"
	echo 'pipe 112'
	map 42 0x400000 /bin/prog 1
	echo "record 9 0 q11 q0x400010 d42 d42 q30 q1 q3 q0xfffffffffffffe00 q0x400010 q0x400020"
	echo "record 9 0 q11 q0x400010 d42 d42 q31 q1 q2 q0x400010 q0x400030"
} | make_profile >made
programs

# Code of the kernel that was freed, or is loaded since
requirement kernel_code_outside_of_the_recorded_map_is_the_kernels
{
	echo "$new"
	echo 'pipe 112'
	echo "record 1 1 d0xffffffff d0 q0xffffffff81000000 q0x1000000 q0xffffffff81000000" \
		"'[kernel.kallsyms]_text d42 d42 q0 q11"
	hit 42 0xffffffff82800010 30 1
	hit 42 0xffffffffc0200010 31 1
} | make_profile >made
try show_profile -v perf made
check opimport -o imported made
opreport --session-dir=imported -lw 2>&1 | grep -v '^CPU\|^Counted\|^Profil'
