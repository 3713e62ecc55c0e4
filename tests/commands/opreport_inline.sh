#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport --inline: inlined functions are those of addr2line -i at each address of .text, in each
# form of debug information

command -v g++ >/dev/null || skip "there is no g++ here"

# build OPTION... - the program "inlined", and in "addresses" those of its .text
build()
{
	kept="$WORK/built$(printf '%s' "$*" | tr ' /' '__')"
	if [ ! -d "$kept" ]; then
		mkdir "$kept"
		g++ "$@" -o inlined "$SOURCES/inlined.cc"
		readelf -SW inlined | sed 's/^ *\[ *[0-9]*\] *//' |
			awk '$1 == ".text" { print "0x" $3, "0x" $5 }' >"$kept/text"
		read -r start size <"$kept/text"
		seq $((start)) $((start + size - 1)) | xargs printf '0x%x\n' >addresses
		check test -s addresses
		find . -name '*.dwo' -exec cp {} "$kept/" ';'
		cp inlined addresses "$kept/"
	fi
	cp "$kept"/* .
}

# Differences between show_lines and addr2line, which says of each address: the address, then pairs
# of function and "file:line"; the last function is that of the symbol.  libbfd calls a function
# without a linkage name by a symbol that begins with its code, also where it is inlined.
compare()
{
	addr2line -a -i -f -e inlined <addresses | awk '
		/^0x/ { if (NR > 1) print names; names = ""; place = 0; next }
		!place { names = names " " $0 }
		{ place = !place }
		END { print names }' >theirs
	show_lines inlined <addresses >ours
	awk '
		NR == FNR { theirs[NR] = $0; next }
		{
			n = split(theirs[FNR], name, " ")
			renamed = 0
			for (i = 1; i < n; i++) {
				if ($(i + 3) == name[i])
					continue
				if (NF < i + 3 || $(i + 3) ~ /^_Z/ || name[i] != name[n])
					print $0 "; addr2line:" theirs[FNR]
				renamed = 1
			}
			if (NF != n + 2)
				print $0 "; addr2line:" theirs[FNR]
			inlined_at += NF > 3
			renamed_at += renamed
		}
		END {
			if (FNR != NR - FNR || inlined_at <= FNR / 10 || renamed_at >= inlined_at / 4)
				print FNR, NR - FNR, inlined_at, renamed_at
			else
				print "agreed"
		}' theirs ours | tail -n 5
}

requirement inlined_functions_are_those_of_addr2line
while read -r options; do
	echo "$options"
	# shellcheck disable=SC2086 # words
	build $options
	compare
done <<-EOF
	-O2 -g
	-O3 -gdwarf-4
	-O2 -gdwarf-5 -ffunction-sections -Wl,--gc-sections
	-O2 -g -gz=zlib
	-O2 -g -flto
EOF

# Samples with and without stacks, in recursion and with a line more than once in a stack.
requirement lines_have_the_samples_that_addr2line_gives_them
build -O2 -g
read -r start size <text
python3 "$COMMANDS/lines_of_stacks.py" make inlined $((start)) $((start + size)) >described
session <described
opreport --session-dir="$DIR" --lines --csv --demangle=none >found
python3 "$COMMANDS/lines_of_stacks.py" compare inlined described found

# addr2line does not read it.
requirement split_debug_information_says_the_same_as_that_in_one_piece
build -O2 -g
show_lines inlined <addresses >whole
build -O2 -g -gsplit-dwarf
show_lines inlined <addresses | diff whole -
check test "$(awk 'NF > 3' whole | wc -l)" -gt 1000

# Such a FIFO would be waited for.
requirement fifos_that_debug_information_names_are_not_opened
build -O2 -g -gsplit-dwarf
rm ./*.dwo
mkfifo "$(readelf --debug-dump=info inlined 2>/dev/null |
	sed -n 's/.*dwo_name.*: *//p' | head -n 1)"
session <<-EOF
	image /x TIMER
	1 1
	image inlined TIMER
	0x1200 1
EOF
check timeout 60 opreport "--session-dir=$DIR" --inline -g -n
# A supplementary file, as dwz makes it
build -O2 -g
mkfifo fifo
printf 'fifo\0aaaaaaaaaaaaaaaaaaaa' >altlink
objcopy --add-section .gnu_debugaltlink=altlink inlined
check timeout 60 opreport "--session-dir=$DIR" --inline -g -n

# one_sample_everywhere - at each address of .text: a function has as many as addresses
one_sample_everywhere()
{
	build -O2 -g
	show_lines inlined <addresses >ours
	awk 'BEGIN { print "image inlined TIMER" } { print $2, 1 }' ours | session
}

requirement samples_belong_to_the_innermost_inlined_function
one_sample_everywhere
opreport "--session-dir=$DIR" --inline --csv >csv
for name in leaf middle; do
	awk -v name=$name '$4 == name { n++ } END { print n + 0 }' ours >wanted
	grep -F "$name (inlined)" csv | cut -d, -f1 | head -n 1 | diff wanted -
	check test "$(cat wanted)" -gt 0
done
check test "$(awk '$4 == "leaf"' ours | wc -l)" -gt 20
check grep -F ',app::shape::area() const (inlined),' csv
check grep -F ',main,' csv

requirement inlined_functions_lose_no_sample
one_sample_everywhere
opreport "--session-dir=$DIR" -n -t 100 -x | awk '/inlined/ { print $1 }' >images
wc -l <addresses | diff - images

requirement details_name_what_a_function_is_inlined_into
one_sample_everywhere
# details TEXT OPTION...
details()
{
	text=$1
	shift
	opreport "--session-dir=$DIR" -d --inline "$@" >out
	check grep "$text" out
}
details ' in middle (inlined) in app::hot(int)$' -n
details '"inlined_into": \["middle (inlined)", "app::hot(int)"\]' --json
details '"inlined": true' --json
details ',address,inlined_into$' --csv
details ',middle (inlined) in app::hot(int)$' --csv
details '"leaf (inlined)"' -X

requirement call_graphs_have_no_inlined_functions
one_sample_everywhere
of_session opreport -c --inline
