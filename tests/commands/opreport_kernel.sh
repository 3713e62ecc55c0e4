#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport and opannotate: files of the kernel, found by name and build-id

# demo_x is loaded at 0xffffffffc0000000: demo_read at 0, demo_write at 0x28, demo_warn at 0x50
# (0x41 aligned to 16), cleanup_module at 0x60; init_module is elsewhere.
module_session()
{
	session <<-EOF
		image {kern}/demo_x TIMER
		0x0 1, 0x27 2, 0x28 4, 0x40 8, 0x50 16, 0x5f 32, 0x60 64
	EOF
	write samples/current/modules <<-EOF
		kallsyms ffffffff81000000 1000000 -
		demo_x ffffffffc0000000 4000 00112233445566778899aabbccddeeff00112233
	EOF
	write samples/current/kallsyms <<-EOF
		ffffffff81000000 T _stext
		ffffffff81000100 T do_work
	EOF
	as -o unlinked.o "$SOURCES/module.s"
	ld -r --build-id=0x00112233445566778899aabbccddeeff00112233 -o demo-x.ko unlinked.o
	mkdir -p root/lib/modules/5.5.5/kernel/fs root/lib/modules/6.6.6/extra
}

# No symbols of it are in kallsyms: they are in the file, which is named with '-'.  Another version
# stands in another release.
requirement modules_are_found_by_build_id_in_any_compression
module_session
ld -r --build-id=0x9988776655443322 -o root/lib/modules/5.5.5/kernel/fs/demo_x.ko unlinked.o
compressed()
{
	"$1" <demo-x.ko >"root/lib/modules/6.6.6/extra/$2"
	reports <<-EOF
		-l -w -n -R $DIR/root
		-l -n -g -R $DIR/root
		-l -w -n -p $DIR/root
	EOF
	rm root/lib/modules/6.6.6/extra/*
	report -l -w -n -R "$DIR/root"
}
each compressed <<-EOF
	cat demo-x.ko
	xz demo-x.ko.xz
	xz demo_x.ko.xz
	zstd demo_x.ko.zst
	gzip demo-x.ko.gz
EOF

# A session without build-ids: only if there is one file, it is that.
requirement modules_without_build_id_must_be_unique
module_session
write samples/current/modules <<-EOF
	demo_x ffffffffc0000000 4000 -
EOF
cp demo-x.ko root/lib/modules/6.6.6/extra
reports <<-EOF
	-l -w -n -R $DIR/root
	-l -w -n
EOF
cp demo-x.ko root/lib/modules/5.5.5/demo_x.ko
report -l -w -n -R "$DIR/root"

# Of a kernel whose symbols were not readable: the list of modules tells which files are its own.
requirement modules_without_saved_symbols_must_have_their_build_id
module_session
rm samples/current/kallsyms
write samples/current/modules <<-EOF
	kallsyms ffffffff81000000 1000000 0011223344556677889900112233445566778899
	demo_x ffffffffc0000000 4000 00112233445566778899aabbccddeeff00112233
EOF
ld -r --build-id=0x9988776655443322 -o root/lib/modules/5.5.5/kernel/fs/demo_x.ko unlinked.o
try opreport -l -n --session-dir="$DIR" --root="$DIR/root"
cp demo-x.ko root/lib/modules/6.6.6/extra
try opreport -l -n --session-dir="$DIR" --root="$DIR/root"

# Packed files that are damaged, or are no modules inside: said once, and no symbols.
requirement damaged_modules_are_reported
module_session
xz -c demo-x.ko | head -c 200 >root/lib/modules/6.6.6/extra/demo_x.ko.xz
report -l -w -n -R "$DIR/root"
head -c 100000 /dev/zero | xz -c >root/lib/modules/6.6.6/extra/demo_x.ko.xz
report -l -w -n -R "$DIR/root"

# kallsyms has the last word; a file that contradicts it has no code of this kernel.
requirement kallsyms_overrides_the_module_file
module_session
write samples/current/kallsyms <<-EOF
	ffffffff81000000 T _stext
	ffffffffc0000000 t demo_read	[demo_x]
	ffffffffc0000020 t renamed	[demo_x]
	ffffffffc0000044 t other	[demo_x]
EOF
cp demo-x.ko root/lib/modules/6.6.6/extra
reports <<-EOF
	-l -w -n
	-l -n -g -R $DIR/root
EOF

requirement modules_are_annotated
module_session
zstd -q -o root/lib/modules/6.6.6/extra/demo_x.ko.zst demo-x.ko
of_session opannotate -a -R "$DIR/root"
of_session opannotate -a

# kallsyms has such code as of a module, which it is not.
requirement code_that_the_kernel_has_made_is_called_by_its_kind
session <<-EOF
	image {kern}/[__builtin__ftrace] TIMER
	0xffffffffc0200010 7
	image {kern}/[__builtin__kprobes] TIMER
	0xffffffffc0201010 3
	image {kern}/[bpf] TIMER
	0xffffffffc0202010 1
EOF
write samples/current/kallsyms <<-EOF
	ffffffff81000000 T _stext
	ffffffffc0200000 t ftrace_trampoline	[__builtin__ftrace]
	ffffffffc0201000 t kprobe_insn_page	[__builtin__kprobes]
	ffffffffc0202000 t bpf_prog_1	[bpf]
EOF
reports <<-EOF
	-n
	-l -n
	-n image:[ftrace]
	-n image:[__builtin__ftrace]
	-n -f
EOF

# What there was no room for has no symbols, which nobody need be told.
requirement images_that_stand_for_others_have_no_symbols
session <<-EOF
	image {kern}/{other} TIMER
	0x0 7
EOF
write samples/current/kallsyms <<-EOF
	ffffffff81000000 T _stext
EOF
report -l -n
of_session opannotate -a

# The kernel was loaded elsewhere than it was linked to be.
requirement vmlinux_is_relocated
session <<-EOF
	image {kern}/kallsyms TIMER
	0x10 3, 0x30 1
EOF
write samples/current/modules <<-EOF
	kallsyms ffffffff9a000000 1000 00112233445566778899aabbccddeeff00112233
EOF
write samples/current/kallsyms <<-EOF
	ffffffff9a000000 T _stext
	ffffffff9a000010 T hot
	ffffffff9a000030 T cold
	ffffffff9a000040 t quiet
	ffffffff9a000060 T _etext
EOF
mkdir debug
gcc -nostdlib -static -mcmodel=kernel -Wl,-Ttext=0xffffffff81000000 \
	-Wl,--section-start=.odd=0xffffffff81003000 -Wl,--defsym=_stext=_start \
	-Wl,--build-id=0x00112233445566778899aabbccddeeff00112233 -o debug/vmlinux-9.9 "$SOURCES/prog.s"
reports <<-EOF
	-l -w -n -p $DIR/debug
	-l -w -n -g -p $DIR/debug
	-l -w -n -g
EOF
of_session opannotate -a -p "$DIR/debug"
of_session opannotate -a

# Of the kernel that runs, by its build-id; bytes of its mapping are keys.
requirement vdso_is_that_of_the_running_kernel
id=$(od -An -v -tx1 /sys/kernel/notes 2>/dev/null | tr -d ' \n' |
	sed -n 's/.*1400000003000000474e5500\(.\{40\}\).*/\1/p')
python3 - <<-EOF
	for line in open("/proc/self/maps"):
	    if "[vdso]" in line:
	        start, end = (int(n, 16) for n in line.split()[0].split("-"))
	        with open("/proc/self/mem", "rb") as memory, open("vdso", "wb") as out:
	            memory.seek(start)
	            out.write(memory.read(end - start))
EOF
if [ -n "$id" ] && [ -s vdso ]; then
	offset=$(nm -D vdso | awk '$3 ~ /^__vdso_gettimeofday/ {print $1; exit}')
	write samples/current/kallsyms <<-EOF
		ffffffff81000000 T _stext
	EOF
	echo "kallsyms ffffffff81000000 1000 $id" >samples/current/modules
	session <<-EOF
		image /x {anon:[vdso]}/7.0x7ffff7fc1000.$(printf 0x%x $((0x7ffff7fc1000 + $(wc -c <vdso)))) TIMER
		$((0x$offset + 1)) 5
	EOF
	opreport --session-dir="$DIR" -l -n -w >out 2>err
	check test ! -s err
	check grep -q "^$(printf %016x $((0x7ffff7fc1000 + 0x$offset))) 5 *100.000 .*gettimeofday$" out
	opannotate --session-dir="$DIR" -a >out
	check grep -q 'gettimeofday>: ' out
	# Another kernel's is not that of this one.
	echo "kallsyms ffffffff81000000 1000 $(echo "$id" | tr 0-9a-f 1-9a-f0)" >samples/current/modules
	opreport --session-dir="$DIR" -l -n >out 2>err
	check test ! -s err
	check grep -q '^5 .* \[vdso\]$' out
	check test -z "$(grep gettimeofday out)"
fi

# OProfile 1 without vmlinux: keys count from the start of the kernel, or are addresses.
requirement the_kernel_of_oprofile_1_has_the_symbols_of_its_copy_of_kallsyms
session <<-EOF
	is_kernel 1
	image /proc/kallsyms TIMER
	0x10 1, 0x100 2, 0x1f0 4, 0xffffffff81000110 8, 0x7fffffff 16
EOF
copy()
{
	write "$1" <<-EOF
		ffffffff81000000 T _stext
		ffffffff81000100 T do_work
		ffffffff81000200 T rest
		ffffffff81001000 T _etext
	EOF
}
report -l -w -n
for place in samples/current/kallsyms samples/kallsyms kallsyms root/proc/kallsyms; do
	copy $place
	opreport --session-dir="$DIR" -l -w -n -R "$DIR/root"
	rm $place
done
