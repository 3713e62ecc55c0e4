#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opcontrol: which options go together, and what settings they change
. "$COMMANDS/driver.sh"

requirement options_that_contradict_are_refused
machine
each settings opcontrol <<-'EOF'
	--perf --no-perf
	--start --perf --backend=timer
	--start --stop
	--save=x --reset
	--dump --frequency=99
	--save=x --no-vmlinux
	--stop --setup
	--stop -V
	--start -Vloud
	--dump --backend=timer
	--module=x.ko
	--init --backend=
	--vmlinux=/x --no-vmlinux
	--session-dir=
	--nonsense
	-x
	--xen=/x
	--save
	--frequency
	start
	--start x
	--callgraph=7 nonsense
	--save=
	--save=../x
	--save=/etc
	--save=..
	--save=.
	--save=.reset-0
	--save=a,b
	--save=current
EOF
try opcontrol --init '--backend=timer evil=1'
try opcontrol '--save=a b'
try opcontrol "--save=a
b"
holds fs/enable

requirement options_have_short_forms_and_repeat
machine
each try opcontrol <<-'EOF'
	-s --start --frequency=99 -p lib -c3 -V
	-d --status
	-t
	-h
	-l
	--setup --frequency 98
	--start --verbose=sfile,arcs --backend=timer
	--init --module x.ko --backend nmi_timer
	--deinit
	--save x
EOF
journal

# each is applied to the same settings
changes()
{
	cp "$DIR/rc" .oprofile/daemonrc
	settings opcontrol "$@"
}

requirement settings_are_applied_or_refused
machine
cp "$OPROFILE_DAEMON" vmlinux # an ELF file
opcontrol "--vmlinux=$DIR/vmlinux" --kernel-range=1,2 --callgraph=3 --frequency=77
cp .oprofile/daemonrc rc
each changes <<-'EOF'
	--frequency=99
	--frequency=99 --frequency=98
	--frequency=0
	--frequency=20001
	--callgraph=7 --frequency=x
	--callgraph=8
	--separate=thread
	--separate=x
	--session-dir=/x
	--session-dir=/x --setup
	--session-dir=here
	--buffer-size=4096
	--buffer-size=2k
	--buffer-watershed=999999
	--buffer-watershed=999999 --buffer-size=1000000
	--cpu-buffer-size=512
	--no-vmlinux
	--vmlinux=default
	--vmlinux=/no/such/file
	--vmlinux=/etc/passwd
	--vmlinux=/
	--vmlinux=
	--kernel-range=1000,2000
	--kernel-range=
	--kernel-range=5
	--kernel-range=1,2 --no-vmlinux
	--image=/etc/passwd
	--image=/etc/../etc/passwd,/etc
	--image=all
	--image=/no/such/file
	--image=/etc,
	--perf
	--event=default
	--event=default -eX:1
	-eX:1 --event=default
	--event=X:1
	--event=X:y
	--event=
EOF
put fs/time_slice '4\n'
put fs/cpu_type $cpu
rm fs/frequency
sed -i -e /FREQUENCY/d -e s/CALLGRAPH=3/CALLGRAPH=0/ rc
each changes <<-'EOF'
	--time-slice=7
	--time-slice=7 --time-slice=0
	--time-slice=1001
EOF
changes -e RETIRED:6000 -eLOW:500:0x0

# For the other numbers, it is the default.
requirement min_free_may_be_nothing
machine
each settings opcontrol <<-'EOF'
	--min-free=0
	--min-free=1
	--min-free=default
	--min-free=none
	--start --min-free=0
EOF
journal | grep min-free

requirement the_session_of_one_action_is_not_kept
machine
mkdir x
each settings opcontrol <<-EOF
	--session-dir=$DIR/x --reset
	--session-dir=$DIR/x --status
	--session-dir=$DIR/x --save=y
	--status
	--session-dir=$DIR/x --start-daemon
EOF
try opcontrol --shutdown
settings opcontrol "--session-dir=$DIR/s" --start
try opcontrol --shutdown

requirement kernel_images_are_recognised
machine
for image in "" '\177ELF\1\1'; do
	put image "$image"
	try opcontrol "--vmlinux=$DIR/image"
done
head -c 514 /dev/zero >image
printf HdrS >>image
try opcontrol "--vmlinux=$DIR/image"

requirement separation_lists_replace_the_one_before
for list in none lib library kernel thread cpu all lib,thread kernel,cpu none,none thread,all \
	'' 'lib,' ',' libs none,lib lib,none Lib 'lib thread'; do
	machine
	opcontrol --separate=thread,cpu
	try opcontrol "--separate=$list"
	grep -e SEPARATE .oprofile/daemonrc | tr '\n' ' '
	echo
done

# daemonrc [TEXT [OPTION]] - whether opcontrol takes this, and which lines it writes otherwise
daemonrc()
{
	set -- "${1-}" "${2---perf}"
	printf "%s:" "$1"
	put .oprofile/daemonrc "$1"
	cp .oprofile/daemonrc before
	# with a setting that is another one, the file is written
	if opcontrol "${2---perf}" 2>errors; then
		diff before .oprofile/daemonrc | grep '^<' || echo ' kept'
	else
		cut -d : -f 2- errors | sed "s#$DIR/.oprofile/daemonrc#rc#"
	fi
}

requirement values_of_daemonrc_have_a_range
machine
each daemonrc <<-'EOF'
	BUF_SIZE=1024\n
	BUF_SIZE=134217728\n
	BUF_SIZE=0\n
	BUF_SIZE=1023\n
	BUF_SIZE=134217729\n
	BUF_SIZE=\n
	BUF_SIZE=-1\n
	BUF_SIZE=+1024\n
	BUF_SIZE=4096k\n
	BUF_SIZE=18446744073709551616\n
	BUF_WATERSHED=1\n
	BUF_WATERSHED=131071\n
	BUF_WATERSHED=131072\n
	BUF_SIZE=2048\nBUF_WATERSHED=2048\n
	BUF_SIZE=2048\nBUF_WATERSHED=2047\n
	CPU_BUF_SIZE=511\n
	CPU_BUF_SIZE=512\n
	CPU_BUF_SIZE=4194305\n
	CALLGRAPH=0\n
	CALLGRAPH=255\n
	CALLGRAPH=256\n
	FREQUENCY=1\n
	FREQUENCY=20000\n
	FREQUENCY=20001\n
	SEPARATE_LIB=1\n
	SEPARATE_LIB=2\n
	SEPARATE_LIB=yes\n
	SEPARATE_LIB=\n
	SESSION_DIR=/var/lib/oprofile\n
	SESSION_DIR=here\n
	SESSION_DIR=\n
	SESSION_DIR=/a\177\n
	VMLINUX=\n
	VMLINUX=none\n
	VMLINUX=/boot/vmlinux-6.1.0+\n
	VMLINUX=vmlinux\n
	IMAGE_FILTER=all\n
	IMAGE_FILTER=/bin/a,/bin/b\n
	IMAGE_FILTER=/bin/a,b\n
	IMAGE_FILTER=/bin/a,\n
	KERNEL_RANGE=1,2\n
	VMLINUX=none\nKERNEL_RANGE=1,2\n
	VMLINUX=/v\nKERNEL_RANGE=0xffffffff81000000,0xffffffff82000000\n
	VMLINUX=/v\nKERNEL_RANGE=ffffffff81000000,0xFFFFFFFF82000000\n
	KERNEL_RANGE=2,1\n
	KERNEL_RANGE=1,1\n
	KERNEL_RANGE=1\n
	KERNEL_RANGE=1,2,3\n
	KERNEL_RANGE=1,g\n
	KERNEL_RANGE=,\n
	KERNEL_RANGE=1-2\n
	KERNEL_RANGE=1,0x0x2\n
	KERNEL_RANGE=1,11112222333344445\n
	XENIMAGE=none\n
	XENIMAGE=/xen\n
	NOTE_SIZE=4096\n
	NOTE_SIZE=x\n
	PATH=/bin\n
	buf_size=1024\n
	=1024\n
EOF
daemonrc 'BUF_SIZE= 1024\n'
daemonrc 'BUF_SIZE=1024 \n'
daemonrc 'SESSION_DIR=/with blank and +\n'

requirement values_of_time_slices_have_a_range
machine '0 1'
put fs/time_slice '4\n'
each daemonrc <<-'EOF'
	TIME_SLICE=1\n
	TIME_SLICE=1000\n
	TIME_SLICE=1001\n
EOF

requirement lines_of_daemonrc_are_checked
machine
each daemonrc <<-'EOF'

	\n\n
	BUF_SIZE=4096
	NR_CHOSEN=0\n
	BUF_SIZE\n
	\nSIZE=1\n
	SEPARATE_LIB=0\nSEPARATE_CPU=3\n
	CALLGRAPH=1\nCALLGRAPH=1\n
	CHOSEN_EVENTS_0=A:1\n
	NR_CHOSEN=1\n
	CHOSEN_EVENTS_1=A:1\nNR_CHOSEN=1\n
	CHOSEN_EVENTS_=A:1\n
	CHOSEN_EVENTS_64=A:1\n
	CHOSEN_EVENTS_-1=A:1\n
	NR_CHOSEN=65\n
	NR_CHOSEN=1\nNR_CHOSEN=1\n
	CHOSEN_EVENTS_0=A:1\nCHOSEN_EVENTS_0=A:1\n
	BUF_SIZE=1024\nBUF_WATERSHED=1024\n
	A\0B\n
EOF
daemonrc '# BUF_SIZE\n'
machine '0 1'
daemonrc 'CHOSEN_EVENTS_1=LOW:900\nNR_CHOSEN=2\nCHOSEN_EVENTS_0=RETIRED:6000:0x0:1:0\n' --no-vmlinux

requirement daemonrc_of_oprofile_0_9_is_read
machine
cat >.oprofile/daemonrc <<-EOF
	SESSION_DIR=/var/lib/oprofile
	NR_CHOSEN=0
	SEPARATE_LIB=1
	SEPARATE_KERNEL=1
	SEPARATE_THREAD=0
	SEPARATE_CPU=0
	VMLINUX=none
	IMAGE_FILTER=
	CPU_BUF_SIZE=0
	CALLGRAPH=0
	XENIMAGE=none
EOF
opcontrol --frequency=50
cat .oprofile/daemonrc

requirement all_settings_are_written_as_they_are_read
machine '0 1 2 3'
cp "$OPROFILE_DAEMON" vmlinux
cat >.oprofile/daemonrc <<-EOF
	SESSION_DIR=$DIR/a b
	SEPARATE_LIB=0
	SEPARATE_KERNEL=0
	SEPARATE_THREAD=1
	SEPARATE_CPU=1
	VMLINUX=$DIR/vmlinux
	KERNEL_RANGE=0x1000,0x2000
	IMAGE_FILTER=/bin/a,/bin/b
	BUF_SIZE=65536
	BUF_WATERSHED=4096
	CPU_BUF_SIZE=1024
	CALLGRAPH=12
	CHOSEN_EVENTS_0=RETIRED:600000
	CHOSEN_EVENTS_1=REQUESTS:100000:0x3:1:0
	NR_CHOSEN=2
EOF
settings opcontrol --callgraph=13
stat -c '%n %a' .oprofile .oprofile/daemonrc
