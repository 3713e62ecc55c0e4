#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opannotate: source files and instructions with samples

# _start has 1, hot 800 in two lines, add(int, int) 190; 4 have no lines, 5 no code.
program()
{
	images
	program_samples
}

program_samples()
{
	session <<-EOF
		image prog TIMER
		0x1004 1, 0x1010 600, 0x102f 200, 0x104f 190, 0x2010 4
		image gone TIMER
		0x2010 5
	EOF
}

# At the foot stands what was lost, or that nothing was.
requirement losses_stand_at_the_end
images
session <<-EOF
	image prog TIMER
	0x1004 1, 0x1010 600, 0x102f 200, 0x104f 190, 0x2010 4
	image gone TIMER
	0x2010 5
	stat total_samples 1000
	stat samples_stored 1000
EOF
both opannotate <<-EOF
	-s -t 99.7 prog
EOF
session <<-EOF
	stat lost_invalid_domain 2
EOF
both opannotate <<-EOF
	-s -t 99.7 prog
EOF

# Lines of a source file that is short, and of one that is not there.
requirement lines_of_short_and_missing_source_files_are_shown
program
mkdir -p files/src
printf 'int first;\r\n/* no newline at the end */' >files/src/prog.c
write files/src2/prog.c <<-EOF
	moved
EOF
both opannotate <<-EOF
	-s -d $DIR/files
	--source --include-symbols=hot --search-dirs=/nowhere image:*/prog
	-s -D none -e hot,_start -b /old,src -d $DIR/files/src2 prog
	-s -t 99.7 prog
	-s --include-file=*.h prog
	-s --exclude-file=prog.c prog
EOF

requirement only_lines_near_samples_are_shown
program
mkdir -p files/src
seq -f 'line %g' 100 >files/src/prog.c
both opannotate <<-EOF
	-s -d $DIR/files
EOF
opannotate --session-dir="$DIR" -s --full -d "$DIR/files" | grep -c ':line '
opannotate --session-dir="$DIR" -s -d "$DIR/files" -o out && grep -c ':line ' out/src/prog.c

requirement instructions_are_annotated
program
mkdir -p files/src
printf '%s\n' 1 2 3 4 5 6 7 8 9 ten 11 >files/src/prog.c
both opannotate <<-EOF
	-a -i _start,.odd -t 0.1 prog
	-a -s -d $DIR/files -i _start prog
	-a gone
EOF

# Code of a stripped library has no symbols to list; jumps, and their targets, have names.
requirement jumps_have_names_and_stripped_code_is_shown
images
write code.s <<-EOF
	.globl entry
	entry: mov %rsp,%rbp
	jmp entry
	jmp entry+1
EOF
gcc -nostdlib -static -Wl,-Ttext=0x401000 -Wl,-eentry -Wl,--build-id=none -o code code.s
strip -o stripped code
session <<-EOF
	image code TIMER
	0x1000 1, 0x1001 1, 0x1003 3, 0x1005 1
	image stripped TIMER
	0x1000 1, 0x1005 2, 0x700000 3
EOF
both opannotate <<-EOF
	-a code
	-a --disassembler-options=intel -i entry code
	-a --objdump-params=-Mintel stripped
EOF

# Columns: one pair of numbers a class; --merge makes one of them.
requirement classes_are_columns
images
session <<-EOF
	image prog TIMER.0.0.all.all.0
	0x1010 30
	image prog TIMER.0.0.all.all.1
	0x102f 4
	image prog lib.so TIMER.0.0.all.all.0
	0x1000 10
EOF
both opannotate <<-EOF
	-s
	-s -m cpu
	-s -m cpu -x
EOF

# The report is made in another directory than the program.
requirement relative_source_names_begin_at_the_build_directory
mkdir -p build/src elsewhere
write build/src/prog.c <<-EOF
	the only line
EOF
(cd build && gcc -nostdlib -static -Wl,-Ttext=0x401000 -o ../prog "$SOURCES/prog.s")
program_samples
cd elsewhere || exit
of_session opannotate -s "$DIR/prog"
of_session opreport -l -g -f -n "$DIR/prog"
of_session opannotate -s -b "$DIR/build/src" -d "$DIR/nowhere" "$DIR/prog"

# Annotated files stand below --output-dir, wherever debug information says they are from.
requirement output_stays_below_output_dir
mkdir far
sed 's@src/prog.c@../../../far/../far/prog.c@' "$SOURCES/prog.s" > far.s
gcc -nostdlib -static -Wa,"--debug-prefix-map=$PWD=." -Wl,-Ttext=0x401000 -o prog far.s
program_samples
of_session opannotate -s -o "$DIR/out" prog
find out -type f | sed 's/.*prog.c/prog.c/'
try cat "$(find out -name prog.c)"

requirement wrong_use_is_refused
program
both opannotate <<-EOF
	prog
	-a -o /tmp/x
	-s -o /
	-s -o /tmp/..
	-s -b src
	-s --objdump-params=-Mintel
	-a --objdump-params=-S
	-a --include-file=x
	-s -t 101
	-s -D what
	-s -m nothing
	-s -d a,,b
	-s --no-such-option
	-s -V what
	-s nothing
	-s session:none
EOF

# What objdump finds in .text of a real program, opannotate itself, with a sample at each 37th
# instruction: the same addresses, the same text (but for the names of addresses).
requirement instructions_agree_with_objdump
self=$(realpath "$(command -v opannotate)")
instructions()
{
	sed -nE 's/^[ 0]*([0-9a-f]+):\t([^<]*[^< ]).*$/\1 \2/p' | sed 's/[ \t]*$//'
}
objdump -d -j .text --no-show-raw-insn "$self" | instructions >known
{
	echo "image $self TIMER"
	awk 'NR % 37 == 1 {print "0x" $1, 1}' known
} | session
opannotate --session-dir="$DIR" -a >annotated
sed 's/^[^:]*://' annotated | instructions >found
check test "$(wc -l <found)" -gt 5000
check test -z "$(grep -vxFf known found | head -n 3)"
check test "$(grep -c '^     1 ' annotated)" = "$(awk 'NR % 37 == 1' known | wc -l)"

requirement damaged_images_end_no_annotation
program
cp prog good
for at in $(seq 1 61 9000); do
	cp good prog
	printf '\%03o' $((at * 37 % 256)) | dd of=prog bs=1 seek="$at" conv=notrunc status=none
	check opannotate --session-dir="$DIR" -a -s
done
