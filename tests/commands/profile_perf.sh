#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf.data of any machine and mode, and what its records say

clock='event type=1 period=1000000 id=11'

# Three samples, two of them at one place; their mapping comes later than one of them.
records='sample 0x400010 30 11 5
comm 10 11
mmap 20 11
sample 0x400010 40 11 5
sample 0x400020 50 11 5
round'

# What is read of the description in stdin
show()
{
	make_profile >made
	show_profile -v perf made
}

requirement files_are_read
show <<-EOF
	$clock
	file 112
	$records
	finish
EOF

# What is read is the same but for the mode and byte order.
requirement pipes_and_attributes_of_any_size_and_byte_order_are_read
for order in le be; do
	for size in 0 64 72 80 96 104 112 120 128 136 144 160; do
		for mode in file pipe; do
			[ $mode = file ] && finish=finish || finish=
			printf '%s\n' "order $order" "$clock" "$mode $size" "$records" "$finish" |
				make_profile >made
			show_profile -v perf made >shown
			grep -v '^fact perf\.' shown >same
			[ -e wanted ] || tee wanted <same
			check cmp same wanted
			sed -n 's/^fact perf\.\(mode\|byte-order\)=//p' shown | tr '\n' ' '
		done
	done
	echo
done

# It has no mark of its byte order.
requirement the_first_version_is_read
for order in le be; do
	make_profile >new <<-EOF
		order $order
		$clock
		file 72
		$records
		finish
	EOF
	{
		printf PERFFILE
		tail -c +9 new
	} >made
	try show_profile perf made
done

requirement truncated_recordings_are_errors_behind_their_samples
for mode in file pipe; do
	[ $mode = file ] && finish=finish || finish=round
	for cut in 1 4 7; do
		printf '%s\n' "$clock" "$mode 112" "$records" "$finish" "cut $cut" | make_profile >made
		try show_profile perf made
	done
done

requirement faults_are_named_and_what_is_before_them_counts
for size in 0 7 24 65535; do
	echo "$ size $size"
	make_profile >made <<-EOF
		$clock
		file 112
		$records
		u32 9
		u16 2 $size
		u64 11 0x400010
		u32 42 42
		u64 60 1
		sample 0x400010 70 11 1
		finish
	EOF
	show_profile perf made
done

show_header()
{
	echo "$ at $*"
	printf '%s\n' "$clock" 'file 112' "$records" finish "at $*" | make_profile >made
	show_profile perf made
}

requirement impossible_headers_are_refused
each show_header <<-EOF
	8 88
	16 20
	16 0x100000
	16 120
	24 0xffffffffffffffff
	24 0x40000000
	32 0
	40 0xfffffffffffffffa
	48 0xfffffffffffffffa
	216 0x40000000
	224 0x1000000000000000
	224 9
EOF

requirement directories_are_merged_by_time
mkdir recording
make_profile >recording/data <<-EOF
	$clock
	file 112
	round
	finish
EOF
# the mapping is in another file than the samples, which stand before it
make_profile >recording/data.0 <<-EOF
	sample 0x400010 30 11 5
	sample 0x400020 50 11 5
EOF
make_profile >recording/data.10 <<-EOF
	comm 10 11
	mmap 20 11
	sample 0x400010 40 11 5
EOF
try show_profile -v perf recording
# a damaged one
make_profile >recording/data.2 <<-EOF
	sample 0x400010 35 11 5
	u64 0
EOF
try show_profile perf recording

# The last sample is of no event.
requirement events_are_told_apart_by_their_ids
for order in le be; do
	show <<-EOF
		order $order
		event type=0 period=100 id=11
		event type=0 config=1 period=200 id=12
		file 112
		comm 10 12
		mmap 20 12
		sample 0x400010 30 12 7
		sample 0x400010 40 11 1
		sample 0x400010 50 12 7
		sample 0x400010 60 99 1
		finish
	EOF
done

requirement payload_behind_records_is_passed_over
show <<-EOF
	$clock
	pipe 112
	record 66 0 d13
	# 13 bytes, padded
	u64 0 0
	record 71 0 q3001 z32
	u8 $(yes 0 | head -n 3001 | tr '\n' ' ')
	$records
EOF

# One of no multiple of 8, as old recorders had them
requirement unknown_records_are_passed_over_by_their_size
show <<-EOF
	$clock
	pipe 112
	record 40 0 z20
	record 63 0 z20
	record 200 0 z20
	record 32775 0 z20
	record 0xffffffff 0 z20
	$records
EOF

requirement the_kernel_and_its_modules_have_offsets_of_their_own
show <<-EOF
	$clock
	pipe 112
	record 1 1 d0xffffffff d0 q0xffffffff81000000 q0x3e000000 q0xffffffff81000000 '[kernel.kallsyms]_text d42 d42 q1 q11
	record 1 1 d0xffffffff d0 q0xffffffffc0000000 q0x10000 q0 '[ext4] d42 d42 q2 q11
	record 17 1 q0xffffffffc0100000 d64 w1 w0 'bpf_prog_1 d42 d42 q3 q11
	record 9 1 q11 q0xffffffff81000500 d0 d0 q10 q1
	record 9 1 q11 q0xffffffffc0001234 d0 d0 q11 q1
	record 9 1 q11 q0xffffffffc0100010 d0 d0 q12 q1
	record 9 1 q11 q0xffffffffc0200010 d0 d0 q13 q1
EOF

# Of a kernel that is another machine's, and programs that have gone.
requirement bpf_programs_have_the_names_of_their_records
make_profile >made <<-EOF
	$clock
	pipe 112
	record 1 1 d0xffffffff d0 q0xffffffff81000000 q0x3e000000 q0xffffffff81000000 '[kernel.kallsyms]_text d42 d42 q1 q11
	record 17 1 q0xffffffffc0100000 d64 w1 w0 'bpf_prog_1_a d42 d42 q3 q11
	record 17 1 q0xffffffffc0100100 d64 w1 w0 'bpf_prog_2\tb d42 d42 q3 q11
	record 9 1 q11 q0xffffffff81000500 d0 d0 q10 q1
	record 9 1 q11 q0xffffffffc0100010 d0 d0 q12 q1
	record 9 1 q11 q0xffffffffc0100120 d0 d0 q12 q1
	record 17 1 q0xffffffffc0100000 d64 w1 w1 'bpf_prog_1_a d42 d42 q13 q11
	record 9 1 q11 q0xffffffffc0200010 d0 d0 q14 q1
EOF
opreport -l -n made 2>/dev/null
opexport --to=folded made 2>/dev/null

# Where the kernel was entered, the instruction itself is looked up: nothing called it.
requirement chains_are_stacks
show <<-EOF
	$clock sample_type=0x20
	pipe 112
	comm 10 11
	mmap 20 11
	record 9 1 q11 q0xffffffff81000500 d42 d42 q30 q1 q6 q0xffffffffffffff80 q0xffffffff81000500 q0xffffffff81000600 q0xfffffffffffffe00 q0x400010 q0x400020
EOF

# The second one was mispredicted.
requirement taken_branches_are_kept
show <<-EOF
	$clock sample_type=0x800
	pipe 112
	comm 10 11
	mmap 20 11
	record 9 2 q11 q0x400010 d42 d42 q30 q1 q1 q0x400100 q0x400200 q0x70
	record 9 2 q11 q0x400010 d42 d42 q31 q1 q1 q0x400100 q0x400200 q0x71
EOF

requirement lost_samples_and_skipped_stacks_are_reported
show <<-EOF
	$clock sample_type=0x2000
	pipe 112
	record 2 0 q11 q123 d42 d42 q5 q11
	record 9 2 q11 q0x400010 d42 d42 q30 q1 q16 z16 q8
EOF

# Frame pointers found something else.
requirement calls_that_the_processor_recorded_are_the_callers
show <<-EOF
	$clock sample_type=0x820 branch=0x800
	pipe 112
	comm 10 11
	mmap 20 11
	record 9 2 q11 q0x400010 d42 d42 q30 q1 q3 q0xfffffffffffffe00 q0x400010 q0x400999 q2 q0x400020 q0x400000 q0 q0x400030 q0x400000 q0
EOF

# Where the address is exact, the leaf of a chain that begins behind it is the same.
requirement exact_addresses_replace_the_leaf
for misc in 2 $((2 | 1 << 14)); do
	show <<-EOF
		$clock sample_type=0x20
		pipe 112
		record 9 $misc q11 q0x400010 d42 d42 q30 q1 q2 q0x400014 q0x400020
	EOF
done

# The last one ends them, as some recorders say it.
requirement facts_of_the_host_are_in_either_byte_order
for order in le be; do
	show <<-EOF
		order $order
		$clock
		pipe 112
		record 80 0 q3 "somewhere
		record 80 0 q7 d8 d7
		record 80 0 q10 q1000
		record 80 0 q11 d2 "perf "record
		record 80 0 q29 d1 d4 q1234567 q5
		record 80 0 q14 d1 d0 q4000 q3000 "0-7
		record 80 0 q17 d1 "mine d0 d2
		record 80 0 q12 d1 d112 attr d1 "my-clock q11
		record 80 0 q35
		sample 0x400010 30 11 5
	EOF
done

requirement damaged_features_are_noted
show <<-EOF
	$clock
	pipe 112
	record 80 0 q3 d1000 'somewhere
	record 80 0 q14 d0xffffffff
	$records
EOF
# a table that is not there
show <<-EOF
	$clock
	file 112
	at 72 8
	$records
	finish
EOF

# They write the bits of features as words of 32.
requirement features_of_big_endian_machines_of_32_bits_are_found
show <<-EOF
	order be
	$clock
	file 112
	$records
	finish
	at 72 0x800000000
	u64 536 20
	u32 16
	raw somewhere
	u8 0 0 0 0 0 0 0
EOF

# Of 16 bytes: the first byte behind it is its length.
requirement build_ids_reach_images_mapped_before_and_after_them
build_id="record 67 32770 d42 d0x77777777 z16 d16 '/bin/prog"
show <<-EOF
	$clock
	pipe 112
	$records
	$build_id
EOF
show <<-EOF
	$clock
	pipe 112
	$build_id
	$records
EOF
