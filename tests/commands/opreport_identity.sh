#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: images that are not what their path names: their symbols are those of the file that
# was profiled, or none

id=0123456789abcdef # what names have of the build-id of prog

# gone HOW PATH OFFSET COUNT - samples of an image that its path does not name
gone()
{
	printf 'file {root}/[%s]%s/{dep}/{root}/[%s]%s/TIMER.0.0.all.all.all\n%s %s\n' \
		"$1" "$2" "$1" "$2" "$3" "$4" | session
}

requirement names_say_how_the_image_differs
images
gone "deleted $id" "$DIR/prog" 0x1010 60
gone "changed $id" "$DIR/prog" 0x1030 20
gone "mount namespace $id" "$DIR/prog" 0x1010 10
gone "no path" "/0123456789abcdef" 0x1010 4
session <<-EOF
	image prog TIMER
	0x1010 6
EOF
reports <<-EOF
	-n
	-n -f image:$DIR/prog
	-n image-exclude:prog
	-n image:*deleted*
EOF

# Where the file may be: at its path after all, below --image-path or --root, by build-id.
requirement image_is_found_by_build_id_at_all_places
images
gone "deleted $id" "$DIR/prog" 0x1010 60
report -l -n
mkdir -p kept
mv prog kept/prog
objcopy --remove-section=.note.gnu.build-id kept/prog prog 2>objcopy.log
mkdir -p "root$PWD" fedora/usr/lib/.build-id/01 empty
cp kept/prog "root$PWD"
ln -s "$PWD/kept/prog" fedora/usr/lib/.build-id/01/23456789abcdef0123456789abcdef01234567
reports <<-EOF
	-l -n
	-l -n -p $DIR
	-l -n -R $DIR/root
	-l -n -R $DIR/fedora
	-l -n -R $DIR/empty
EOF
HOME=$DIR
mkdir -p .debug/.build-id/01/23456789abcdef0123456789abcdef01234567
mv kept/prog .debug/.build-id/01/23456789abcdef0123456789abcdef01234567/elf
report -l -n

# What the session says of prog: another build-id, or none and another time.
known_as()
{
	echo "$1 {root}$DIR/prog" >samples/current/images
	reports <<-EOF
		-l
		-l -n
		-l -g
		--csv -l
	EOF
	opreport --session-dir="$DIR" --json -l | grep '"notes"'
	opreport --session-dir="$DIR" -X | grep '<?opreport-note '
}

requirement files_that_are_not_those_profiled_are_said_in_the_head
images
session <<-EOF
	image prog TIMER
	0x1010 990
	image gone TIMER
	0x1010 9
	image absent TIMER
	0x1010 11
EOF
known_as 'ffffffffffffffffffffffffffffffffffffffff 1 1 1 0 0'
known_as '- 1 1 1 1 0'
opreport --session-dir="$DIR" -l --verbose=all | grep -e '^Without'

requirement files_that_may_have_changed_are_said_in_the_head
images
touch -d @1000 prog
session <<-EOF
	mtime 999
	image prog TIMER
	0x1010 990, 0x1030 110
EOF
report -l

# Files without a build-id are told apart by device, inode and time.
requirement images_without_build_id_are_told_by_inode_and_time
images
device=$(stat -c '%Hd:%Ld' prog) inode=$(stat -c %i prog) time=$(stat -c %Y prog)
told_apart()
{
	rm -rf samples
	gone "deleted $1" "$DIR/prog" 0x1010 1
	of_session opreport -l -n | sed "s/deleted, $1/deleted, ID/"
}
each told_apart <<-EOF
	$device-$inode-g7-t$time
	$device-$inode
	$device-1$inode-t$time
	$device-$inode-t1$time
	9$device-$inode
EOF

# A program that waits, and a library that it maps; both with the build-id of prog.
waiting_program()
{
	write wait.c <<-EOF
		#include <unistd.h>
		extern int work(void);
		int main(void) { if (write(1, "x", 1) == 1) for (;;) pause(); return work(); }
	EOF
	echo 'int work(void) { return 1; }' >work.c
	gcc -shared -fPIC -Wl,--build-id=0x${id}01234567 -o libwork.so work.c
	gcc -static -Wl,--build-id=0x${id}01234567 -o waiting wait.c work.c
	gcc -Wl,--build-id=0x${id}01234567 -o linked wait.c "$PWD/libwork.so"
}

# The file offset of a function in .text.
offset_of()
{
	text=$(readelf -SW "$1" | sed -n 's/.* .text *PROGBITS *\([0-9a-f]*\) *\([0-9a-f]*\) .*/0x\1+0x\2/p')
	echo $((0x$(nm "$1" | awk -v name="$2" '$3 == name {print $1}') - ${text%+*} + ${text#*+}))
}

# Starts it in the background, and waits until it runs; "$pid" is the process.
start()
{
	mkfifo started
	"$@" >started &
	pid=$!
	head -c 1 started >"$WORK/started"
	rm started
}

end()
{
	kill -9 "$pid"
	wait "$pid" 2>"$WORK/ended" || :
}

requirement deleted_images_are_read_from_processes
waiting_program
gone "deleted $id" "$DIR/waiting" "$(offset_of waiting main)" 1
gone "deleted $id" "$DIR/libwork.so" "$(offset_of libwork.so work)" 1
start ./waiting
rm waiting
report -l -n 'image:*/waiting'
end
report -l -n 'image:*/waiting'
start ./linked
rm libwork.so
if [ "$(id -u)" = 0 ] && [ -x /proc/self/map_files ]; then # else mapped files can't be opened
	opreport --session-dir="$DIR" -l -n 'image:*/libwork.so' >out
	check grep -qx '1        100.000  work' out
fi
end

requirement images_of_containers_are_read_from_processes
if [ "$(id -u)" = 0 ]; then # else chroot is refused
	waiting_program
	mkdir root
	cp waiting root/op-waiting
	gone "mount namespace $id" /op-waiting "$(offset_of waiting main)" 1
	start chroot "$DIR/root" /op-waiting
	opreport --session-dir="$DIR" -l -n >out
	check grep -qx '1        100.000  main' out
	end
	opreport --session-dir="$DIR" -l -n >out 2>err
	check grep -q "100.000  /op-waiting (in another mount namespace, $id)" out
	check grep -q 'was not found' err
	opreport --session-dir="$DIR" -l -n -R "$DIR/root" >out
	check grep -qx '1        100.000  main' out
fi

# Names that only look like those of the daemon are paths.
requirement odd_names_are_paths
gone "deleted " "/x" 0x0 2
gone "changed zzzzzzzzzzzzzzzz" "/x" 0x0 3
session <<-EOF
	image /[deleted/x TIMER
	0x0 1
	image /[x]/y TIMER
	0x0 4
EOF
reports <<-EOF
	-n -f
	-l -n -f image:/x
EOF
