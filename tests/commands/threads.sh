# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A recording of two programs of two threads each, with call chains.
#
#	recording [NAME [LAST [PROGRAM]]]	makes "made": LAST + 1 samples (600); programs prog, or
#				PROGRAM, and lib.so, whose threads are called after them, or NAME
#	step=N			nanoseconds from a sample to the next one (1)
#	varied=N		events that each second sample stands for more than 250000 (0)

event='event type=1 period=250000 sample_type=0x20 id=11'

# task TGID TID NAME PATH - a thread, and what its process maps
task()
{
	echo "record 3 8192 d$1 d$2 '$3 d$1 d$2 q1 q11"
	echo "record 1 2 d$1 d$1 q0x400000 q0x10000 q0 '$4 d$1 d$1 q2 q11"
}

recording()
{
	images
	{
		printf '%s\n' "$event" 'file 112'
		task 70 70 "${1:-prog}" "$DIR/${3:-prog}"
		task 70 71 "${1:-prog}" "$DIR/${3:-prog}"
		task 80 80 "${1:-lib.so}" "$DIR/lib.so"
		task 80 81 "${1:-lib.so}" "$DIR/lib.so"
		seq 0 "${2:-599}" | awk -v step="${step:-1}" -v varied="${varied:-0}" '{
			tgid = $1 < 300 ? 70 : 80
			printf "record 9 2 q11 q%d d%d d%d q%d q%d q%d", at($1, 0), tgid,
				tgid + $1 % 2, (1000 + $1) * step, 250000 + $1 % 2 * varied,
				2 + $1 % 5
			printf " q0xfffffffffffffe00"
			for (i = 0; i <= $1 % 5; i++)
				printf " q%d", at($1, i)
			print ""
		}
		function at(n, i) { return 4198416 + n * 7 % 50 * 4 + i * 1024 }'
		echo finish
	} | make_profile >made
}
