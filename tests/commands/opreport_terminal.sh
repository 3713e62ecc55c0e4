#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Report tools on a terminal: colours, pager and progress are there, and nowhere else.  In what a
# terminal showed, ^[ is an escape, and ^M goes back to the start of the line.

setting()
{
	images
	session <<-'EOF'
		image prog TIMER
		0x1010 90, 0x1030 1
		stat total_samples 100
		stat samples_stored 91
	EOF
	echo 'no sample file' | write 'samples/bad/{root}/x'
}

requirement colours_are_for_terminals_unless_options_say_otherwise
setting
shown PAGER= opreport -l -n
shown PAGER=cat opreport -l -n
shown '' opreport --no-pager -l -n
shown 'PAGER= NO_COLOR=' opreport -l -n
shown 'PAGER= NO_COLOR=1' opreport -l -n
shown 'PAGER= TERM=dumb' opreport -l -n
shown PAGER= opreport -l -n --color=never
shown 'PAGER= NO_COLOR=1' opreport -l -n --color=always
shown PAGER= opreport -n
shown '' opreport --no-pager -l -n '| cat'
shown '' opreport --no-pager -l -n --color=always '| cat'
shown '' opreport -l -n -o report '; cat report'
shown '' opreport --no-pager --csv --color=always '| head -n 1' # reports for programs
shown 'PAGER="grep -F 401010:"' opannotate -a

requirement heads_and_losses_have_colours
setting
session <<-EOF
	stat lost_no_mapping 9
EOF
shown PAGER= opreport -l -t 50

requirement trees_are_short_on_a_terminal_and_whole_elsewhere
images
session <<-EOF
	image prog TIMER
	0x1012 10
	stacks prog TIMER
	stack 10 prog+0x1012$(yes ' prog+0x1015' | head -n 44 | tr -d '\n')
EOF
shown PAGER= opreport -n --tree --color=never '| cat' | grep -c hot
shown PAGER= opreport -n --tree --color=never | sed '4,39d'
shown PAGER= opreport -n --inverted --color=never --max-lines=2
shown PAGER= opreport -n --inverted --color=never --max-lines=0 | grep -c hot

requirement the_pager_is_any_command
setting
# shellcheck disable=SC2016 # the pager's shell expands it
shown 'PAGER="printf \"%s \" \$LESS; tr a-z A-Z"' opreport -l -n --color=never
# shellcheck disable=SC2016
shown 'LESS=S PAGER="printf \"%s \" \$LESS; cat"' opreport -n --color=never
shown PATH=/usr/bin:/bin opreport -n | grep -o '91 .*prog' # less ends the line in its way
shown PATH=/nonexistent opreport -n --color=never          # there is no less
shown PAGER=true opreport -d
shown 'PAGER="head -n 1"' opreport --color=never -d -n # enough was seen, which is no error
shown PAGER=/nonexistent opreport -n

requirement no_pager_is_for_files_programs_and_errors
setting
shown PAGER=false opreport -n '| cat'
shown PAGER=false opreport -n cpu:7

requirement progress_is_shown_at_once_and_gone_before_the_report
setting
now='PAGER= OPROFILE_PROGRESS_DELAY=0'
shown "$now" opreport -n --color=never
shown "$now" opreport -n --color=never '2>/dev/null'
shown 'PAGER= OPROFILE_PROGRESS_DELAY=3600' opreport -n --color=never
shown "$now" opreport -n session:current,bad '2>&1 >/dev/null' # a message takes the line's place

requirement what_is_kept_apart_is_summed_up_unless_it_is_asked_for
images
session <<-EOF
	image prog cpu-clock.1000000.0.10.10.0
	0x1012 600
	image prog cpu-clock.1000000.0.10.11.1
	0x1012 100, 0x1032 300
EOF
shown PAGER= opreport --color=never -l
shown PAGER= opreport --color=never -l -n tid:10,11
shown PAGER= opreport --color=never --by=thread
shown PAGER= opreport --color=never -l '2>&1 | cat'
opannotate "--session-dir=$DIR" --source 2>/dev/null | grep 'Together\|600'

requirement columns_beyond_the_screen_are_percentages
images
session <<-EOF
	image prog CYCLES.1000.0.all.all.all
	0x1012 10
	image prog INSTRUCTIONS.1000.0.all.all.all
	0x1012 10
	image prog CACHE_MISSES.1000.0.all.all.all
	0x1032 10
	image prog BRANCHES.1000.0.all.all.all
	0x1012 5, 0x1032 15
	image prog lib.so CYCLES.1000.0.all.all.all
	0x1000 10
EOF
shown PAGER= opreport --color=never -l
shown PAGER= opreport --color=never -n --libraries
columns=40 shown PAGER= opreport --color=never -l -n
columns=100 shown PAGER= opreport --color=never -l -n
shown PAGER= opreport --color=never --hottest | head -n 24
