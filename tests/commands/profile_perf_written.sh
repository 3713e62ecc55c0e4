#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf.data that is written: read back it is the same, as file and pipe

# Two processes of which one changes its program, threads, all kinds of images, facts of the host
recording()
{
	head='d10 d10'
	make_profile <<-EOF
		event type=1 period=999 flags=0x40400 id=11 sample_type=0xa0
		event type=4 config=0x3c period=100000 id=12 sample_type=0xa0
		pipe 112
		record 80 0 q3 "somewhere
		record 80 0 q4 "6.1.0
		record 80 0 q5 "6.1
		record 80 0 q6 "x86_64
		record 80 0 q7 d4 d3
		record 80 0 q8 "A-CPU
		record 80 0 q9 "Genuine,1
		record 80 0 q10 q4000
		record 80 0 q11 d3 "perf "record "ls
		record 67 32770 d10 d0x030201 z16 d20 '/nowhere/prog
		record 67 32769 d0xffffffff d9 z16 d16 '[kernel.kallsyms]
		record 1 1 d0xffffffff d0 q0xffffffff81000000 q0x3e000000 q0xffffffff81000000 '[kernel.kallsyms]_text $head q1 d0 d0 q11
		record 1 1 d0xffffffff d0 q0xffffffffc0000000 q0x10000 q0 '[ext4] $head q2 d0 d0 q11
		record 17 1 q0xffffffffc0100000 d64 w1 w0 'bpf_prog_12 $head q3 d0 d0 q11
		record 3 8194 $head 'prog $head q4 d0 d0 q11
		record 1 2 $head q0x400000 q0x10000 q0x1000 '/nowhere/prog $head q5 d0 d0 q11
		record 1 2 $head q0x500000 q0x10000 q0 '/nowhere/lib.so $head q5 d0 d0 q11
		record 1 2 $head q0x900000 q0x20000 q0 '[heap] $head q5 d0 d0 q11
		record 1 2 $head q0x7fff0000 q0x2000 q0 '[vdso] $head q5 d0 d0 q11
		record 7 0 d10 d10 d11 d10 q6 $head q6 d0 d0 q11
		record 3 2 d10 d11 'worker d10 d11 q7 d0 d0 q11
		record 7 0 d20 d10 d20 d10 q8 d20 d20 q8 d0 d0 q11
		record 3 8194 d20 d20 'other d20 d20 q9 d0 d0 q11
		record 1 2 d20 d20 q0x600000 q0x10000 q0 '/nowhere/other d20 d20 q10 d0 d0 q11
		record 9 2 q11 q0x400100 $head q30 d0 d0 q3003001 q3 q0xfffffffffffffe00 q0x400100 q0x400201
		record 9 2 q11 q0x500500 d10 d11 q31 d1 d0 q2002000 q3 q0xfffffffffffffe00 q0x500500 q0x400301
		record 9 2 q12 q0x500500 d10 d11 q32 d1 d0 q500000 q3 q0xfffffffffffffe00 q0x500500 q0x400301
		record 9 1 q11 q0xffffffff81012345 d20 d20 q33 d0 d0 q70 q5 q0xffffffffffffff80 q0xffffffff81012345 q0xffffffffc0000089 q0xfffffffffffffe00 q0x600701
		record 9 1 q11 q0xffffffffc0100010 d20 d20 q34 d0 d0 q40 q2 q0xffffffffffffff80 q0xffffffffc0100010
		record 9 2 q11 q0x900030 $head q35 d0 d0 q9 q3 q0xfffffffffffffe00 q0x900030 q0x7fff0021
		record 3 8194 $head 'other $head q36 d0 d0 q11
		record 1 2 $head q0x600000 q0x10000 q0 '/nowhere/other $head q37 d0 d0 q11
		record 9 2 q11 q0x600700 $head q38 d1 d0 q1 q2 q0xfffffffffffffe00 q0x600700
		record 2 0 q11 q17 $head q39 d0 d0 q11
	EOF
}

# What does not depend on where images lie, how many records there are, and on the mode
same_facts()
{
	grep -v '^fact perf\.\(mode\|records\|kernel\)' "$1" |
		sed 's/^\(image [^ ]*\) [^ ]* @[0-9a-f]*/\1/' | sort
}

requirement files_and_pipes_are_read_back_the_same
recording >made
try show_profile -v -w perf=written perf made
mkfifo pipe
cat pipe >piped &
show_profile -v -w perf=pipe perf made >seen
wait
for back in written piped; do
	show_profile -v perf $back >read_back
	grep '^error\|^fact perf.mode' read_back
	same_facts seen >wanted
	same_facts read_back | diff wanted -
done

# hotspot takes padding behind a feature for an error, and may never end.
requirement features_are_as_long_as_their_text
recording >made
show_profile -w perf=written perf made >seen
od -An -v -tx1 written | tr -d ' \n' | grep -o '0a000000736f6d65776865726500' | sort -u

# A long session has more samples than a file should: then periods hold them.
requirement many_equal_samples_become_one_record
make_profile >made <<-'EOF'
	pprof 6='' 6='e_sample' 6='count' 6='e_event' 1=(1=1 2=2) 1=(1=3 2=2)
	pprof 4=(1=1 3=0x1234) 2=(1=1 2=[0x10000000000 0x20000000000])
EOF
try show_profile -w perf=written pprof made
try show_profile -v perf written

# Times of a damaged recording may be anything.
requirement any_times_are_written
make_profile >made <<-'EOF'
	event type=1 period=1 id=11
	pipe 112
	sample 0x1234 1 11 1
	sample 0x1234 0xfffffffffffffffe 11 1
	sample 0x1234 0xfffffffffffffffd 11 1
EOF
try show_profile -v -w perf=written perf made
show_profile -v perf written | grep '^times\|^event'
