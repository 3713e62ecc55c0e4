#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CPU profiles of gperftools: read in any layout, damaged ones, and what is written

maps='text 00400000-00401000 r-xp 00001000 08:01 17                 /bin/prog
text 00401000-00402000 rw-p 00002000 08:01 17                 /bin/prog
text 70000000-70002000 r-xp 00000000 08:01 18                 /lib/libc.so.6'

# Three stacks with nothing in common
records='2 2 0x400010 0x400021  3 3 0x70000100 0x400031 0x400041  1 1 0x400010'

# show SLOTS - of make_profile, in $order and of $size; stdin: what follows them
show()
{
	{
		echo "order $order"
		echo "$size $*"
		cat
	} | make_profile >made
	show_profile cpuprofile made | sort
}

# Each layout with these slots and mappings
show_layouts()
{
	for order in le be; do
		for size in u32 u64; do
			echo "$ $order $size: $*"
			echo "$maps" | show "$@"
		done
	done
}

requirement slots_of_either_size_and_byte_order_are_read
show_layouts 0 3 0 10000 0 "$records" 0 1 0

requirement headers_may_have_more_words
for more in 1 14 27 40; do
	show_layouts 0 $((3 + more)) 0 10000 77 "$(yes 0x5a5a5a5a | head -n $more | tr '\n' ' ')" \
		"$records" 0 1 0 | grep -v '^\$' | sort | uniq -c
done

requirement trailers_may_be_missing
show_layouts 0 3 0 10000 0 "$records"
saved=$maps maps=
show_layouts 0 3 0 10000 0 "$records"
maps=$saved

order=le size=u64
show_strange()
{
	echo "$ $*"
	echo "$maps" | show 0 3 0 10000 0 "$records" "$@" 0 1 0
}

requirement strange_records_are_read_as_pprof_does
each show_strange <<-EOF
	3 2 0 0x400021
	3 3 0x400010 0 0x400021
	0 2 0x400010 0x400021
	0 2 0 0x400021
	4 0
	1 1 0x401000
	1 1 0x3ff010
	1 2 0x400010 0x401000
EOF

# Stacks WITH the handler's frame next to the leaf, and WITHOUT
show_handler()
{
	echo "$ $1 with it, $2 without it"
	echo "$maps" | show 0 3 0 10000 0 "$(
		seq "$1" | while read -r i; do
			echo "1 3 $((0x400100 + i)) 0x400500 $((0x400601 + i))"
		done | tr '\n' ' '
		seq "$2" | while read -r i; do
			echo "1 2 $((0x400200 + i)) $((0x400701 + i))"
		done | tr '\n' ' '
	)" 0 1 0 >shown
	echo "$(grep -c . shown) stacks, $(grep -c ' /bin/prog+14ff ' shown) with it"
	sed -n '1p;$p' shown
}

requirement frames_of_the_signal_handler_are_left_out
each show_handler <<-EOF
	40 0
	31 1
	30 1
	62 2
	61 3
	10 10
EOF

# The third such frame is a real caller's: pprof leaves out two.
requirement at_most_two_frames_and_a_repeated_leaf_are_left_out
size=u32
echo "$maps" | show 0 3 0 10000 0  1 5 0x400100 0x400500 0x400600 0x400701 0x400801 \
	1 6 0x400200 0x400500 0x400600 0x400200 0x400701 0x400801  0 1 0
size=u64

requirement symbols_before_the_header_name_addresses
make_profile >made <<-'EOF'
	text %warn the clock stood still
	text --- symbol
	text binary=/bin/prog
	text 0x0000000000400010 leaf<0000000000400000>
	text 0x400020 inlined--outer
	text 0x400030 std::vector<int>
	text ---
	text --- profile
	u64 0 3 0 10000 0  2 2 0x400010 0x400020  3 2 0x400030 0x400020
EOF
try show_profile cpuprofile made

requirement profiles_of_java_have_names
order=be size=u32
show 0 3 1 10000 0  2 1 3  1 3 4 5 6  1 2 7 5  0 1 0 <<-'EOF'
	text
	text  0x00000003 GC
	text  0x0000004 a.B.c (B.java:12)
	text  0x5 a.B.main (B.java:-1)
	text  0x6 f (/usr/lib/libjvm.so)
	text  0x7 g(int)
	text  rest of it
EOF
order=le size=u64

show_damaged()
{
	echo "$ $*"
	show "$@" </dev/null
}

requirement damage_is_an_error_behind_its_samples
each show_damaged <<-EOF
	1 3 0 10000 0
	0 2 0 10000 0
	0 3 2 10000 0
	0 9 0 10000 0
	0 3 0 1 0 2 1 0x10 2 2 0x20
	0 3 0 1 0 2 1 0x10 2
	0 3 0 1 0 2 1 0x10 2 0xffffffffffffffff 1
	0 3 0 1 0 2 1 0x10 0x7fffffffffffffff 1 1
EOF
: >made
try show_profile cpuprofile made

requirement the_program_is_the_first_file_that_is_no_library
while read -r lines; do
	echo "$ $lines"
	echo "$lines" | tr ';' '\n' | sed 's/^/text /' | show 0 3 0 10000 0 1 1 0x1010 0 1 0 >shown
	show_profile -v cpuprofile made | grep '^app'
done <<-EOF
	7000-8000: /bin/prog;1000-2000: /bin/plugin
	1000-2000: /lib/a.so.6;3000-4000: [vdso];5000-6000: /bin/x.sort
	1000-2000: /lib/a.so

EOF

# Writes samples "COUNT OFFSET..." of one image, leaf first, as a CPU profile.
write_samples()
{
	cat >samples
	{
		echo "pprof 6='' 6='samples' 6='count' 6='cpu' 6='nanoseconds' 6='/opt/prog'"
		echo 'pprof 1=(1=1 2=2) 1=(1=3 2=4) 11=(1=3 2=4) 12=4000000'
		echo 'pprof 3=(1=1 2=0x555555000000 3=0x555555010000 5=5)'
		tr ' ' '\n' <samples | grep '^0x' | sort -u | while read -r offset; do
			echo "pprof 4=(1=$offset 2=1 3=$((0x555555000000 + offset)))"
		done
		sed 's/\([0-9]*\) \(.*\)/pprof 2=(1=[\2] 2=[\1 \1000000])/' samples
	} | make_profile >pprof
	show_profile -w cpuprofile=written pprof pprof >shown
}

requirement what_is_written_is_what_gperftools_would_write
write_samples <<-EOF
	2 0x100 0x200
	3 0x110 0x210 0x300
EOF
od -An -v -tx8 -w8 -N 136 written
tail -c +137 written

# All of it is called from one place, which pprof must not take for the signal handler.
requirement callers_that_all_stacks_have_are_kept
write_samples <<-EOF
	2 0x100 0x200 0x300
	3 0x110 0x200 0x300
	4 0x120 0x200 0x300
EOF
check test -s shown
show_profile cpuprofile written | sort

# STACKS of which OTHERS have another caller: records that count nothing save the common one.
show_guards()
{
	seq "$1" | while read -r i; do
		caller=$((i <= $2 ? 0x2000 + i : 0x3000))
		printf '1 0x%x 0x%x\n' $((0x1000 + i)) "$caller"
	done | write_samples
	od -An -v -td8 -w8 written | awk '{ slot[NR] = $1 }
		END {
			for (i = 6; slot[i] || slot[i + 2]; i += 2 + slot[i + 1])
				guards += !slot[i]
			print guards + 0
		}' | sed "s/^/$1 stacks, $2 others: guards: /"
}

requirement records_of_no_samples_guard_common_callers_where_needed
each show_guards <<-EOF
	1 0
	40 0
	40 1
	64 3
	20 1
	20 10
EOF

# No record may begin with 0, so what has no place is at 1.
requirement what_is_read_is_written_and_read_again
for order in le be; do
	echo "$maps" | show 0 3 0 10000 0 "$records" 5 1 0 6 0 0 1 0 >shown
	show_profile -w cpuprofile=written cpuprofile made >shown
	show_profile cpuprofile written | sort
done

requirement two_events_are_refused
make_profile >made <<-'EOF'
	pprof 6='' 6='A_sample' 6='count' 6='A_event' 6='B_sample' 6='B_event' 1=(1=1 2=2)
	pprof 1=(1=3 2=2) 1=(1=4 2=2) 1=(1=5 2=2) 2=(2=[1 1 1 1])
EOF
try show_profile -w cpuprofile=written pprof made
