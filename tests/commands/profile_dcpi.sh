#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# DCPI's profiles: headers, chunks in either stride, damage, and what is written

header='version pdb-0.07
image 199706251430221a2b3c
epoch 9706251430
color  any thing
platform AlphaStation 500
event cycles
period 63488
tstart 12006c000
tsize 4096
cpuspeed 333
path /usr/bin/x11'

# make_file LINES DESCRIPTION... - the header with further lines (';' ends each), and samples
make_file()
{
	{
		{
			printf '%s\n' "$header"
			printf '%s' "$1" | tr ';' '\n'
			echo samples
		} | sed 's/^/text /'
		shift
		printf '%s\n' "$@"
	} | make_profile >made
}

# Each line of stdin: FURTHER LINES | DESCRIPTION OF THE SAMPLES [| MORE OF IT]
show_each()
{
	while IFS='|' read -r lines samples more; do
		echo "$ $lines $samples $more"
		make_file "$lines" "$samples" "$more"
		show_profile dcpi made
	done
}

# Some have not enough space for four bytes a count.
requirement chunks_are_read_in_the_stride_that_they_imply
show_each <<-EOF
	|chunks
	|chunks 0xbb8 1 29
	|chunks 0xbb8 3 29 0 5 0xd00 1 7
	|chunks 0 1 1 4 1 2 8 0
	|chunks 0x10 2 1 2 0x14 1 3
	|chunks 0x10 2 1 2 0x12 1 3
	|chunks 0x11 2 1 2
	|chunks 0xffc 3 1 2 3
	stride 1;|chunks 0x10 2 1 2
	stride 2;offset 3000;|chunks 0x10 2 1 2
	|chunks 0 1 0xffffffff
EOF

requirement damaged_chunks_are_errors_behind_their_samples
show_each <<-EOF
	|chunks|cut 8
	|chunks|cut 1
	|chunks 0 1 5|cut 8
	|chunks 0 1 5|cut 4
	|chunks 0 1 5 16 1 6|cut 12
	|chunks 8 1 5 4 1 6
	|chunks 8 1 5 8 1 6
	|chunks 4096 1 5
	stride 4;|chunks 0x10 2 1 2 0x14 1 3
	|u32 0 2 5 6 2 12
	|u32 0 2 5 6 3 11
EOF

# EDIT of sed, for one line of the header
show_edited()
{
	echo "$ $*"
	{
		printf '%s\n' "$header" | sed "$*" | sed 's/^/text /'
		printf 'text samples \t\nchunks 0 1 5\n'
	} | make_profile >made
	show_profile dcpi made
}

requirement lines_of_headers_are_checked
each show_edited <<-'EOF'
	s/^version.*/version\tpdb-0.06/
	s/^version.*/version pdb-0.99  /
	s/^version.*/version pdb-1.01/
	s/^version.*/version pdb-x/
	s/^version.*/version 0.07/
	/^version/d
	/^event/d
	/^period/d
	/^tstart/d
	/^tsize/d
	/^image/d
	/^epoch/d
	/^platform/d
	/^cpuspeed/d
	/^period/p
	s/^period.*/&\nperiod 63489/
	s/^event.*/&\nevent imiss/
	s/^path.*/&\npath \/elsewhere/
	s/^tstart.*/tstart 0x12006c000/
	s/^tstart.*/tstart 12006g/
	s/^tsize.*/tsize 4096 bytes/
	s/^tsize.*/tsize 99999999999999999999/
	s/^image.*/image xyz!/
	s/^epoch.*/epoch 199706251430/
	s/^epoch.*/epoch 19970625143022/
	s/^epoch.*/epoch 9713251430/
	s/^epoch.*/epoch 97062514/
	s/^color.*/alone/
	s/^color.*//
	s/^color.*/ indented line/
	s/^color.*/color red\r/
	s/^color.*/samples of paint/
	s/^color.*/stride 0/
EOF

requirement headers_without_an_end_are_errors
printf '%s\n' "$header" >made
try show_profile dcpi made
printf samples >>made
try show_profile dcpi made
{
	printf '%s\n' "$header"
	yes 'more of the same, which is not the last line of any header so far' | head -n 20000
} >made
try show_profile dcpi made

requirement facts_of_headers_are_kept
make_file 'cpucount 4;' 'chunks 0 1 5'
try show_profile -v dcpi made

requirement what_is_read_is_written_as_it_was
make_file 'unknown line ;' 'chunks 0xbb8 3 29 0 5 0xd00 1 7'
# the samples are aligned
sed -i 's/^samples$/samples /' made
mkdir out
try show_profile -w dcpi=out dcpi made
check cmp made out/x11.cycles

# As one chunk, these would say something else.
requirement the_distance_of_counts_is_written
make_file '' 'chunks 0x10 1 5 0x11 1 6'
mkdir out
try show_profile -w dcpi=out dcpi made
try grep -a -c '^stride 1$' out/x11.cycles
try show_profile dcpi out/x11.cycles

# A gap of one count takes less space than another chunk, a gap of two as much.
requirement gaps_of_one_count_are_filled
make_file 'stride 1;' 'chunks 0x10 1 5 0x12 1 6 0x15 1 7'
mkdir out
try show_profile -w dcpi=out dcpi made
tail -c 40 out/x11.cycles | od -An -v -tx4
