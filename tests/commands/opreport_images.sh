#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: where symbols come from, and what is shown without them

# The kernel by saved symbols, by a vmlinux, and not at all.
requirement kernel_symbols_come_from_kallsyms_or_vmlinux
images
session <<-EOF
	image {kern}/kallsyms TIMER
	0x0 1, 0xff 2, 0x100 4, 0x1ff 8
	image {kern}/ext4 TIMER
	0x0 16, 0x50 32, 0x90 64
	image {kern}/[bpf] TIMER
	0xffffffffc0009010 3
	image {kern}/gone TIMER
	0x90 128
	image {kern}/no-vmlinux TIMER
	0xffffffff81000104 256, 0xffffffffc0000044 512
EOF
reports <<-EOF
	-l -n kallsyms
	-l -n no-vmlinux
EOF
write samples/current/kallsyms <<-EOF
	nonsense
	0000000000000000 A fixed_percpu_data
	ffffffff81000000 T _stext
	ffffffff81000000 T startup_64
	ffffffff81000050 d data
	ffffffff81000100 T __do_work
	ffffffff81000100 T do_work
	ffffffff81000200 T _etext
	ffffffffc0000040 t ext4_read	[ext4]
	ffffffffc0000080 t ext4_write	[ext4]
	ffffffffc0001000 t other	[other]
	ffffffffc0009000 t bpf_prog_1	[bpf]
	ffffffffc0009020 t bpf_prog_2	[bpf]
EOF
write samples/current/modules <<-EOF
	other 0xffffffffc0001000 4096 -
	ext4 ffffffffc0000000 1000 0123
EOF
reports <<-EOF
	-l -w kallsyms
	-d -n kallsyms ext4
	-l -n -w [[]bpf]
	-l -n no-vmlinux
	-l -n gone
	-n
EOF
session <<-EOF
	is_kernel 1
	image prog TIMER
	0x10 7
EOF
report -l -n -w "$DIR/prog"

# Saved symbols as they are, packed, and damaged.
requirement kallsyms_may_be_packed_and_damage_is_reported_once
images
session <<-EOF
	image prog TIMER
	0x1010 6
	image {kern}/kallsyms TIMER
	0x10 3
	image {kern}/demo TIMER
	0x50 2
	image {kern}/[bpf] TIMER
	0xffffffffc0009010 1
EOF
write samples/current/modules <<-EOF
	demo ffffffffc0000000 1000 -
EOF
write samples/current/kallsyms <<-EOF
	ffffffff81000000 T _stext
	ffffffff81000000 T startup_64
	ffffffff81000200 T _etext
	ffffffffc0000040 t demo_read	[demo]
	ffffffffc0009000 t bpf_prog_1	[bpf]
EOF
report -l -n
zstd -qc samples/current/kallsyms > packed
cp packed samples/current/kallsyms
report -l -n
# The checksum is at the end; kilobytes of zeros would become more than memory should hold; half
# of the magic is text.
damage()
{
	sh -c "$*" >samples/current/kallsyms
	of_session opreport -l -n
}
each damage <<-EOF
	head -c 60 packed
	head -c 4 packed
	head -c -1 packed; printf x
	cat packed; echo more
	head -c 70000000 /dev/zero | zstd -qc
	head -c 2 packed
EOF

# Memory without a file is shown by what is known of it.
requirement memory_without_file_is_named_by_its_mapping
images
session <<-EOF
	image prog TIMER
	0x1010 6
	image prog {anon:anon}/7.0x7f0000000000.0x7f0000010000 TIMER
	0x10 3
	image prog {anon:[vdso]}/7.0x7fff0000.0x7fff2000 TIMER
	0x20 1
EOF
reports <<-EOF

	-l -w
	-n [vdso]
	-n lib-image:anon
EOF

# Several sessions, and images at other places.
requirement images_are_found_below_image_path_root_and_archive
images
session <<-EOF
	image prog TIMER
	0x1010 6
EOF
cp -r samples/current samples/night
reports <<-EOF
	-n session:night
	-n session:current,night
	-n session:*
	-n session:* session-exclude:night
	-n session:$DIR/samples/night
	-n session-exclude:current
EOF
mkdir -p elsewhere/deep twice/a twice/b "root$PWD" "archive$PWD"
cp prog elsewhere/deep
cp prog twice/a
cp prog twice/b
cp prog "root$PWD"
cp prog "archive$PWD"
cp -r samples "archive$PWD"
rm prog
reports <<-EOF
	-l -n
	-l -n -p $DIR/elsewhere
	-l -n -R $DIR/root
	-l -n -p $DIR/twice
EOF
rm -r samples
report -l -n "archive:$DIR/archive"

requirement changed_image_is_reported
images
session <<-EOF
	mtime 1000000000
	image prog TIMER
	0x1010 60
EOF
report -l -n
touch -d @1000000000 prog
report -l -n

# Programs without symbols, and where else the symbols may be.
requirement symbols_of_stripped_images_come_from_debug_files
images
session <<-EOF
	image prog TIMER
	0x1010 60
	image lib.so TIMER
	0x1000 30, 0x101f 3, 0x1020 1
EOF
objcopy --only-keep-debug prog prog.dbg
strip prog
strip lib.so
report -d -n
objcopy --add-gnu-debuglink=prog.dbg prog
report -l -g -n "$DIR/prog"
mkdir .debug
mv prog.dbg .debug/
report -l -g -n "$DIR/prog"
cp .debug/prog.dbg .debug/good
echo >>.debug/prog.dbg
report -l -g -n "$DIR/prog"
d=root/usr/lib/debug/.build-id/01
mkdir -p $d "root$PWD"
mv .debug/good $d/23456789abcdef0123456789abcdef01234567.debug
cp prog "root$PWD"
report -l -g -n -R "$DIR/root" prog

# Without section headers only the segments tell where code is.
requirement code_without_section_headers_is_found_by_segments
images
session <<-EOF
	image prog TIMER
	0x1010 60, 0x2004 6
EOF
strip prog
for field in 40:8 60:2 62:2; do # e_shoff, e_shnum, e_shstrndx
	dd if=/dev/zero of=prog bs=1 seek=${field%%:*} count=${field#*:} conv=notrunc status=none
done
report -d -n

requirement code_without_symbols_has_addresses_in_details_only
images
session <<-EOF
	image gone TIMER
	0x10 3, 0x20 1
EOF
reports <<-EOF
	-l -n
	-d -n
	-c -n
	--csv -n -d
EOF

# The kernel maps it into each process at another address; keys are offsets in it.
requirement processes_have_one_vdso
images
session <<-EOF
	image prog {anon:[vdso]}/7.0x7ffff7fc1000.0x7ffff7fc3000 TIMER
	0x20 1
	image prog {anon:[vdso]}/8.0x7ffd00001000.0x7ffd00003000 TIMER
	0x20 2
	image lib.so {anon:[vdso]}/9.0x7ffe00001000.0x7ffe00003000 TIMER
	0x20 4
	stacks prog TIMER
	stack 1 {anon:[vdso]}/7.0x7ffff7fc1000.0x7ffff7fc3000+0x20 prog+0x1015
	stack 2 {anon:[vdso]}/8.0x7ffd00001000.0x7ffd00003000+0x20 prog+0x1015
EOF
reports <<-EOF
	-n
	-n -l
	-n -m lib
	-n --children
	-n -l -w
	--csv
EOF
