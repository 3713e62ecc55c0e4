#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: a name only where the symbol table, or debug information, covers the address

build()
{
	gcc -nostdlib -static -Wl,-Ttext=0x401000 -Wl,-e0x401000 -Wl,--build-id=none "$@"
}

# From lines "NAME SIZE [unsized]": functions with entries in .eh_frame.
functions()
{
	while read -r name size kind; do
		printf '.globl %s\n.type %s, @function\n%s:\n.cfi_startproc\n' "$name" "$name" "$name"
		printf '.rept %s\nnop\n.endr\n.cfi_endproc\n' "$size"
		[ "$kind" = unsized ] || printf '.size %s, .-%s\n' "$name" "$name"
	done
	printf '.section .note.GNU-stack, ""\n'
}

requirement code_behind_the_end_of_a_function_has_no_name
functions >code.s <<-EOF
	first 16
	hidden 32
	last 16
EOF
build -o prog code.s
objcopy --strip-symbol=hidden prog
session <<-EOF
	image prog TIMER
	0x100f 1, 0x1010 30, 0x102f 2, 0x1030 4
EOF
report -l -n -f

requirement a_function_goes_on_behind_one_that_is_nested_in_it
cat >code.s <<-EOF
	.globl outer
	.type outer, @function
	.type inner, @function
	.type deeper, @function
	outer:
	.fill 16, 1, 0x90
	inner:
	.fill 8, 1, 0x90
	deeper:
	.fill 8, 1, 0x90
	.size deeper, .-deeper
	.fill 16, 1, 0x90
	.size inner, .-inner
	.fill 16, 1, 0x90
	.size outer, .-outer
	.section .note.GNU-stack, ""
EOF
build -o prog code.s
session <<-EOF
	image prog TIMER
	0x1000 1, 0x1010 2, 0x1018 4, 0x1020 8, 0x1030 16
EOF
reports <<-EOF
	-l -n
	-d -n
EOF

requirement a_symbol_without_a_size_ends_where_another_function_begins
functions >code.s <<-EOF
	bare 16 unsized
	hidden 32
	sized 16
	tail 16 unsized
EOF
build -Wl,--eh-frame-hdr -o prog code.s
objcopy --strip-symbol=hidden prog
session <<-EOF
	image prog TIMER
	0x1000 1, 0x1010 20, 0x1030 3, 0x1040 4
EOF
report -l -n -f

requirement a_label_in_a_function_is_not_its_end
cat >code.s <<-EOF
	.globl whole, label
	.type whole, @function
	whole:
	.fill 16, 1, 0x90
	label:
	.fill 16, 1, 0x90
	.size whole, .-whole
	.section .note.GNU-stack, ""
EOF
build -o prog code.s
session <<-EOF
	image prog TIMER
	0x1000 1, 0x1010 2
EOF
report -l -n

# A trampoline of signals, or where a coroutine begins, is in chains by its first byte; a function
# that ends with a call is in them by the byte behind it.
requirement callers_that_were_never_called_have_their_own_names
functions >code.s <<-EOF
	leaf 16
	hidden 16
	trampoline 16
	ends_with_call 16
	behind 16
EOF
build -o prog code.s
objcopy --strip-symbol=hidden prog
session <<-EOF
	image prog TIMER
	0x1001 7
	stacks prog TIMER
	stack 3 prog+0x1001 prog+0x1020 prog+0x1035
	stack 4 prog+0x1001 prog+0x1040
EOF
report --tree -n
opexport --session-dir="$DIR" --to=folded
opexport --session-dir="$DIR" --to=pprof --output=out.prof
opexport --from=out.prof --to=folded

# What the linker has removed has debug information at address 0 and up, as long as it was.
requirement code_that_the_linker_removed_names_no_other
cat >dead.c <<-EOF
	extern volatile unsigned long sink;
	static inline __attribute__((always_inline)) void dead_inlined(int i) { sink += i; }
	void dead(int i)
	{
EOF
i=0
while [ $((i += 1)) -le 1000 ]; do
	echo "	dead_inlined(i * $i);"
done >>dead.c
echo '}' >>dead.c
cat >live.s <<-EOF
	.section .text.live, "ax", @progbits
	.globl live, sink
	.type live, @function
	live:
	.fill 64, 1, 0x90
	.size live, .-live
	.bss
	sink: .skip 8
	.section .note.GNU-stack, ""
EOF
gcc -g -O1 -ffunction-sections -c dead.c
gcc -c live.s
gcc -nostdlib -static -Wl,-Ttext=0x1000 -Wl,-elive -Wl,--gc-sections -Wl,--build-id=none -o prog \
	live.o dead.o
check test "$(nm prog | grep -c dead)" = 0
at=$(readelf -lW prog | awk '$1 == "LOAD" && /R E/ { print $2; exit }')
session <<-EOF
	image prog TIMER
	$at 3
EOF
report -l -g --inline -n

requirement split_debug_information_that_is_missing_is_told
cat >work.c <<-EOF
	volatile unsigned long sink;
	static inline __attribute__((always_inline)) void inlined(void) { sink++; }
	void _start(void) { inlined(); }
EOF
gcc -gdwarf-5 -gsplit-dwarf -O1 -fcf-protection=none -nostdlib -static -Wl,-Ttext=0x401000 \
	-Wl,--build-id=none -o prog work.c
session <<-EOF
	image prog TIMER
	0x1000 3
EOF
report -l -n --inline
rm -f ./*.dwo
report -l -n --inline

requirement calls_of_inlined_functions_have_their_lines
cat >work.c <<-EOF
	volatile unsigned long sink;
	static inline __attribute__((always_inline)) void inner(void)
	{
		sink++;
	}
	static inline __attribute__((always_inline)) void outer(void)
	{
		inner();
	}
	void _start(void)
	{
		outer();
	}
EOF
gcc -g -O1 -fcf-protection=none -nostdlib -static -Wl,-Ttext=0x401000 -Wl,--build-id=none -o prog work.c
session <<-EOF
	image prog TIMER
	0x1000 3
	stacks prog TIMER
	stack 3 prog+0x1000
EOF
opexport --session-dir="$DIR" --to=callgrind | grep -A 3 -e '^fn=' -e '^calls='
opexport --session-dir="$DIR" --to=pprof --output=out.prof
opexport --from=out.prof --to=callgrind | grep -A 3 -e '^fn=' -e '^calls='
chown 65534:65534 prog 2>/dev/null || :	# what reads it is a process apart then
opexport --session-dir="$DIR" --to=callgrind | grep -A 1 -e '^calls='
