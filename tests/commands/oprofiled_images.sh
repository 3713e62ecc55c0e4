#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# oprofiled: names of images, their versions, anonymous memory, kernel modules, headers of files
. "$COMMANDS/daemon.sh"

bash='{root}/usr/bin/bash/{dep}/{root}/usr/bin/bash/TIMER.0.0.all.all.all'

requirement cookies_of_one_name_share_a_file
replay <<-'EOF'
	image 0x20 0 1000 /usr/bin/bash
	words start user cookie 0x10 1 0 cookie 0x20 1 0 cookie 0x10 1 0 cookie 0x999 1 0
EOF

# an upgrade comes with a new cookie, to a session with counts of the version before
requirement versions_of_a_file_are_not_mixed
count start user cookie 0x10 1 0
replay_again <<-'EOF'
	image 0x20 0 5000 /usr/bin/bash
	words start user cookie 0x20 1 0 cookie 0x11 3 0 trace cookie 0x11 4 0 cookie 0x20 2 0
EOF
options=--separate-lib=1
count start user cookie 0x11 1 0
replay_again <<-'EOF'
	image 0x11 0 6000 /usr/lib/libc.so.6
	words start user cookie 0x11 1 0
EOF
options=

requirement anonymous_memory_that_grows_is_found
replay <<-'EOF'
	words start user cookie anon 0x1000004 0 0x1500000 0 0x1500000 0 0x1000004 0 0x1600000 0
	words start user cookie anon 0x1000004 0
	words start user cookie anon 0x1500000 0 0x2500000 0 0x1000004 0
	maps 500 1 01000000-02000000 rw-p 00000000 00:00 0 [heap]\n
EOF

requirement processes_are_told_apart_and_remembered
# a pid that is used again
replay <<-'EOF'
	words start user cookie anon 0x1000004 0
	words start user cookie anon 0x1000004 0
	maps 500 77 01000000-01010000 rw-p 00000000 00:00 0 [stack]\n
EOF
# a process that is gone
replay <<-'EOF'
	words start user cookie anon 0x1000004 0
	words start user cookie anon 0x1000004 0 0x5000000 0
	gone 500
EOF

# two whose pid and program have the same hash
replay <<-'EOF'
	maps 501 1 01000000-01020000 rw-p 00000000 00:00 0 [stack]\n
	words start user cookie anon 0x1000004 0 context 501 501 0x11 user cookie anon 0x1000008 0
	words start user cookie anon 0x1000004 0 context 501 501 0x11 user cookie anon 0x1000008 0
EOF

requirement names_stay_inside_the_session
replay <<-'EOF'
	image 0x10 0 1000 /../../../../tmp/oprofile-test-escaped
	image 0x11 0 1000 /a//b
	image 0x12 0 1000 /
	words start user cookie 0x10 1 0 cookie 0x11 1 0 cookie 0x12 1 0
EOF
find . -name '*TIMER*' -o -name '*escaped*'

requirement other_files_in_a_session_are_left_alone
mkdir -p "$(dirname "session/samples/current/$bash")"
echo 'not one' >"session/samples/current/$bash"
echo "words start user cookie 0x10 1 0" | replay_again
cat "session/samples/current/$bash"

requirement files_of_a_session_are_for_its_owner_and_group
count start user cookie 0x10 1 0
stat -c '%a %n' "session/samples/current/$bash" "session/samples/current/$(dirname "$bash")"

requirement a_loaded_module_is_known_from_its_record_on
replay <<-'EOF'
	words start kernel 0xffffffffc0300010 0
	words start kernel 0xffffffffc0300010 0 module 0xffffffffc0300010 0 0xffffffffc0100004 0
	modules xfs ffffffffc0300000 1000 77\n
EOF
cat session/samples/current/modules

requirement kernel_code_has_a_range
options=--kernel-range=ffffffff81001000,ffffffff81002000
count start kernel 0xffffffff81001004 0 0xffffffff81002000 0
cp "$BUILD/tests/commands/make_session" other
options="--vmlinux=$DIR/other"
count start kernel 0xffffffff81000004 0
options="--vmlinux=$DIR/none"
count start kernel 0xffffffff81000004 0
# the smallest kernel: it is found where the running one says
cat >vmlinux.s <<-'EOF'
	.globl _stext, _etext
	_stext: .skip 0x1000
	_etext: .skip 16
EOF
gcc -nostdlib -static -Wl,-Ttext=0xffffffff81000000,-e_stext,--build-id=none -o vmlinux vmlinux.s
options="--vmlinux=$DIR/vmlinux"
count start kernel 0xffffffff81000004 0 0xffffffff81001000 0 0xffffffffc0100001 0
replay <<-'EOF'
	kallsyms ffffffff9a000000 T _stext\n
	words start kernel 0xffffffff9a000004 0 0xffffffff81000004 0
EOF
options=

headers()
{
	find session -name '*TIMER*' -o -name '*.all.all.all' | sort | while read -r file; do
		opdb dump "$file" | grep -v -e '^samples' -e '^ ' -e size -e length -e abi -e byte
	done
}

requirement headers_describe_image_event_and_cpu
options=--events=E:0x3c:0:3000000000:0x41:1:1
replay <<-'EOF'
	facts pointer_size 8\ncpu_type i386/nehalem\ncpu_mhz 2000.000\n
	words start user cookie 0x10 1 0 cookie 0x13 1 0 trace cookie anon 0x1000004 0 cookie 0x10 2 0 trace kernel stext 0 0xffffffff81000008 0
EOF
headers
options=--events=LLC_MISSES:46:3:6000:65:0:1,CPU_CLK_UNHALTED:60:0:100000:0:1:1,CPU_CLK_UNHALTED:60:5:100000:1:1:1,LLC_MISSES:302:34:7000:65:1:0,
replay <<-'EOF'
	facts pointer_size 8\ncpu_type i386/nehalem\ncpu_mhz 2000.000\n
	words start user cookie 0x10 1 0 2 5 2 5 3 3 kernel 0xffffffff81000004 34
EOF
headers | grep -e file -e ctr

requirement chunks_of_a_later_version_are_passed_over
options=
replay <<-'EOF'
	chunk NEW! later
	words start user cookie 0x10 1 0
	chunk NEW! x
EOF

requirement a_replay_has_no_overhead
count start user cookie 0x10 1 0
find session -name '*_ms'

# a recording may say anything; only plain names are written, below the directory
requirement statistics_of_the_kernel_are_copied
replay <<-'EOF'
	words start user cookie 0x10 1 0
	stats sample_lost_no_mm 3\ncpu0/sample_received 12\ncpu1/sample_lost_overflow 5\nunknown_one 9\n../outside 1\n/outside 1\ncpu0/../../outside 1\na/b/c 1\n. 1\ncpu0//x 1\nno_number\n 5\nnegative -1\nlast 2
EOF
grep -r . session/samples/current/stats | sort
for name in sample_received sample_lost_overflow sample_lost_no_mm lost_records_by_kernel; do
	echo "$name: $(show_session stat session/samples/current $name)"
done
find . -name outside

# what is before the last whole chunk is counted, and images that are said before it
requirement a_recording_may_end_anywhere
replay <<-'EOF'
	words start user cookie 0x10 1 0
	words start user cookie 0x10 2 0
EOF
cp recording whole
for cut in 1 100 150 1500 2000; do
	rm -rf session
	head -c -$cut whole >recording
	echo "$ $cut bytes less"
	replay_recording
	[ ! -d session/samples/current ] || show_session session
done

requirement other_files_are_no_recordings
for bytes in '' OPRECOR 'OPRECORX\1\0\0\0\4\3\2\1' 'OPRECORD\2\0\0\0\4\3\2\1' \
	'OPRECORD\1\0\0\0\1\2\3\4' 'OPRECORD\1\0\0\0\4\3\2\1' \
	'OPRECORD\1\0\0\0\4\3\2\1BUFF\0\0\0\0\0\0\0\0\0\0\0\0' \
	'OPRECORD\1\0\0\0\4\3\2\1FACT\0\0\0\0\0\0\0\0\0\0\0\0' \
	'OPRECORD\1\0\0\0\4\3\2\1FACT\0\0\0\0\17\0\0\0\0\0\0\0pointer_size 8\n\0' \
	'OPRECORD\1\0\0\0\4\3\2\1FACT\0\0\0\0\0\0\0\0\0\0\0\1'; do
	printf %b "$bytes" >recording
	printf '%s: ' "$bytes"
	replay_recording
done
