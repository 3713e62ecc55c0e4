#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opgprof: gprof reads what it writes, and shows the same

requirement gprof_shows_the_same_samples
images
session <<-EOF
	image prog TIMER
	0x1004 1, 0x1010 600, 0x102f 200000, 0x1040 7
	image prog TIMER.0.0.1.2.3
	0x105f 70
	image prog lib.so TIMER
	0x1000 10
EOF
of_session opgprof -o "$DIR/gmon.out"
try gprof -b -p prog gmon.out
of_session opgprof --threshold=50 "--output-filename=$DIR/gmon.out" prog
try gprof -b -p prog gmon.out
of_session opgprof -o "$DIR/lib.gmon" 'lib-image:*/lib.so'
try gprof -b -p lib.so lib.gmon

requirement gprof_shows_the_same_arcs
images
session <<-EOF
	image prog TIMER
	0x1010 9
	arcs prog prog TIMER
	0x1004>0x1010 5, 0x1008>0x1010 6, 0x103f>0x1045 20, 0x1010>0x103f 400
	arcs prog lib.so TIMER
	0x1000>0x1000 1000
EOF
of_session opgprof -o "$DIR/gmon.out" prog
try gprof -b -p prog gmon.out
try gprof -b -q prog gmon.out

# A sample counts once for each call in its stack.
requirement gprof_shows_the_arcs_of_stacks
images
session <<-EOF
	image prog TIMER
	0x1012 10, 0x1032 4
	stacks prog TIMER
	stack 10 prog+0x1012 prog+0x1015 prog+0x1015 prog+0x1005
	stack 4 prog+0x1032 prog+0x1015 lib.so+0x1005 prog+0x1015
EOF
of_session opgprof -o "$DIR/gmon.out" prog
try gprof -b -q prog gmon.out

# An image of 32 bits.
requirement images_of_32_bits_are_converted
images
as --32 -o narrow.o "$SOURCES/prog.s"
ld -m elf_i386 -Ttext=0x401000 --section-start=.odd=0x403000 -o narrow narrow.o
session <<-EOF
	image narrow TIMER
	0x1010 42
EOF
of_session opgprof -o "$DIR/gmon.out"
try gprof -b -p narrow gmon.out

requirement wrong_use_and_losses_are_reported
images
write text <<-EOF
	not an object file
EOF
session <<-EOF
	image prog TIMER
	0x1010 3000000000
	image prog CYCLES.6000.0.all.all.all
	0x700000 5, 0x1000 6
	image gone TIMER
	0x1010 3
	image text TIMER
	0x1010 3
EOF
each of_session opgprof <<-EOF
	event:TIMER
	text
	gone
	prog
	prog event:CYCLES -o $DIR/no/such
	prog -t x
	prog -o
	prog --what
	prog event:CYCLES -o $DIR/out
	prog event:TIMER -o $DIR/out
EOF

# A file that can't be written to its end leaves the one that was there.
requirement full_disk_leaves_the_old_file
images
session <<-EOF
	image prog TIMER
	0x1010 300
EOF
write gmon.out <<-EOF
	precious
EOF
try full_disk opgprof --session-dir="$DIR" -o gmon.out
try cat gmon.out
check test ! -e gmon.out.new
