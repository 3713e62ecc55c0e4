#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport and others: files of a session, and files that it names, that somebody else made

# briefly COMMAND... - the command; what waits or reads on and on is stopped
briefly()
{
	command=$1
	shift
	try timeout 100 "$command" --session-dir="$DIR" "$@"
}

sample()
{
	images
	cp prog node
	session <<-EOF
		image prog TIMER
		0x1010 3
		image {kern}/kallsyms TIMER
		0xffffffff81000000 5
		image node {anon:anon}/77.0x7f0000000000.0x7f0000010000 TIMER
		0x100 1
	EOF
}

requirement fifos_in_a_session_do_not_hold_up_anything
sample
for name in modules kallsyms source stats; do
	rm -rf "samples/current/$name"
	mkfifo "samples/current/$name"
done
briefly opreport -l -n
briefly opannotate --assembly prog
briefly oparchive -o "$DIR/archive"
rm samples/current/modules
ln -s /dev/tty samples/current/modules
briefly opreport -n

requirement jit_maps_of_too_many_functions_are_refused
sample
mkdir jit
# one too many
seq 0 1048576 | awk '{ printf "7f0000%06x 1 f\n", $1 }' >jit/perf-77.map
briefly opreport -l -n --jit-dir "$DIR/jit"
sed -i '$d' jit/perf-77.map
opreport --session-dir="$DIR" -l -n --jit-dir "$DIR/jit" >out 2>err
check grep -q ' f$' out

requirement jit_maps_of_too_many_bytes_are_refused
sample
mkdir jit
echo '7f0000000100 10 name' >jit/perf-77.map
truncate -s $((64 * 1024 * 1024 + 1)) jit/perf-77.map
briefly opreport -l -n --jit-dir "$DIR/jit"
mv jit/perf-77.map jit/jit-77.dump
truncate -s $((256 * 1024 * 1024 + 1)) jit/jit-77.dump
briefly opreport -l -n --jit-dir "$DIR/jit"

# The file has a million bytes on disk at most; 80 MiB is more than it may make.
requirement debug_sections_that_swell_are_not_unpacked
sample
python3 - <<-EOF
	import struct, zlib
	size = 128 << 20
	packed = zlib.compress(bytes(size), 9)
	open("packed", "wb").write(struct.pack("<IIQQ", 1, 0, size, 1) + packed)
	open("old", "wb").write(b"ZLIB" + struct.pack(">Q", size) + packed)
EOF
cp prog plain
# objcopy looks into sections of these names: they get them, and their flag, afterwards
name_it()
{
	python3 - "$@" <<-EOF
		import struct, sys
		was, name, flags = sys.argv[1].encode(), sys.argv[2].encode(), int(sys.argv[3], 0)
		data = bytearray(open("prog", "rb").read())
		start, = struct.unpack_from("<Q", data, 40)
		size, count, names = struct.unpack_from("<HHH", data, 58)
		strings, = struct.unpack_from("<Q", data, start + names * size + 24)
		for at in range(start, start + count * size, size):
		    text = strings + struct.unpack_from("<I", data, at)[0]
		    if data[text:].startswith(was):
		        data[text:text + len(was)] = name
		        struct.pack_into("<Q", data, at + 8, flags)
		open("prog", "wb").write(data)
	EOF
}
objcopy --add-section .1ebug_str=packed prog
name_it .1ebug_str .debug_str 0x800
briefly opreport -l -n -g prog
objcopy --add-section .1debug_str=old plain prog
name_it .1debug_str .zdebug_str 0
briefly opreport -l -n -g prog

# As a file of 40 GB that takes no room on the disk.
requirement a_sparse_debug_file_is_not_read_for_its_crc
sample
echo debug >prog.debug
objcopy --strip-all --remove-section=.note.gnu.build-id --add-gnu-debuglink=prog.debug prog 2>err
truncate -s 40G prog.debug
briefly opreport -l -n prog

# For root, a process of its own reads what others own: the same symbols, and what it costs is lost
# with it.
requirement files_of_other_users_are_read_apart
if [ "$(id -u)" = 0 ]; then # else files of other users cannot be made
	sample
	chmod 4700 prog
	opreport --session-dir="$DIR" -l -n -a -g >own 2>own.err
	chown 54321 prog
	chmod 700 prog
	opreport --session-dir="$DIR" -l -n -a -g >others 2>others.err
	check cmp own others
	check cmp own.err others.err
	check grep -q hot others
	chown -h 54321 lib.so
	cp -p lib.so damaged
	printf 'damage' | dd of=damaged bs=1 seek=58 conv=notrunc status=none
	chown 54321 damaged
	session <<-EOF
		image damaged TIMER
		0x1000 10
	EOF
	opreport --session-dir="$DIR" -l -n damaged >others 2>others.err
	chown 0 damaged
	opreport --session-dir="$DIR" -l -n damaged >own 2>own.err
	check cmp own others
	check cmp own.err others.err
fi
