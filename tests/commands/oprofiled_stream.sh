#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# oprofiled: from words of the event stream to names and counts of sample files
. "$COMMANDS/daemon.sh"

requirement samples_are_counted_by_image
count start user cookie 0x10 0x100 0 0x100 0 0x200 0 cookie 0x11 0x300 0
count user cookie 0x16 1 0 # a path that looks like a marker, without a task
count start user cookie 0x16 1 0
# files that are not what their path names
count start user cookie 0x13 1 0 cookie 0x14 2 0 cookie 0x15 3 0

requirement separated_samples_have_files_of_their_own
options=--separate-lib=1
count start user cookie 0x10 0x100 0 cookie 0x11 0x300 0 context 600 600 0x12 cookie 0x11 0x300 0
count start kernel 0xffffffff81000010 0 # the kernel is not apart with libraries
count cpu 0 context 3 3 invalid user cookie 0x11 9 0 # an unknown program: libraries for themselves
options='--separate-lib=1 --separate-kernel=1'
count start kernel 0xffffffff81000010 0 context 600 600 0x12 0xffffffff81000010 0 0xffffffffc0100004 0
# a kernel thread is its own application
count cpu 0 context 2 2 anon kernel stext 0 context 3 3 invalid stext 0 context 4 4 0x999 stext 0
options=--separate-thread=1
count start user cookie 0x10 0x100 0 context 502 500 0x10 0x100 0 kernel stext 0
options=--separate-cpu=1
count start user cookie 0x10 0x100 0 cpu 3 0x100 0
options='--separate-lib=1 --separate-kernel=1 --separate-thread=1 --separate-cpu=1'
count cpu 1 context 501 500 0x10 user cookie 0x11 0x300 0 kernel stext 0

requirement kernel_code_is_known_by_address
options=
count start kernel 0xffffffff81ffffff 0 0xffffffff82000000 0 0xffffffffc0100000 0 \
	0xffffffffc0107fff 0 0xffffffffc0108000 0 0xffffffffc010bfff 0 0xffffffffc010c000 0 \
	0xffffffffc0200000 0 0xffffffffc02001ff 0 0xffffffffc02fffff 0 0 0
options=--no-vmlinux
count start kernel 0xffffffff81000005 0 0xffffffffc0100000 0 7 0
options='--no-vmlinux --separate-lib=1 --separate-kernel=1'
count start kernel 0xffffffff81000005 0
options=

requirement anonymous_memory_is_below_its_application
count start user cookie anon 0x1000004 0 0x7f0000000008 0 0x7f0000000fff 0 0x7f0000001000 0 \
	0x7f0000002000 0 0x7ffd00000010 0 0x400010 0
# without a known program, and of processes that are gone
count cpu 0 context 500 500 invalid user cookie anon 0x1000004 0 \
	context 501 501 0x10 0x1000004 0 context 502 502 0x10 0x1000004 0
# of another task
count start user cookie anon 0x1000004 0 context 777 777 0x10 0x1000004 0

requirement a_call_chain_becomes_arcs
count start trace user cookie 0x10 0x100 0 0x200 0 cookie 0x11 0x300 0 0x400 0
options=--separate-lib=1 # callers are below the application
count cpu 0 context 9 9 0x12 trace user cookie 0x12 0x3500 0 cookie 0x11 0x9100 0
options=
# no arc crosses the border of the kernel
count start trace kernel 0xffffffff81000010 0 0xffffffff81000020 0 user cookie 0x10 0x100 0 0x200 0
count start user cookie 0x10 trace 0x100 0 0x200 0 trace 0x300 0 trace 0x400 0 0x500 0
# a switch of task or CPU ends a chain, but not before its sample
count trace start user cookie 0x10 0x100 0 0x200 0 context 1 1 0x12 0x300 0 \
	trace cpu 1 0x400 0 0x500 0 cpu 2 0x600 0
count start user cookie 0x999 trace 0x100 0 cookie 0x10 0x200 0 0x300 0 # callers of a lost sample
count start user cookie 0x10 trace 0x100 0 cookie 0x999 0x200 0 cookie 0x10 0x300 0 0x400 0
count start user trace cookie anon 0x7f0000000008 0 cookie 0x10 0x100 0 cookie anon 0x1000004 0
options=--no-vmlinux # keys of arcs keep 32 bits
count start kernel trace 0xffffffff81000001 0 0xffffffff81000002 0
options=

requirement a_stack_is_a_sample_and_its_callers
count start user cookie 0x10 0x100 0 0x100 0 # samples without callers are no stacks
count start user cookie 0x10 trace 0x100 0   # a trace of one frame is a stack, too
# equal stacks are counted, others share their callers
count start user cookie 0x10 trace 1 0 2 0 trace 1 0 2 0 trace 3 0 2 0 trace 2 0
# user frames follow those of the kernel
count start kernel trace 0xffffffff81000010 0 0xffffffff81000020 0 user cookie 0x10 0x100 0
# a frame outside all mappings has its address; a lost sample loses its callers
count start user cookie 0x10 trace 0x100 0 cookie invalid 0x77 0 cookie 0x10 0x200 0
count start user cookie invalid trace 0x100 0 cookie 0x10 0x200 0 trace 0x300 0
count start user cookie anon trace 0x1000010 0 cookie 0x10 0x100 0

requirement stacks_belong_to_the_application
count start user cookie 0x10 trace 0x100 0 context 600 600 0x12 user cookie 0x12 trace 0x200 0 \
	cpu 1 context 501 500 0x10 user cookie 0x10 0x300 0
count start user cookie 0x11 trace 0x300 0 context 600 600 0x12 user cookie 0x11 trace 0x300 0
count cpu 0 context 501 500 invalid kernel trace 0xffffffff81000001 0
options='--separate-lib=1 --separate-kernel=1 --separate-thread=1 --separate-cpu=1'
count start user cookie 0x10 trace 1 0 cpu 2 context 502 500 0x10 user cookie 0x10 trace 1 0
options=
# a daemon that comes later goes on with the file
echo 'words start user cookie 0x10 trace 1 0 2 0' | replay
echo 'words start user cookie 0x10 trace 1 0 2 0' | replay_again

requirement a_damaged_stack_file_loses_stacks_only
stacks='session/samples/current/stacks/{root}/usr/bin/bash/TIMER.0.0.all.all.all'
mkdir -p "$(dirname "$stacks")"
echo 'no stack file' >"$stacks"
echo 'words start user cookie 0x10 trace 1 0 2 0 trace 3 0' | replay_again

requirement a_file_that_may_not_grow_loses_samples
awk 'BEGIN { for (i = 0; i < 40; i++) {
	printf "words start kernel"
	for (k = 0; k < 400; k++)
		printf " 0xffffffff81%06x 0", 8 * (400 * (i % 20) + k)
	print ""
} }' | replay | sed 's/ [0-9a-f]*:.*//'
rm -r session
(ulimit -f 64 && replay_recording)
show_session session | sed 's/ [0-9a-f]*:.*//'

# The number of events is above the eight bits of the counter.
requirement weights_are_counted_beside_samples
count start user cookie 0x10 1 0x300 2 0 1 0x500
count start user cookie 0x10 trace 0x100 0x700 0x200 0 trace 0x100 0x100 0x200 0 trace 0x100 0 0x300 0
options=--events=CYCLES:60:0:1000:0:1:1
# 1000, 2000 and 1 of an event with a period of 1000
replay <<-'EOF'
	facts pointer_size 8\ncpu_type i386/nehalem\ncpu_mhz 2000.000\n
	words start user cookie 0x10 1 0 1 0x3e800 2 0x7d000 3 0x100
EOF
options=

# Events at a frequency: 1536, 768 and 768 are three units of 1024, 2^40 are those of 2^32 - 1.
requirement weights_of_frequent_events_have_a_unit
options=--events=CYCLES:60:0:0:0:1:1
replay <<-'EOF'
	facts pointer_size 8\ncpu_type i386/nehalem\ncpu_mhz 2000.000\n
	words start user cookie 0x10 1 0x60000 2 0x30000 3 0x30000 4 0x1000000000000
EOF
options=

requirement losses_are_counted_by_cause
count start cookie 0x10 1 0 2 0 # neither kernel nor user
count start user 1 0 cookie invalid 2 0 cookie 0x999 3 0
count start user cookie 0x10 1 1 2 255 3 32 4 0xfffffffffffffffe # counters without an event
count start kernel 5 0
options=--separate-thread=1
count cpu 0 user cookie 0x10 1 0
count cpu 0 kernel stext 0
options=--separate-cpu=1
count context 501 500 0x10 user cookie 0x10 1 0
options='--separate-lib=1 --separate-kernel=1'
count cpu 0 context 2 2 anon kernel stext 0 0xffffffff81000001 0 stext 0
count cpu 0 context 3 3 invalid user cookie 0x11 9 0 10 0
options=
count

requirement a_bad_record_is_passed_over
count start user cookie 0x10 1 0 escape 99 2 0 3 0 start user cookie 0x10 4 0
# nothing behind it is believed
count start user cookie 0x10 1 0 escape 99 cookie 0x12 2 0 user 3 0 cookie 0x12 4 0
count cpu 0 escape 1 5 0x10 user cookie 0x10 1 0 # half a task switch
count cpu 0 escape 1 5 0x10 cpu 7 user cookie 0x10 1 0
count cpu 0 context 501 0x80000000 0x10 user cookie 0x10 1 0 # no number of a process
count cpu 0xfffffffffffffffe user cookie 0x10 1 0
count cpu 0 escape 7 500 user cookie 0x10 1 0 # the second half of a task switch
count start user cookie 0x10 1 0 2 user cookie 0x10 3 0 # an address without a counter
count start user cookie 0x10 1 0 2
count escape escape escape escape
count escape

requirement each_buffer_stands_alone
replay <<-'EOF'
	words start user cookie 0x10 trace 1 0
	words 2 0
	words start user 3 0
	words start cookie 0x10 4 0
EOF

requirement events_have_files_of_their_own
options=--events=CPU_CLK_UNHALTED:0x3c:0:100000:0:1:1,LLC_MISSES:0x2e:1:6000:0x41:1:1,CPU_CLK_UNHALTED:0x3c:5:100000:0:1:1,
# counters 0 and 5 count the same, into one file
replay <<-'EOF'
	facts pointer_size 8\ncpu_type i386/nehalem\ncpu_mhz 2000.000\n
	words start user cookie 0x10 1 0 1 1 1 5 1 2
EOF
options=--events=CPU_CLK_UNHALTED:0x3c:0:100000:0:1:1 # a timer has one event
count start user cookie 0x10 1 0
options=

requirement sessions_that_cannot_begin_say_why
for options in "," ",A:1:1:1:1:1:1" A:1:1:1:1:1:1:1 A:1:1:1:1:1:2 A:1:256:1:1:1:1 A:x:1:1:1:1:1 \
	A:1:4:1:1:1:1,B:1:4:1:1:1:1 A.B:1:1:1:1:1:1; do
	options=--events=$options
	echo "\$ $options"
	: | replay
done
for type in nehalem nonesuch; do
	for options in '' --events=A:1:0 --events=A:1:0:1:1:1:1; do
		echo "\$ $type $options"
		printf '%s\n' "facts pointer_size 8\ncpu_type i386/$type\n" | replay
	done
done
options=
for symbols in '' '0000000000000000 T _stext\n0000000000000000 T _etext\n' \
	'ffffffff81000000 T _stext\nffffffff80000000 T _etext\n'; do
	printf '%s\n' "kallsyms $symbols" | replay
done

requirement other_images_are_filtered_out
for options in --image=/usr/bin/bash --image=/usr/lib/libc.so.6 --image=kallsyms \
	--image=/usr/bin/cat '--image=/usr/bin/cat --separate-lib=1 --separate-kernel=1' \
	--image=/nonesuch; do
	count start user cookie 0x10 1 0 cookie 0x11 2 0 kernel stext 0 \
		context 9 9 0x12 user cookie 0x11 3 0 kernel stext 0
done
options=--image=/usr/bin/gone # the path, not the name that tells files apart
count start user cookie 0x13 1 0 cookie 0x10 1 0
options=--image=/usr/lib/libc.so.6 # filtered samples take their callers along
count start user trace cookie 0x10 1 0 cookie 0x11 2 0 trace 3 0 cookie 0x10 4 0 cookie 0x11 5 0
