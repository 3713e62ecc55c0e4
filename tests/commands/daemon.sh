# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A recorded machine, and what oprofiled counts of it.
#
#	options='OPTION...'	of oprofiled, for what follows; empty: kernel samples by kallsyms
#	count WORD...		what a buffer of these words is counted as (see make_recording.c)
#	replay			the same for lines of a recording on stdin, after those of the machine;
#				facts replace those of the machine
#	replay_again		the same into the session that is there
#	machine			the lines of the machine

options=
start='cpu 0 context 501 500 0x10'

machine()
{
	# flags: deleted, of another mount namespace, without a path
	cat <<-'EOF'
		facts pointer_size 8\ncpu_type timer\ncpu_mhz 2000.000\n
		image 0x10 0 1000 /usr/bin/bash
		image 0x11 0 2000 /usr/lib/libc.so.6
		image 0x12 0 3000 /usr/bin/cat
		image 0x13 1 0 /usr/bin/gone
		image 0x14 2 0 /usr/bin/bash
		image 0x15 4 0 
		image 0x16 0 4000 /tmp/{dep}
		maps 500 1 00400000-00401000 r-xp 00000000 08:01 16 /usr/bin/bash\n01000000-01010000 rw-p 00000000 00:00 0 [heap]\n7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n7f0000002000-7f0000003000 rwxp 00000000 00:00 0 [anon:a/b]\n7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0 [vdso]\n
		maps 501 2
		modules kallsyms ffffffff81000000 1000000 aabb\next4 ffffffffc0100000 10000 0123\nfuse ffffffffc0108000 4000 -\n
		kallsyms ffffffff81000000 T _stext\nffffffff81000100 t schedule\nffffffff82000000 T _etext\nffffffffc0100000 t ext4_read\t[ext4]\nffffffffc0200000 t bpf_prog_1\t[bpf]\nffffffffc0200100 t bpf_prog_2\t[bpf]\n
		stats sample_lost_no_mm 0\ncpu0/sample_received 7\n
	EOF
}

# Runs it with $options; its log is not shown.
replay_recording()
{
	# shellcheck disable=SC2086 # a list
	oprofiled --replay=recording "--session-dir=$DIR/session" $options "$@" 2>&1 |
		grep '^oprofiled' || :
}

replay()
{
	rm -rf session
	replay_again
}

replay_again()
{
	cat >lines
	{
		grep '^facts' lines || machine | head -n 1
		machine | tail -n +2
		grep -v '^facts' lines || :
	} | sed -e "s/ start\\b/ $start/g" -e 's/\\t/\t/g' | make_recording >recording
	replay_recording
	[ ! -d session/samples/current ] || show_session session
}

count()
{
	echo "\$ count${options:+ $options} : $*"
	echo "words $*" | replay
}
