# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC2153
# (run.sh and lib.sh set $status and $COMMANDS.)
# Options of all commands: names, letters and forms of arguments, which scripts of users rely on.

commands="oprofiled operf oppush ocount ophelp opdb opcontrol opreport opdiff opannotate oparchive opgprof
	opimport opexport optop oprofile-selftest"

# accepts COMMAND ARGUMENT... - --usage ends the command before it does anything
accepts()
{
	run_quietly "$@" --usage
	[ "$status" = 0 ] || echo "$*: refused: $(cat "$WORK/stderr")"
}

# refuses REASON COMMAND ARGUMENT...
refuses()
{
	reason=$1
	shift
	run_quietly "$@"
	case $status:$(cat "$WORK/stderr") in
	"2:$1 error: "*": $reason"*) ;;
	*) echo "$*: status $status instead of \"$reason\": $(cat "$WORK/stderr")" ;;
	esac
}

# value_of COMMAND OPTION PLACEHOLDER - a word that the option takes
value_of()
{
	case $2$3 in
	events=*) [ "$1" = oprofiled ] && echo A:1:0:1000:0:1:1 || echo cpu-clock:100000 ;;
	event=*) echo default ;;
	cpu-list=*) echo 0 ;;
	separate=* | merge=*) echo lib,cpu ;;
	sort=*) [ "$1" = optop ] && echo rate || echo vma,image ;;
	by=*) echo process ;;
	period=*) echo recent ;;
	source=*) echo perf ;;
	feed=*) echo 9 ;;
	delay=*) echo 5 ;;
	backend=*) echo timer ;;
	*format=*) [ "$2" = format ] && echo csv || echo pprof ;;
	from=*) echo pprof ;;
	to=*) echo folded ;;
	*-size=N | *-watershed=N) echo 1024 ;;
	*=0\|1) echo 1 ;;
	*=N | *=DEPTH) echo 2 ;;
	*=LIST*) echo all ;;
	*=FILE) echo /dev/null ;;
	fail-above=*) echo main=5% ;;
	*=PERCENT) echo 1.5 ;;
	*=HZ) echo 99 ;;
	*=START,END | *=[PT]ID,...) echo 1,2 ;;
	*=MS*) echo 100 ;;
	*=STYLE) echo smart ;;
	*=WHEN) echo never ;;
	*=TYPE) echo i386/core_2 ;;
	*=METHOD) echo dwarf ;;
	*=PARAMS) echo -Mintel ;;
	*=*) echo word ;;
	esac
}

# takes COMMAND LETTER NAME [PLACEHOLDER] - "-" for no letter or name; a placeholder is "=VALUE", or
# "[=VALUE]" of a value that may be missing
takes()
{
	value=$(value_of "$1" "$3" "${4-}")
	case ${4-} in
	\[*) accepts "$1" "--$3" ;;
	=*) refuses "missing argument" "$1" "--$3" ;;
	esac
	[ "$3" = - ] || accepts "$1" "--$3${value:+=$value}"
	[ "$2" = - ] || accepts "$1" "-$2$value"
	[ "$2" = - ] || [ -z "$value" ] || accepts "$1" "-$2" "$value"
	echo "$1 $2 $3 ${4-}"
}

# listed COMMAND - the options of its help, as takes() has them
listed()
{
	"$1" --help | sed -nE -e "s/^  -(.) .*/$1 \\1 -/p" \
		-e "s/^  (-(.),|   ) --([a-z-]+)(\[?=[^ ]*)?( .*)?\$/$1 \\2- \\3 \\4/p" |
		sed -e 's/ \(.\)- / \1 /' | grep -vE ' (help|usage) '
}

requirement options_letters_and_arguments_are_accepted
for command in $commands; do
	listed "$command" >"$WORK/rows"
	each takes <"$WORK/rows"
done

requirement no_command_accepts_unknown_options
for command in $commands; do
	refuses "unknown option" "$command" --nonsense
	refuses "unknown option" "$command" -Z
done

requirement help_fits_80_columns_and_names_arguments_in_upper_case
for command in $commands; do
	check "$command" '-?'
	"$command" --help | grep -nE '^.{81}|^  .{0,6}--[a-z-]*\[?=[^] ]*[a-z]' | sed "s/^/$command: /"
done

requirement errors_name_option_and_value
each try <<-EOF
	oprofiled --perf --freq=0
	oprofiled --separate-lib=2
	oprofiled --kernel-range=2,1
	oprofiled --verbose=loud
	oprofiled --events=A:1
	oprofiled word
	operf --freq 1e6 true
	operf --pid=1,x
	operf --call-graph=bp true
	operf --vmlinux=/nonexistent true
	operf --runs=0 true
	operf --runs=100 true
	operf --runs=2
	operf --runs=2 --pid=1
	operf --runs=2 --system-wide
	operf --runs=2 --append true
	operf --runs=2 --html=page true
	operf --runs=2 --feed=9 true
	operf --runs=2 --duration=1 true
	operf --runs=2 nonesuch
	ocount --time-interval=0 true
	ocount --time-interval=1:0 true
	ocount -C 3-1
	ocount -p 0
	ocount -e page-faults:100000:0:1:1 true
	ocount -e page-faults:100000 true
	ocount -e page-faults:0:0:0 true
	ophelp --counters=65
	ophelp -X -J
	ophelp --cpu-type=
	opcontrol --start --stop
	opcontrol --start --verbose=loud
	opcontrol --save=../x
	opcontrol word
	opreport --threshold=101
	opreport --demangle=fancy
	opreport --format=pdf
	opreport --color=red
	opreport -e a,,b
	opreport --merge=core
	opreport --verbose=loud
	oparchive --output=
	oprofile-selftest --freq=0
	oprofile-selftest --seconds=0
	oprofile-selftest --event=cpu-clock:1000000,page-faults:1
	oprofile-selftest word
EOF

requirement a_command_to_run_keeps_its_options
each try <<-EOF
	operf --append nonesuch --version
	ocount -c -s -- --version
	ocount -- nonesuch --help
EOF

requirement subcommands_of_perf_are_programs_of_this_package
images
session <<-EOF
	image prog TIMER
	0x1012 10, 0x1032 5
EOF
for words in 'report -q' 'script --value=samples'; do
	echo "\$ operf $words"
	# shellcheck disable=SC2086 # words
	operf ${words%% *} --session-dir="$DIR" ${words#* } 2>/dev/null | head -n 4
done
operf report --session-dir="$DIR" --html=page.html 2>/dev/null && [ -s page.html ] && echo a page
operf record --help | head -n 1
operf stat --help 2>/dev/null | head -n 1
try operf record
try operf -c 1000 true
try operf -g --no-call-graph true
try operf --html --no-call-graph true
