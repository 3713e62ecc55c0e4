#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# pprof's profile.proto: fields in any order and encoding, values as events, labels, damage, and
# what is written

# Strings: 1 samples, 2 count, 3 cpu, 4 nanoseconds, 5 /bin/prog, 6 abcd0123, 7 leaf, 8 outer,
# 9 a.c, 10 thread, 11 pid, 12 worker, 13 [kernel.kallsyms], 14 color
strings="6='' 6='samples' 6='count' 6='cpu' 6='nanoseconds' 6='/bin/prog' 6='abcd0123' 6='leaf' \
6='outer' 6='a.c' 6='thread' 6='pid' 6='worker' 6='[kernel.kallsyms]' 6='color'"
types='1=(1=1 2=2) 1=(1=3 2=4) 11=(1=3 2=4) 12=1000000'
tables='3=(1=1 2=0x400000 3=0x500000 4=0x1000 5=5 6=6)
3=(1=2 2=0xffffffff81000000 3=0xffffffff82000000 5=13)
4=(1=1 2=1 3=0x400100 4=(1=1 2=12) 4=(1=2 2=20))
4=(1=2 2=1 3=0x400200 4=(1=2 2=30))
4=(1=9 2=2 3=0xffffffff81000040)
5=(1=1 2=7 3=7 4=9 5=10) 5=(1=2 2=8 4=9)'
tables=$(echo "$tables" | tr '\n' ' ')

# Each line of stdin: fields, also "strings", "types" and "tables"
show_each()
{
	while read -r fields; do
		echo "$ $fields"
		echo "pprof $fields" |
			sed "s|strings|$strings|; s|types|$types|; s|tables|$tables|" |
			make_profile >made
		show_profile "$@" pprof made
	done
}

# Fields of the future in the last one, and one stack twice
requirement fields_come_in_any_order_and_encoding
show_each <<-EOF
	strings types tables 2=(1=[1 2] 2=[3 3000000]) 2=(1=[9 1 2] 2=[2 2000000])
	2=(1=[9 1 2] 2=[2 2000000]) 2=(2=[3 3000000] 1=[1 2]) tables types strings
	strings types tables 2=(1=1 1=2 2=3 2=3000000) 2=(1=9 1=1 1=2 2=2 2=2000000)
	strings types tables 2=(1=1 1=[2] 2=[3] 2=3000000) 2=(1=[9 1] 1=2 2=2 2=2000000)
	99='what?' 77=5 strings types tables 2=(1=[1 2] 2=[1 1000000] 12=(3=4)) 2=(1=[9 1 2] 2=[2 2000000]) 2=(1=[1 2] 2=[2 2000000])
EOF

requirement labels_name_threads_and_processes
show_each -v <<-EOF
	strings types tables 2=(1=2 2=[3 3000000] 3=(1=10 2=12) 3=(1=11 3=77) 3=(1=14 2=7)) 2=(1=2 2=[1 1000000] 3=(1=14 2=7))
EOF

# The second has a mapping of everything, as Go's runtime has it.
requirement locations_may_have_no_image_or_address
show_each <<-EOF
	strings types tables 4=(1=3 3=0x1234) 4=(1=4 2=1 4=(1=1)) 4=(1=5 4=(1=2 2=7)) 4=(1=6 2=1 3=0x300000) 2=(1=[3 4 5 6] 2=[1 1000000])
	strings types 3=(1=1 3=0xffffffffffffffff) 4=(1=1 2=1 3=0x400100) 2=(1=1 2=[1 1000000]) 2=(2=[4 4000000])
EOF

# Samples and what they stand for; no column of samples; a heap; two counters; one; no pairs
requirement columns_of_values_are_events
show_each -v <<-EOF
	6='' 6='samples' 6='count' 6='cpu' 6='nanoseconds' types 2=(2=[3 5000000])
	6='' 6='cpu' 6='nanoseconds' 1=(1=1 2=2) 11=(1=1 2=2) 12=1000000 2=(2=3500000)
	6='' 6='alloc_objects' 6='count' 6='alloc_space' 6='bytes' 6='inuse_objects' 6='inuse_space' 6='space' 1=(1=1 2=2) 1=(1=3 2=4) 1=(1=5 2=2) 1=(1=6 2=4) 11=(1=7 2=4) 12=524288 2=(2=[4 4096 2 2048])
	6='' 6='A_sample' 6='count' 6='A_event' 6='B_sample' 6='B_event' 1=(1=1 2=2) 1=(1=3 2=2) 1=(1=4 2=2) 1=(1=5 2=2) 2=(2=[1 1000 0 0]) 2=(2=[0 0 7 70])
	6='' 6='samples' 6='count' 6='cycles' 1=(1=1 2=2) 1=(1=3 2=2) 11=(1=3 2=2) 12=100000 2=(2=[2 200000])
	6='' 6='red' 6='count' 6='green' 6='blue' 1=(1=1 2=2) 1=(1=3 2=2) 1=(1=4 2=2) 2=(2=[1 2 3])
EOF

requirement damage_is_an_error
show_each <<-EOF
	strings types tables 2=(1=[1 7] 2=[1 1])
	strings types tables 2=(1=1 2=1)
	strings types tables 2=(1=1 2=[1 2 3])
	strings tables 2=(1=1)
	strings types tables 4=(1=1 3=4)
	strings types tables 4=(3=4)
	strings types tables 3=(1=2)
	strings types tables 5=(1=2)
	strings types tables 4=(1=3 2=8)
	strings types tables 4=(1=3 4=(1=8))
	strings types tables 5=(1=3 2=99)
	strings types tables 3=(1=3 5=99)
	strings 1=(1=99)
	strings types 3='x'
	strings types 3=5
	strings types 9='x'
	strings types tables 2=(1=1 2=[1 1] 3='x')
	strings types tables 2='x'
EOF

# Kilobytes that unpack to megabytes of empty strings: in less than 64 MiB, and in more
requirement bombs_are_refused
for size in 60000000 100000000; do
	yes 2 | tr '\n' '\0' | head -c $size | gzip -1 >made
	try show_profile pprof made
done

# What is written is read again, and from then on each byte is the same.
round_trip()
{
	show_profile -v -w pprof=written pprof "$1" >shown
	show_profile -v -w pprof=again pprof written >shown_again
	check cmp shown shown_again
	check cmp written again
	check gzip -t written
}

# All kinds of images, two counters, lines, labels, a value of more than 32 bits
requirement what_is_written_is_read_again
make_profile >made <<-'EOF'
	pprof 6='' 6='cpu-clock_sample' 6='count' 6='cpu-clock' 6='nanoseconds' 6='misses_sample'
	pprof 6='misses_event' 6='/no/such/prog' 6='abcdef01' 6='/other/prog' 6='[kernel.kallsyms]'
	pprof 6='[ext4]' 6='[vdso]' 6='[heap]' 6='inlined' 6='_Z7inlinedv' 6='a.cc' 6='main'
	pprof 6='made by hand' 6='and a half' 6='thread' 6='a thread' 6='pid' 6='tid' 6='cpu'
	pprof 1=(1=1 2=2) 1=(1=3 2=4) 1=(1=5 2=2) 1=(1=6 2=2) 11=(1=3 2=4) 12=250000 14=6 13=[18 19]
	pprof 3=(1=1 2=0x555555000000 3=0x555555010000 4=0x1000 5=7 6=8) 3=(1=2 2=0x1000 3=0x3000 5=9)
	pprof 3=(1=3 2=0xffffffff81000000 3=0xffffffff82000000 5=10)
	pprof 3=(1=4 2=0xffffffffc0000000 3=0xffffffffc0010000 5=11)
	pprof 3=(1=5 2=0x7fff00000000 3=0x7fff00002000 5=12) 3=(1=6 2=0x800000 3=0x900000 5=13)
	pprof 4=(1=1 2=1 3=0x555555000020 4=(1=1 2=3) 4=(1=2 2=20)) 4=(1=2 2=2 3=0x1020)
	pprof 4=(1=3 2=3 3=0xffffffff81000020) 4=(1=4 2=4 3=0xffffffffc0000020)
	pprof 4=(1=5 2=5 3=0x7fff00000020) 4=(1=6 2=6 3=0x800020)
	pprof 5=(1=1 2=14 3=15 4=16 5=1) 5=(1=2 2=17 3=17 4=16 5=10)
	pprof 2=(1=[6 5 4 3 2 1] 2=[3 750000 0 0] 3=(1=22 3=7))
	pprof 2=(1=[5 4 3 2 1] 2=[3 750000 2 2001] 3=(1=22 3=7) 3=(1=23 3=8) 3=(1=20 2=21))
	pprof 2=(1=[4 3 2 1] 2=[3 750000 0 0] 3=(1=22 3=7) 3=(1=24 3=1) 3=(1=20 2=21))
	pprof 2=(1=[2 1] 2=[20000 5000000000 2 2001] 3=(1=20 2=21))
EOF
try show_profile -v pprof made
round_trip made

# go tool pprof -raw has the same numbers of them
requirement real_profiles_are_read_and_written
corpora=${OPROFILE_CORPORA:-$TOP/../shared/data/corpora}/pprof
for name in internal+driver+testdata+cppbench.cpu_no_samples_type \
	internal+driver+testdata+go.nomappings.crash internal+report+testdata+sample.cpu; do
	if [ -r "$corpora/pprof__$name" ]; then
		cp "$corpora/pprof__$name" made
		show_profile -v pprof made >shown
		echo "$name: $(grep '^event' shown | tr '\n' ' ')$(grep -c '^[0-9]' shown)"
		round_trip made
	fi
done >real
# where there are none, nothing of them is tested
[ ! -s real ] || check diff - real <<-EOF
	internal+driver+testdata+cppbench.cpu_no_samples_type: event cpu nanoseconds 10000000: 712/7120000000 50
	internal+driver+testdata+go.nomappings.crash: event alloc_space bytes 0: 2/1765955 event inuse_space bytes 0: 2/1765955 2
	internal+report+testdata+sample.cpu: event cpu nanoseconds 10000000: 176/1760000000 76
EOF

# Of profiles that have no mappings, as those of JavaScript, or whose files are not here
requirement names_that_only_the_profile_has_are_kept
make_profile >made <<-EOF
	pprof 6='' 6='cpu' 6='nanoseconds' 6='main' 6='parse' 6='hash<int>' 6='app.js' 6='inlined'
	pprof 6='/no/such/server' 6='count' 6='samples' 1=(1=10 2=9) 1=(1=1 2=2)
	pprof 3=(1=1 2=0x400000 3=0x500000 5=8)
	pprof 5=(1=1 2=3 4=6) 5=(1=2 2=4 4=6) 5=(1=3 2=5) 5=(1=4 2=7)
	pprof 4=(1=1 4=(1=1 2=5)) 4=(1=2 4=(1=2 2=9)) 4=(1=0xfedcba9876543210 4=(1=3))
	pprof 4=(1=4 2=1 3=0x400100 4=(1=4) 4=(1=3)) 4=(1=5 2=1 3=0x400108 4=(1=2))
	pprof 2=(1=[1] 2=[4 400]) 2=(1=[2 1] 2=[3 300]) 2=(1=[0xfedcba9876543210 2 1] 2=[2 200])
	pprof 2=(1=[4 5] 2=[1 100])
EOF
check opimport -o imported made
opreport --session-dir=imported -l 2>/dev/null | sed -n '/^samples/,$p'
opreport --session-dir=imported -c 2>/dev/null | sed -n '/^samples/,$p'
check opexport --session-dir=imported --to=pprof -o again
for profile in made again; do
	opexport "--from=$profile" --to=folded 2>/dev/null | sed 's/^[^;]*;//' | sort >$profile.folded
done
check diff made.folded again.folded
cat again.folded

# A location is at an address or not, has lines of its own, or a name only: what the local file then
# says of it.  At the address of the third one the local file has src/prog.c:20.
requirement lines_and_inlined_functions_are_in_all_reports
images
make_profile >made <<-EOF
	pprof 6='' 6='cpu' 6='nanoseconds' 6='samples' 6='count' 6='main' 6='helper' 6='tiny'
	pprof 6='app.c' 6='other.c' 6='$DIR/prog' 6='0123456789abcdef0123456789abcdef01234567'
	pprof 6='hot' 6='cold' 1=(1=3 2=4) 1=(1=1 2=2)
	pprof 3=(1=1 2=0x401000 3=0x402000 4=0x1000 5=10 6=11)
	pprof 5=(1=1 2=5 4=8 5=1) 5=(1=2 2=6 4=8) 5=(1=3 2=7 4=9 5=2) 5=(1=4 2=12 4=8) 5=(1=5 2=13)
	pprof 4=(1=1 4=(1=1 2=3)) 4=(1=2 4=(1=3 2=3) 4=(1=2 2=4)) 4=(1=3 2=1 3=0x401010 4=(1=4 2=5))
	pprof 4=(1=4 2=1 3=0x401014) 4=(1=5 2=1 3=0x401030 4=(1=5)) 4=(1=6 4=(1=3))
	pprof 2=(1=[2 1] 2=[4 4000]) 2=(1=[1] 2=[1 1000]) 2=(1=[3 1] 2=[3 3000])
	pprof 2=(1=[4 1] 2=[2 2000]) 2=(1=[5 1] 2=[1 1000]) 2=(1=[6 1] 2=[1 1000])
EOF
write app.c <<-EOF
	one
	two
	main calls
	helper calls
	hot
EOF
check opimport -o imported made
opreport --lines --children made | sed -n '/^inclusive/,$p' >lines.txt
opreport --lines --children --session-dir=imported | sed -n '/^inclusive/,$p' >imported.txt
check diff lines.txt imported.txt
cat lines.txt
opreport --symbols --inline made | sed -n '/^samples/,$p'
opreport --csv --lines made
opreport --json --lines made | grep -c '"line"'
opannotate --source made 2>&1 | grep -v Session

# The second sample has fewer blocks and more bytes.
requirement differences_go_where_values_may_be_below_0
make_profile >made <<-EOF
	pprof 6='' 6='objects' 6='count' 6='space' 6='bytes' 6='main' 6='grow' 6='shrink'
	pprof 1=(1=1 2=2) 1=(1=3 2=4)
	pprof 4=(1=1 4=(1=1)) 4=(1=2 4=(1=2)) 4=(1=3 4=(1=3)) 5=(1=1 2=5) 5=(1=2 2=6) 5=(1=3 2=7)
	pprof 2=(1=[2 1] 2=[3 4096]) 2=(1=[3 1] 2=[0xfffffffffffffffe 64])
	pprof 2=(1=1 2=[0xffffffffffffffff 0xfffffffffffffc00])
EOF
opimport --info made
opexport --from=made --to=folded
opexport --from=made --to=folded --value=samples
opexport --from=made --to=pprof -o again
opexport --from=again --to=folded | cmp - "$(opexport --from=made --to=folded -o stacks && echo stacks)"
opexport --from=again --to=folded --value=samples
opexport --from=made --to=firefox | grep -o '"weight":[^]]*]'
each try opexport --from=made <<-EOF
	--to=callgrind
	--to=session -o new
EOF
try opimport -o "$DIR/data" made
check test ! -e data
