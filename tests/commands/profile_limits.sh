#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Imports of extreme values: what they become is bounded, and what is left out is counted.

requirement samples_of_no_event_are_counted_as_lost
make_profile >made <<-EOF
	event type=0 period=100 id=11
	event type=0 config=1 period=200 id=12
	file 112
	record 2 0 q11 q5 d42 d42 q5 q11
	comm 10 11
	mmap 20 11
	sample 0x400010 30 12 7
	sample 0x400010 60 99 1
	sample 0x400010 61 99 1
	finish
EOF
check opimport -o imported made
opreport --session-dir=imported --verbose=stats 2>&1 | sed -n '/^Samples/,/^ *$/p'

# Of a value that is no address, the frames above it are kept.
requirement callers_above_a_frame_that_is_no_address_are_kept
for frame in 0x800000000000 0x1000000000000 0x400020; do
	{
		echo 'event type=1 period=1000000 id=11 sample_type=0x20'
		echo 'pipe 112'
		echo mmap 1 11
		echo "record 9 2 q11 q0x400010 d42 d42 q30 q1 q4 q0xfffffffffffffe00" \
			"q0x400010 q$frame q0x400030"
	} | make_profile >made
	rm -rf imported
	check opimport -o imported made
	opexport --session-dir=imported --to=folded 2>/dev/null
	show_profile -v session imported | grep '/bin/prog+'
done

# What a profile becomes: kilobytes, and a report of it
sizes()
{
	check timeout 100 opimport -o imported made
	check test "$(du -sk imported | cut -f1)" -lt 4096
	opreport --session-dir=imported -l 2>/dev/null | sed -n '/^samples/,/^$/p'
	opexport --session-dir=imported --to=folded 2>/dev/null
	rm -r imported
}

# A record of gperftools: 2^62 times the same stack, and once another
requirement counts_of_2_62_do_not_become_gigabytes
make_profile >made <<-EOF
	u64 0 3 0 10000 0
	u64 0x4000000000000000 2 0x400010 0x400020
	u64 1 2 0x400110 0x400020
	u64 0 1 0
	text 00400000-00500000 r-xp 00000000 00:00 0 /no/such/prog
EOF
sizes
# bytes without samples, and the largest values of both
for values in 0x4000000000000000 '0x7fffffffffffffff 0x7fffffffffffffff'; do
	make_profile >made <<-EOF
		pprof 6='' 6='samples' 6='count' 6='space' 6='bytes' 6='/no/such/prog'
		pprof 3=(1=1 2=0x400000 3=0x500000 5=5)
		pprof 4=(1=1 2=1 3=0x400010) 4=(1=2 2=1 3=0x400020) 4=(1=3 2=1 3=0x400030)
		pprof $(case $values in *' '*) echo '1=(1=1 2=2) ' ;; esac) 1=(1=3 2=4)
		pprof 2=(1=[1 2] 2=[$values])
		pprof 2=(1=[3] 2=[$(echo "$values" | sed 's/[^ ]*[0-9a-f]/1/g')])
	EOF
	sizes
done

# Periods whose sum exceeds 64 bits
requirement weights_of_2_63_do_not_become_gigabytes
make_profile >made <<-EOF
	event type=0 period=1000 id=11
	pipe 112
	mmap 1 11
	sample 0x400010 30 11 0x8000000000000000
	sample 0x400010 31 11 0xffffffffffffffff
	sample 0x400020 32 11 1
EOF
sizes

# An import, its size beside that of the profile, and whether all of it is there
bounded()
{
	rm -rf imported
	timeout 100 opimport "$@" -o imported made 2>&1 | sed 's/^opimport warning: //'
	input=$(wc -c <made)
	check test "$(du -sk imported | cut -f1)" -le $((64 * (input > 524288 ? input : 524288) / 1024))
	account
}

# The account, and whether the sample files have as much (opreport compares)
account()
{
	opreport --session-dir=imported --merge=tgid,tid --verbose=stats 2>&1 | sed -n '/^Samples: /,/^ *$/p; /^Account/p'
}

# Frames in images that call each other in ever new ways: a pair of them took a file, 45 MB in all
requirement pairs_of_images_are_packed_where_files_would_take_too_much
awk 'BEGIN {
	for (i = 0; i < 4000; i++) {
		print "prog 10 " i ".000000: 1 cycles:"
		for (k = 0; k < 8; k++)
			printf "\t%x f (/l%d)\n", 4096 + k, (i * (k + 7) * 37 + k * k * 11) % 300
		print ""
	}
}' >made
bounded
find imported -path '*/{cg}/*' -type f | wc -l | awk '{ print ($1 < 2000) }'
opreport --session-dir=imported 2>/dev/null | awk '/ l[0-9]+$/ { n++; sum += $1 } END { print n, sum }'
opexport --session-dir=imported --to=folded 2>/dev/null | wc -l
opreport --session-dir=imported --callgraph -l 2>/dev/null | grep -c '\[self\]'

# Images with names of 2,800 bytes, of which pairs are a few bytes: more than can be packed, too
requirement pairs_and_images_beyond_the_room_are_counted_in_other
python3 - <<-EOF >made
	import sys

	def number(n):
	    return bytes([n]) if n < 128 else bytes([n % 128 + 128]) + number(n // 128)

	def field(key, value):
	    if isinstance(value, int):
	        return number(8 * key) + number(value)
	    return number(8 * key + 2) + number(len(value)) + value

	images = range(1, 51)
	names = [("/" + "x" * 200) * 14 + "/%d" % i for i in images]
	out = b"".join(field(6, name.encode()) for name in ["", "samples", "count", *names])
	out += field(1, field(1, 1) + field(2, 2))
	for i in images:
	    out += field(3, field(1, i) + field(2, i << 16) + field(3, (i << 16) + 4096) + field(5, i + 2))
	    out += field(4, field(1, i) + field(2, i) + field(3, (i << 16) + 16))
	for i in images:
	    for k in images:
	        out += field(2, field(1, number(i) + number(k)) + field(2, number(i)))
	sys.stdout.buffer.write(out)
EOF
bounded
opexport --session-dir=imported --to=folded 2>/dev/null | awk '{ sum += $NF } END { print NR, sum }'

# Threads that each have a stack file
requirement stack_files_beyond_the_room_are_counted
awk 'BEGIN {
	for (i = 0; i < 6000; i++)
		printf "p %d %d.0: 1 c:\n\t1 f (/l)\n\t2 g (/l)\n\n", i + 1, i
}' >made
bounded --separate=thread

# Threads with a sample each, of a program with a long name: not all samples can have a file
requirement samples_beyond_the_room_are_counted_in_other
path=$(awk 'BEGIN { for (i = 0; i < 200; i++) part = part "x"; for (i = 0; i < 14; i++) printf "/" part }')
{
	echo 'event type=1 period=1000000 id=11'
	echo 'pipe 112'
	echo comm 10 11
	echo "record 1 0 d42 d42 q0x400000 q0x100000 q0 '$path d42 d42 q20 q11"
	for i in $(seq 1000); do
		echo "record 9 2 q11 q0x400010 d42 d$i q30 q1"
	done
} | make_profile >made
bounded --separate=thread
opreport --session-dir=imported --merge=tgid,tid 2>/dev/null | awk '/{other}/ { print $1 }' | sort -u
