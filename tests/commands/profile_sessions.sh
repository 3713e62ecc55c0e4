#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# profile -> session -> profile -> session -> profile: nothing that the format holds is lost, and
# from the second time on not a byte changes.

# make_stacks EVENTS CONTEXTS DEPTH - a profile of pprof with 400 random stacks
make_stacks()
{
	awk -v events="$1" -v contexts="$2" -v depth="$3" 'BEGIN {
		srand(19)
		split("0x555555001010 0x7f0000001010 0x401010", start)
		print "pprof 6=\047\047 6=\047cpu-clock_sample\047 6=\047count\047 6=\047cpu-clock\047"
		print "pprof 6=\047nanoseconds\047 6=\047misses_sample\047 6=\047misses_event\047"
		print "pprof 6=\047/no/such/prog\047 6=\047/no/such/lib.so\047 6=\047/no/such/other\047"
		print "pprof 6=\047pid\047 6=\047tid\047 6=\047cpu\047 6=\047app\047 6=\047abcdef01\047"
		print "pprof 1=(1=1 2=2) 1=(1=3 2=4) 11=(1=3 2=4) 12=250000"
		if (events == 2)
			print "pprof 1=(1=5 2=2) 1=(1=6 2=2)"
		print "pprof 3=(1=1 2=0x555555000000 3=0x555555010000 4=0x1000 5=7 6=14)"
		print "pprof 3=(1=2 2=0x7f0000000000 3=0x7f0000010000 5=8)"
		print "pprof 3=(1=3 2=0x400000 3=0x410000 5=9)"
		for (image = 1; image <= 3; image++)
			for (place = 0; place < 50; place++)
				printf "pprof 4=(1=%d 2=%d 3=0x%s)\n", 50 * image + place, image,
					address(substr(start[image], 3), 4 * place)
		for (i = 0; i < 400; i++) {
			own = contexts && i % 3 == 0 ? 3 : 1
			stack = ""
			for (j = int(rand() * depth); j >= 0; j--)
				stack = stack " " 50 * (rand() < 0.5 ? own : 2) + int(rand() * 50)
			count = 1 + int(rand() * 9)
			values = count " " count * 250000
			if (events == 2)
				values = i % 2 ? "0 0 " count " " count * 1000 : values " 0 0"
			labels = ""
			if (contexts)
				labels = sprintf("3=(1=10 3=%d) 3=(1=11 3=%d) 3=(1=12 3=%d)",
					own == 1 ? 70 : 80, (own == 1 ? 70 : 80) + i % 2, i % 5)
			print "pprof 2=(1=[" stack "] 2=[" values "] " labels ")"
		}
	}
	function address(text, add,	head) {
		head = substr(text, 1, length(text) - 4)
		return head sprintf("%04x", 4112 + add)
	}' | make_profile
}

# round_trip FORMAT EVENTS CONTEXTS DEPTH
round_trip()
{
	format=$1
	shift
	make_stacks "$@" >made
	case $format in dcpi) mkdir first ;; esac
	show_profile -w "$format=first" pprof made >shown
	check test "$(grep -c . shown)" -gt 40
	check opimport -s lib,thread,cpu -o one first
	check opexport --session-dir=one "--to=$format" -o second
	check opimport -s lib,thread,cpu -o two second
	check opexport --session-dir=two "--to=$format" -o third
	show_profile "$format" first | sort >first.samples
	show_profile "$format" second | sort | diff first.samples -
	check test -s first.samples
	check diff -r second third
}

requirement pprof_keeps_events_contexts_and_stacks
round_trip pprof 2 1 6

requirement pprof_keeps_stacks_without_contexts
round_trip pprof 1 0 6

requirement gperftools_keeps_stacks
round_trip cpuprofile 1 0 6

requirement dcpi_keeps_events_and_addresses
round_trip dcpi 2 0 1

requirement a_sample_file_is_a_profile_whatever_its_name_is
images
session <<-'EOF'
	image prog lib.so TIMER.10000.0.all.all.all
	0x1010 5, 0x1030 2
EOF
file="samples/current/{root}$DIR/prog/{dep}/{root}$DIR/lib.so/TIMER.10000.0.all.all.all"
try opimport --info "$file"
try opexport "--from=$file" --to=folded
cp "$file" anything
try opimport --info anything
try opexport --from=anything --to=folded
head -c 1000 anything >damaged
try opexport --from=damaged --to=folded

# A pack becomes a pack, also with another CPU type; what holds no samples leaves nothing behind.
requirement packed_sessions_are_imported
images
session <<-'END'
	image prog lib.so TIMER.10000.0.all.all.all
	0x1010 5, 0x1030 2
END
opreport --session-dir=. -l | sed 1d >loose
make_session --pack "$DIR"
mkdir packed
mv samples packed
check opimport -o imported packed
check diff loose - <<-END
	$(opreport --session-dir=imported -l | sed 1d)
END
find imported -name pack
check opimport --cpu-type=i386/core_2 -o typed packed
opreport --session-dir=typed -l 2>/dev/null | sed -n 2p
truncate -s -20 packed/samples/current/pack
try opimport -o damaged packed
mkdir empty
try opimport -o nothing empty
ls
