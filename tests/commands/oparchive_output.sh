#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# oparchive: what is in an archive, and that a report of it is the same on a machine that has
# neither the session nor the images

# All that there is: a library whose symbols are in its debug file, kernel symbols, statistics.
full_session()
{
	images
	mkdir .debug
	objcopy --only-keep-debug lib.so .debug/lib.debug
	strip lib.so
	objcopy --add-gnu-debuglink=.debug/lib.debug lib.so
	touch -d @981173106 prog
	write samples/current/kallsyms <<-EOF
		ffffffff81000000 T _stext
		ffffffff81000010 T first
	EOF
	echo 'ext4 0xffffffffc0000000 4096 -' >samples/current/modules
	echo started >samples/oprofiled.log
	echo 'little_endian 1' >abi
	echo 'not of this session' | write samples/saved/kallsyms
	: | write 'samples/current/{root}/.odb-unfinished'
	session <<-EOF
		stat cpu0/sample_received 5
		mtime 981173106
		image prog TIMER
		0x1010 600
		mtime 0
		image gone TIMER
		0x2010 5
		image prog lib.so TIMER
		0x1030 10
		arcs prog lib.so prog TIMER
		0x1000>0x1000 3
		image prog {kern}/kallsyms TIMER
		0x14 7
	EOF
}

requirement list_shows_the_files
full_session
of_session oparchive -l
of_session oparchive --list-files --exclude-dependent 'image:*prog'

# The archive moves to another directory; what was profiled is gone.
elsewhere()
{
	full_session
	of_session opreport -l -g -f | sed 1,2d >before
	of_session oparchive "$@"
	if [ -e out.tar.zst ]; then
		mkdir out
		tar --zstd -xf out.tar.zst -C out
	fi
	mkdir "$WORK/elsewhere"
	mv out "$WORK/elsewhere/moved"
	mv before "$WORK/elsewhere"
	requirement "report_of_the_archive_is_the_same ($*)"
	mv "$WORK/elsewhere"/* .
	rmdir "$WORK/elsewhere"
	of_session opreport -l -g -f archive:moved | sed 1,2d >after
	grep -v '^!' before >before.out
	grep -v '^!' after | diff before.out -
	check test -z "$(grep 'was changed' after)"
	cat after
	# An archive of an archive has the same in it.
	of_session oparchive -o again archive:moved
	diff -r moved again
}

requirement directory_has_all_that_a_report_needs
elsewhere -o "$DIR/out"

requirement tar_file_has_all_that_a_report_needs
elsewhere "--output=$DIR/out.tar.zst"

# Functions of the library are called, but have no samples.
requirement images_that_only_stacks_lead_to_are_archived
images
session <<-EOF
	image prog TIMER
	0x1010 6
	stacks prog TIMER
	stack 6 prog+0x1010 lib.so+0x1005 prog+0x1031
EOF
of_session oparchive -l
of_session opreport --tree -n
make_session --pack "$DIR"
of_session oparchive -l
of_session oparchive -o "$DIR/out"
rm prog lib.so
of_session opreport --tree -n "archive:$DIR/out"

requirement images_of_stacks_of_other_samples_are_left_out
images
cp prog other
session <<-EOF
	image prog TIMER
	0x1010 6
	image other lib.so TIMER
	0x1000 3
	stacks prog TIMER
	stack 6 prog+0x1010 prog+0x1031
	stacks other TIMER
	stack 3 lib.so+0x1005 other+0x1031
EOF
of_session oparchive -l "image:$DIR/prog"
of_session oparchive -l --exclude-dependent

# A debug file that only the build-id leads to is found by it in the archive.
requirement debug_files_are_archived_by_build_id
images
session <<-EOF
	image prog TIMER
	0x1010 600
EOF
debug=root/usr/lib/debug/.build-id/01
mkdir -p "root$DIR" $debug
objcopy --only-keep-debug prog $debug/23456789abcdef0123456789abcdef01234567.debug
strip prog
mv prog "root$DIR"
of_session opreport -l -g -n "--root=$DIR/root"
of_session oparchive -o "$DIR/out" "--root=$DIR/root"
of_session opreport -l -g -n "archive:$DIR/out"
of_session oparchive -l "--root=$DIR/root"

requirement tar_files_are_compressed_as_their_names_say
full_session
for suffix in tar tar.gz tgz tar.xz tar.zst tzst; do
	of_session oparchive "--output=$DIR/out.$suffix"
	case $suffix in
	tar) tar -xOf out.tar >"content.$suffix" ;;
	*gz) gzip -dc "out.$suffix" | tar -xO >"content.$suffix" ;;
	*xz) xz -dc "out.$suffix" | tar -xO >"content.$suffix" ;;
	*zst) zstd -dqc "out.$suffix" | tar -xO >"content.$suffix" ;;
	esac
	check test -s "content.$suffix"
	check cmp content.tar "content.$suffix"
done
check test "$(wc -c <out.tgz)" -lt "$(wc -c <out.tar)"
each of_session oparchive <<-EOF
	--output=$DIR/out.zip
	--output=$DIR/out
	--output=.tar
	--output=$DIR/out.tar
EOF
check test ! -e out.zip

requirement full_disk_leaves_no_tar_file
full_session
try full_disk oparchive --session-dir="$DIR" --output=out.tar.zst
check test ! -e out.tar.zst

requirement wrong_use_is_refused
full_session
echo mine | write full/file
each of_session oparchive <<-EOF

	-l -o /tmp/x
	-o $DIR/full
	-o /
	-o $DIR/no/such
	--output=$DIR/prog
	-o $DIR/new nothing
	-l session:none
	-l cpu:x
	-l -o
EOF
try ls full
check test ! -e new

# Damaged images have no debug file that could be found, and are copied as they are.
requirement damaged_images_are_copied
full_session
cp lib.so good
for at in $(seq 3 149 9000); do
	cp good lib.so
	printf '\%03o' $((at * 37 % 256)) | dd of=lib.so bs=1 seek="$at" conv=notrunc status=none
	rm -rf out
	check oparchive --session-dir="$DIR" -o out
	check cmp lib.so "out$DIR/lib.so"
done

# The maps of JIT code, the vdso of this kernel; and a file that was replaced.
requirement memory_is_archived
images
session <<-EOF
	image /x {anon:anon}/77.0x1000.0x2000 TIMER
	0x10 1
	image /x {anon:anon}/78.0x1000.0x2000 TIMER
	0x10 2
	file {root}/[deleted 0123456789abcdef]@DIR@/prog/{dep}/{root}/[deleted 0123456789abcdef]@DIR@/prog/TIMER.0.0.all.all.all
	0x1010 4
	image /x {anon:[vdso]}/7.0x7ffff7fc1000.0x7ffff7fc3000 TIMER
	0x800 4
EOF
echo '1000 20 jitted' | write jit/perf-77.map
echo '1000 20 another' >jit/perf-79.map
mkdir kept
mv prog kept
objcopy --remove-section=.note.gnu.build-id kept/prog prog 2>objcopy.log
echo 'ffffffff81000000 T _stext' >samples/current/kallsyms
id=$(od -An -v -tx1 /sys/kernel/notes 2>/dev/null | tr -d ' \n' |
	sed -n 's/.*1400000003000000474e5500\(.\{40\}\).*/\1/p')
if [ -n "$id" ]; then
	echo "kallsyms ffffffff81000000 1000 $id" >samples/current/modules
fi
oparchive --session-dir="$DIR" -p "$DIR/kept" --jit-dir "$DIR/jit" -o "$DIR/archive" 2>err
check test ! -e archive/tmp/perf-79.map
rm -r kept prog jit samples
if [ -n "$id" ]; then # of this kernel, if it is known which it is
	check cmp -n 4 "archive/[vdso] $id" /bin/sh
fi
of_session opreport -l -n "archive:$DIR/archive" 'image-exclude:*vdso*' | grep -v '^!'

# Root must not hand out what the owner of the session could not read.
requirement files_that_a_session_of_another_user_names_are_those_that_this_user_may_read
if [ "$(id -u)" = 0 ]; then # else files of other users cannot be made
	open=$(mktemp -d)
	images
	cp prog "$open/"
	mkdir "$open/closed"
	cp prog "$open/secret"
	cp prog "$open/group"
	cp prog "$open/closed/prog"
	chmod 755 "$open" "$open/prog" "$open/closed/prog"
	chmod 700 "$open/closed"
	chmod 600 "$open/secret"
	chmod 640 "$open/group"
	session <<-EOF
		image $open/prog TIMER
		0x1010 1
		image $open/secret TIMER
		0x1010 1
		image $open/group TIMER
		0x1010 1
		image $open/closed/prog TIMER
		0x1010 1
	EOF
	mv samples "$open/"
	oparchive --session-dir="$open" -o own 2>err
	check cmp "$open/secret" "own$open/secret"
	check test ! -s err
	chown -R 54321 "$open/samples"
	oparchive --trust-session --session-dir="$open" -o others 2>err
	check cmp "$open/prog" "others$open/prog"
	check test -e "others$open/samples/current"
	for name in secret group closed/prog; do
		check test ! -e "others$open/$name"
		check grep -q "$open/$name is not in the archive: user 54321, who can change" err
	done
	rm -rf "$open"
fi
