#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Reports on a terminal keep to its width and are short; in a pipe they are whole.

# widest - the number of columns of the longest line of stdin, which "cat -v" wrote
widest()
{
	sed -e 's/M-bM-^@M-&/./g' -e 's/\t/        /g' | wc -L
}

long=$(printf 'a_function_%040d' 0)
tree=_ZNSt3mapISsSt6vectorIiSaIiEESt4lessISsESaISt4pairIKSsS2_EEE4findERS6_

# 30 symbols of 0x10 bytes at 0x401000, two of which have long names; 25 applications
setting()
{
	images
	{
		echo '.text'
		for i in $(seq 0 29); do
			case $i in
			0) name=$tree ;;
			1) name=$long ;;
			*) name=f$i ;;
			esac
			printf '.globl %s\n.type %s, @function\n%s:\n.skip 16, 0x90\n' \
				"$name" "$name" "$name"
			printf '.size %s, 16\n' "$name"
		done
	} >long.s
	gcc -nostdlib -static -Wl,-Ttext=0x401000,-e0x401000 -o a_program_of_a_long_name long.s
	mkdir a_directory_with_a_name_of_thirty_characters_and_more
	cp lib.so a_directory_with_a_name_of_thirty_characters_and_more/library-of-a-long-name.so.1
	{
		echo 'image a_program_of_a_long_name TIMER'
		for i in $(seq 0 29); do
			printf '0x%x %d\n' $((0x1000 + 16 * i)) $((200 - i))
		done
		echo image a_program_of_a_long_name \
			a_directory_with_a_name_of_thirty_characters_and_more/library-of-a-long-name.so.1 \
			TIMER
		echo '0x1000 20'
		echo image a_program_of_a_long_name \
			'{anon:anon}/7.0x7f0000000000.0x7f0000010000 TIMER'
		echo '0x10 100'
		for i in $(seq 10 33); do
			echo "image /usr/bin/application-$i TIMER"
			echo "0x10 $((2 * i))"
		done
		echo 'stacks a_program_of_a_long_name TIMER'
		for i in $(seq 0 29); do
			printf 'stack %d' $((200 - i))
			printf ' a_program_of_a_long_name+0x%x' $((0x1000 + 16 * i)) \
				$((0x1008 + 16 * ((i + 3) % 30))) $((0x1018)) $((0x1004)) $((0x1018))
			echo
		done
		echo 'ctr_count 100000'
	} | session
	echo "command-line a_program_of_a_long_name $(seq -s ' ' 300)" >samples/current/origin
}

views='
--libraries
-l
-l -f
-l -g
-l -a
-d
-c
--children
--tree
--inverted
--tree --max-lines=0
--lines
-l --show-events=always
{ } { }
-l { } { }'

requirement no_line_of_a_report_wraps
setting
echo "$views" | while read -r view; do
	for columns in 80 120 200; do
		shown PAGER= opreport --color=never "$view" | sed 1d >out
		[ "$(widest <out)" -le "$columns" ] || {
			echo "$columns columns: opreport $view has $(widest <out)"
			cat out
		}
	done
done

requirement no_line_of_help_wraps
for tool in opreport opannotate oparchive opexport opimport opgprof opcontrol operf oprofiled \
	ophelp opdb ocount; do
	command -v $tool >/dev/null || echo "no $tool"
	$tool --help >out 2>err </dev/null
	[ -s out ] || echo "no help of $tool"
	[ "$(widest <out)" -le 80 ] || echo "$tool --help has $(widest <out) columns"
done

requirement a_summary_fits_a_screen
setting
shown PAGER= opreport --color=never | sed '/^Session/d'
shown PAGER= opreport --color=never -n --max-lines=2
shown PAGER= opreport --color=never -n --max-lines=2 --libraries
shown PAGER= opreport --color=never -n --max-lines=0 | wc -l

requirement names_lose_their_middle_on_a_terminal
setting
for columns in 60 80 200; do
	echo "$columns columns"
	shown PAGER= opreport --color=never -n -l --max-lines=6
	shown PAGER= opreport --color=never -n -l --max-lines=6 --demangle=none
	shown PAGER= opreport --color=never -n -l 'lib-image:*library*,*application-33' '2>/dev/null'
done
columns=80
shown PAGER= opreport --color=never -n --max-lines=4 --tree
shown PAGER= opreport --color=never -n --max-lines=4 --inverted

# In the list of all, anonymous memory and a library are in another image than their application.
requirement images_have_a_column_if_those_listed_need_one
setting
shown PAGER= opreport --color=never -l --max-lines=1 '2>/dev/null' | grep function
shown PAGER= opreport --color=never -l --max-lines=31 '2>/dev/null' | grep -e ' function' -e ' anon'
opreport --session-dir="$DIR" -l 2>/dev/null | grep 'symbol name'

requirement the_largest_are_shown_in_the_order_asked_for
setting
shown PAGER= opreport --color=never -n -l | wc -l
shown PAGER= opreport --color=never -n -l --max-lines=3 -s symbol
shown PAGER= opreport --color=never -n -l --max-lines=3 -r
shown PAGER= opreport --color=never -n -c --max-lines=1
shown PAGER= opreport --color=never -n -l --max-lines=3 '{ } { }' '2>/dev/null'

requirement a_pipe_has_all_of_it
setting
opreport --session-dir="$DIR" -n -l >out 2>/dev/null
wc -l <out
grep -F -e "$long" -e 'std::map<' out
opreport --session-dir="$DIR" -n 2>/dev/null | wc -l
reports <<-EOF
	-n --no-libraries --max-lines=3
	-n -l --max-lines=2 a_program*
	--libraries --no-libraries
	--libraries -l
	--no-libraries --csv
	--max-lines=3 --json
	--max-depth=3
EOF
