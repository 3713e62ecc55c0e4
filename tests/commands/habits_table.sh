#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What people are used to type, and mistakes: what is said, and the exit status (habits.table)
. "$COMMANDS/driver.sh"

# recording PERIOD - of perf: one program, four samples
recording()
{
	make_profile <<-EOF
		event type=1 period=$1 id=11
		file 112
		comm 10 11
		mmap 20 11
		sample 0x400010 30 11 $1
		sample 0x400010 40 11 $1
		sample 0x400020 50 11 $1
		sample 0x400020 60 11 $1
		round
		finish
	EOF
}

prepare()
{
	machine '0 1 2 3'
	images
	recording 1000000 >perf.data
	recording 1000000 >perf.data.old
	session <<-EOF
		image prog TIMER.0.0.7.7.all
		0x1010 5
		image prog TIMER.0.0.8.8.all
		0x1010 50
	EOF
	mv samples/current samples/tasks
	session <<-EOF
		image prog TIMER
		0x1010 600
	EOF
	mkdir before after oprofile_data
	cp -r samples before/
	cp -r samples after/
	mv samples/current samples/before
	session <<-EOF
		image prog TIMER
		0x1010 600, 0x1030 90, 0x1040 40
		image prog lib.so TIMER
		0x1000 10
	EOF
	mv samples oprofile_data/
	make_session s <<-EOF
		image prog TIMER
		0x1010 7
	EOF
}

# run_typed COMMAND - sets $status; what is said is in $WORK/said
run_typed()
{
	set -f
	status=0
	eval "$1" >"$WORK/stdout" 2>"$WORK/stderr" </dev/null || status=$?
	set +f
	{
		sed -e "\$ a\\" "$WORK/stdout"
		sed -e 's/^/! /' "$WORK/stderr"
	} | sed "s#$DIR#@DIR@#g" >"$WORK/said"
}

# A part of a line; "! " begins one of stderr.
is_said()
{
	case $1 in
	'') [ ! -s "$WORK/said" ] ;;
	'! '*) grep '^! ' "$WORK/said" | grep -qF -e "${1#! }" ;;
	*) grep -v '^! ' "$WORK/said" | grep -qF -e "$1" ;;
	esac
}

# trim TEXT - without blanks around it, in $trimmed
trim()
{
	trimmed=${1#"${1%%[! ]*}"}
	trimmed=${trimmed%"${trimmed##*[! ]}"}
}

requirement what_people_type_is_taken_or_answered
prepare
can_count=no
! ocount -e page-faults true 2>/dev/null || can_count=yes
rows=0
while IFS='|' read -r whose expected typed said; do
	case $whose in
	'' | '#'*) continue ;;
	'counts '*) [ $can_count = yes ] || continue ;;
	esac
	trim "$expected" && expected=$trimmed
	trim "$typed" && typed=$trimmed
	trim "$said" && said=$trimmed
	rows=$((rows + 1))
	run_typed "$typed"
	[ "$status" = "$expected" ] && is_said "$said" && continue
	echo "$typed: status $status instead of $expected; or not said: \"$said\"; but:"
	cat "$WORK/said"
done <"$COMMANDS/habits.table"
[ $rows -ge 58 ] || echo "only $rows rows were run"

requirement there_are_20_habits_of_each_kind
sed -n 's/^\([a-z]*\) |.*/\1/p' "$COMMANDS/habits.table" | sed 's/counts/perf/' | sort | uniq -c
cut -d '|' -f 3 "$COMMANDS/habits.table" | grep -v '^#' | sort | uniq -d

# verify COMMAND ARGUMENT... - reports are run; of what takes samples or counts, the options are
# read, and then refused for the sake of two that exclude each other
verify()
{
	tool=$1
	shift
	expected=2
	case $tool in
	operf) set -- --feed-only "$@" && said='--feed-only needs --feed' ;;
	ocount) set -- --json --brief-format "$@" && said='--brief-format and --json exclude' ;;
	optop) set -- --source=daemon --keep=x "$@" && said='what the daemon samples was set' ;;
	*) expected=0 && said='' ;;
	esac
	status=0
	"$tool" "$@" >/dev/null 2>"$WORK/stderr" </dev/null || status=$?
	if [ $status = $expected ]; then
		[ ! "$said" ] || grep -qF -e "$said" "$WORK/stderr" && return
	fi
	echo "perf $line: $tool $*: status $status, $(cat "$WORK/stderr")"
}

requirement lines_of_perf_are_done_or_answered
prepare
mv oprofile_data/samples/before oprofile_data/samples/previous
while IFS='|' read -r verdict line what; do
	case $verdict in
	'' | '#'*) continue ;;
	esac
	trim "$line" && line=$trimmed
	trim "$what" && what=$trimmed
	run_typed "operf --translate $line"
	case $verdict:$status in
	'right '*:0) is_said "$what" || echo "perf $line: not \"$what\" but $(cat "$WORK/said")" ;;
	'told '*:[02]) is_said "! $what" || echo "perf $line: not \"$what\" but $(cat "$WORK/said")" ;;
	*) echo "perf $line: $verdict, but status $status: $(cat "$WORK/said")" ;;
	esac
	[ "$status" = 2 ] || eval "verify $(cat "$WORK/stdout")"
done <"$COMMANDS/habits_perf.table"
sed -n 's/^\([a-z]*\) |.*/\1/p' "$COMMANDS/habits_perf.table" | sort | uniq -c
cut -d '|' -f 2 "$COMMANDS/habits_perf.table" | grep -v '^#' | sort | uniq -d
