#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport --jit-dir: code of JIT compilers, as their processes wrote it down

samples_of_node()
{
	session <<-EOF
		image /usr/bin/node {anon:anon}/77.0x7f0000000000.0x7f0000010000 TIMER
		0x100 1, 0x1ff 2, 0x200 4, 0x300 8, 0x8000 16
		image /usr/bin/node {anon:[heap]}/77.0x1000000.0x1001000 TIMER
		0x10 32
		image /usr/bin/node {anon:anon}/78.0x7f0000000000.0x7f0000010000 TIMER
		0x100 64
	EOF
	mkdir jit shared
	chmod 1777 shared
}

# Blanks in names, wrong lines, and memory that is used again.
perf_map()
{
	write "$1/perf-77.map" <<-EOF
		7f0000000100 100 LazyCompile:~add /srv/app.js:3
		7f0000000200 200 old
		not a line
		7f0000000300
		7f0000000300 zz wrong
		7f0000000280 100 _Z3addii
		ffffffffffffffff 2 beyond
		7f0000008000 10 old
		1000000 20 in_the_heap
	EOF
}

requirement perf_map_names_functions
samples_of_node
perf_map jit
report -l -n -w tgid:all --jit-dir "$DIR/jit"

requirement perf_map_is_below_tmp_in_an_archive
samples_of_node
perf_map archive/tmp
mkdir -p "archive$PWD"
mv samples "archive$PWD"
report -l -n "archive:$DIR/archive" '[[]heap]'

# As Java and Erlang write it
requirement perf_map_may_have_prefixed_numbers
samples_of_node
write jit/perf-77.map <<-EOF
	0x00007f0000000100 0x100 long Busy.hot(int)
	0X7f0000000200 200 mixed
	0x 10 nothing
EOF
report -l -n -w tgid:all --jit-dir "$DIR/jit"

# Where anybody may write, only files of certain users are believed.
requirement perf_map_of_others_is_refused
heap()
{
	report -l -n '[[]heap]' --jit-dir "$DIR/$1"
}
samples_of_node
perf_map shared
heap shared
mv shared/perf-77.map jit
ln -s ../jit/perf-77.map shared
heap shared
rm shared/perf-77.map
mkfifo shared/perf-77.map
heap shared
if [ "$(id -u)" = 0 ]; then # else files of other users cannot be made
	rm shared/perf-77.map
	cp jit/perf-77.map shared
	chown 54321 shared/perf-77.map
	opreport --session-dir="$DIR" -l -n '[[]heap]' --jit-dir "$DIR/shared" >out 2>err
	check test -z "$(grep in_the_heap out)"
	check grep -q '/shared/perf-77.map: owned by another user (54321)' err
	chown 54321 jit/perf-77.map
	opreport --session-dir="$DIR" -l -n '[[]heap]' --jit-dir "$DIR/jit" >out 2>err
	check grep -q in_the_heap out
	check test ! -s err
fi

# No process can have this pid, but the one below.
requirement perf_map_must_be_of_the_process_that_was_sampled
in_shared()
{
	session <<-EOF
		image /usr/bin/node {anon:[heap]}/$1.0x1000000.0x1001000 TIMER
		0x10 32
	EOF
	mkdir -p shared
	chmod 1777 shared
	echo '1000000 20 in_the_heap' >"shared/perf-$1.map"
}
named()
{
	opreport --session-dir="$DIR" -l -n '[[]heap]' --jit-dir "$DIR/shared" >out 2>err
	grep -c in_the_heap out || :
	sed -n 's/.*map: //p' err | sed "s/$(id -u)/UID/g"
}
user=$(id -u)
now=$(date +%s)
in_shared 4999999
sessions_process()
{
	echo "$@" | sed 's/$/ 0 /' >samples/current/processes
	named
}
echo "began before the file was written: $(sessions_process 4999999 "$user" $((now - 60))000000000)"
echo "began afterwards: $(sessions_process 4999999 "$user" $((now + 60))000000000)"
echo "of two: $(sessions_process "4999999 $user 1000000000
4999999 $user 9000000000")"
if [ "$user" = 0 ]; then # else files of other users cannot be made
	chown 54321 shared/*.map
	check test "$(sessions_process 4999999 54321 $((now - 60))000000000)" = 1
	check test "$(sessions_process 4999999 54322 $((now - 60))000000000 | head -n 1)" = 0
	rm samples/current/processes
	check test "$(named | head -n 1)" = 0
fi
rm -r samples shared
in_shared $$
echo "the pid is another process's: $(sessions_process $$ "$user" 1000000000)"
mv shared/* .
echo "so it was then: $(opreport --session-dir="$DIR" -l -n '[[]heap]' --jit-dir "$DIR" 2>&1 |
	grep -c in_the_heap)"

# Two functions; records without an address: no lines, and a kind that is not known; one
# of the functions moves; a third function.
jitdump()
{
	python3 - "$1" >jit/jit-77.dump <<-EOF
		import struct, sys
		order = sys.argv[1]
		def put(form, *fields): sys.stdout.buffer.write(struct.pack(order + form, *fields))
		def load(address, size, name):
		    name = name + b"\\0"
		    put("IIQIIQQQQ", 0, 16 + 40 + len(name) + 4, 2, 77, 77, address, address, size, 1)
		    sys.stdout.buffer.write(name + b"\\x90" * 4)
		put("IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 77, 1, 0)
		put("IIQQQ", 2, 32, 4, 2 ** 64 - 1, 0)
		load(0x7f0000000100, 0x100, b"first")
		load(0x7f0000009000, 0x100, b"moved")
		put("IIQQ", 4711, 24, 4, 2 ** 64 - 1)
		put("IIQIIQQQQQ", 1, 64, 3, 77, 77, 0x7f0000000200, 0x7f0000009000, 0x7f0000000200, 0x100, 1)
		load(0x7f0000000300, 0x10, b"last")
	EOF
}

requirement jitdump_names_functions_in_both_byte_orders
samples_of_node
jitdump '<'
report -l -n tgid:all 'image:*node' --jit-dir "$DIR/jit" -f -e in_the_heap,nothing
jitdump '>'
report -l -n tgid:all 'image:*node' --jit-dir "$DIR/jit" -f -e in_the_heap,nothing

# Of two functions, with lines told before the one and after the other.
jitdump_with_lines()
{
	python3 - "$1" >jit/jit-77.dump <<-EOF
		import struct, sys
		order = sys.argv[1]
		def put(form, *fields): sys.stdout.buffer.write(struct.pack(order + form, *fields))
		def load(address, size, name):
		    put("IIQIIQQQQ", 0, 56 + len(name) + 1, 2, 77, 77, address, address, size, 1)
		    sys.stdout.buffer.write(name + b"\\0")
		def lines(address, *all):
		    put("IIQQQ", 2, 32 + sum(17 + len(name) for _, _, name in all), 2, address, len(all))
		    for at, line, name in all:
		        put("QII", at, line, 0)
		        sys.stdout.buffer.write(name + b"\\0")
		put("IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 77, 1, 0)
		lines(0x7f0000000100, (0x7f00000001f0, 5, b"a.x"), (0x7f0000000100, 3, b"b/c.x"))
		load(0x7f0000000100, 0x100, b"first")
		load(0x7f0000000200, 0x110, b"second")
		lines(0x7f0000000200, (0x7f0000000280, 9, b"d.x"))
	EOF
}

# V8 writes it to the directory of the program.
requirement jitdump_is_found_where_the_process_had_it
samples_of_node
jitdump '<'
mkdir elsewhere
mv jit/jit-77.dump elsewhere
echo "77 $(id -u) 1000000000 77 $DIR/elsewhere/jit-77.dump" >samples/current/processes
report -l -n -w tgid:all --jit-dir "$DIR/jit"
# What the process had mapped is its user's, and no link leads there.
elsewhere()
{
	echo "$1: $(opreport --session-dir="$DIR" -l -n tgid:all --jit-dir "$DIR/jit" 2>/dev/null |
		grep -c 'first$')"
}
echo "77 54321 1000000000 77 $DIR/elsewhere/jit-77.dump" >samples/current/processes
elsewhere "of another user than the file"
ln -s elsewhere link
echo "77 $(id -u) 1000000000 77 $DIR/link/jit-77.dump" >samples/current/processes
elsewhere "behind a link"
echo 7f0000000100 100 by_the_map >jit/perf-4999999.map
echo "77 $(id -u) 1000000000 4999999 " >samples/current/processes
report -l -n -w tgid:all --jit-dir "$DIR/jit"
check kill -0 $$
mv jit/perf-4999999.map "jit/perf-$$.map"
echo "77 $(id -u) 1000000000 $$ " >samples/current/processes
echo "a process has that pid: $(opreport --session-dir="$DIR" -l -n tgid:all --jit-dir "$DIR/jit" | grep -c by_the_map)"

requirement jitdump_names_lines_in_both_byte_orders
samples_of_node
for order in '<' '>'; do
	jitdump_with_lines "$order"
	report --details --debug-info -n tgid:all 'image:*node' --jit-dir "$DIR/jit" -l
done

# fuzz_pp_jit changes and cuts dumps anywhere.
requirement damaged_jitdump_is_used_up_to_the_damage
samples_of_node
jitdump '<'
truncate -s -5 jit/jit-77.dump
report -l -n --jit-dir "$DIR/jit"

# An object with code at three addresses, of which opjitconv makes sections, or one linked program.
jit_object()
{
	as -o code.o - <<-EOF
		.section jit.a, "ax"
		.globl first
		first: .zero 0x100
		.globl second
		second: .zero 0x100
		.section jit.b, "ax"
		.globl _ZN4Math3addEii
		_ZN4Math3addEii: .zero 0x40
		.section jit.c, "ax"
		.globl elsewhere
		elsewhere: .zero 0x40
	EOF
	objcopy --change-section-vma jit.a=0x7f0000000100 \
		--change-section-vma jit.b=0x7f0000008000 \
		--change-section-vma jit.c=0x7f0000010000 code.o made.jo
	if [ "$1" = linked ]; then
		ld -e 0 --section-start=jit.a=0x7f0000000100 \
			--section-start=jit.b=0x7f0000008000 \
			--section-start=jit.c=0x7f0000010000 -o made.jo code.o
	fi
	mv made.jo "samples/current/{root}/usr/bin/node/{dep}/{anon:anon}/77.jo"
}

# Other memory of the process, and other processes, have no object.
requirement objects_of_opjitconv_name_functions
samples_of_node
for kind in sections linked; do
	jit_object $kind
	report -l -n -w tgid:all --jit-dir "$DIR/jit"
done

requirement damaged_objects_are_reported
samples_of_node
jit_object sections
truncate -s 300 "samples/current/{root}/usr/bin/node/{dep}/{anon:anon}/77.jo"
report -l -n tgid:all --jit-dir "$DIR/jit"
rm "samples/current/{root}/usr/bin/node/{dep}/{anon:anon}/77.jo"
mkfifo "samples/current/{root}/usr/bin/node/{dep}/{anon:anon}/77.jo"
report -l -n tgid:all --jit-dir "$DIR/jit"
