#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opexport --from: conversion without a session gives what import and export give, and keeps what a
# session has no place for: the time of each sample
. "$COMMANDS/threads.sh"

# Writes the profile to "direct" and, by way of a session, to "session".
both_ways()
{
	rm -rf data
	opexport --from=made "--to=$1" -o direct
	opimport -s lib,thread,cpu -o data made
	opexport --session-dir=data "--to=$1" -o session
}

requirement folded_stacks_equal_those_of_import_and_export
recording
both_ways folded
wc -l <direct
cmp direct session

# The direct one has a profile for each thread.
requirement speedscope_weights_add_up_to_those_of_import_and_export
recording
both_ways speedscope
for file in direct session; do
	grep -o '"endValue":[0-9]*' $file | awk -F: '{ n += $2 } END { print n }'
done

requirement pprof_samples_equal_those_of_import_and_export
recording
both_ways pprof
show_profile pprof direct >direct.samples
show_profile pprof session | sed 's/ cpu=[0-9]*//' >session.samples
wc -l <direct.samples
diff direct.samples session.samples

requirement names_and_numbers_of_threads_are_kept
recording worker
both_ways pprof
show_profile pprof direct | grep -o 'comm=.*' | sort | uniq -c
opexport --from=made --to=folded | cut -d';' -f1 | uniq
opexport --session-dir=data --to=folded | cut -d';' -f1 | uniq

requirement standard_input_is_read
recording
opexport --from=made --to=folded -o file
opexport --from=- --to=folded <made | cmp - file
check test -s file
# what root reads by a pipe names only what everybody may read
chmod 755 "$WORK" .
# shellcheck disable=SC2002 # a pipe is meant
cat made | opexport --from=- --from-format=perf --to=folded | cmp - file

requirement what_precedes_damage_is_written
recording
opexport --from=made --to=perf -o whole
show_profile -m perf whole >whole.moments
head -c 12000 made >damaged
try opexport --from=damaged --to=perf -o part
show_profile -m perf part >part.moments
wc -l <part.moments
head -n "$(wc -l <part.moments)" whole.moments | cmp - part.moments
try opexport --from=damaged --to=folded | tail -n 2

requirement wrong_command_lines_are_refused
recording
opimport -s lib,thread -o data made
each try opexport --to=folded <<-EOF
	--from=/dev/null --from-format=nonsense
	--from=/dev/null image:/bin/true
	--from-format=perf
	--from=/dev/null
	--from=data
EOF

# Two threads of one process, one after the other; not in the order of time.  The second is called
# $worker (prog).
timed()
{
	images
	{
		printf '%s\n' "$event" 'event type=0 config=3 period=1 sample_type=0x20 id=12' 'file 112'
		task 70 70 prog "$DIR/prog"
		task 70 71 "${worker:-prog}" "$DIR/prog"
		while read -r time tid at event count; do
			echo "record 9 2 q$event q$at d70 d$tid q$time q$count q3" \
				"q0xfffffffffffffe00 q$at q0x401031"
		done <<-EOF
			1003000 71 0x401010 11 40
			1000000 70 0x401010 11 10
			1001000 71 0x401030 11 20
			1002000 70 0x401030 11 30
			1004000 70 0x401010 11 50
			1005500 71 0x401030 11 60
			5000001004 70 0x401010 11 70
			1002500 71 0x401010 12 5
		EOF
		echo finish
	} | sed 's/q0x400000 q0x10000 q0 /q0x401000 q0x1000 q0x1000 /' | make_profile >made
}

requirement a_conversion_keeps_the_time_of_each_sample
timed
opexport --from=made --to=perf -o again
show_profile -m perf made
show_profile -m perf again | sed 's/misses_event/misses/' >again.moments
show_profile -m perf made | diff - again.moments
show_profile -m perf again | wc -l

requirement firefox_has_times_of_each_thread_since_the_first
timed
opexport --from=made --to=firefox | grep -oE '"pid":"70","tid":7[01],|"samples":\{[^}]*\}'

requirement speedscope_has_a_profile_of_each_thread_in_the_order_of_time
timed
opexport --from=made --to=speedscope | sed -n '/"profiles"/,$p'

# By way of a session and without one.  The kernel cuts names of programs, which threads without a name
# of their own have.
requirement threads_have_their_own_names_where_a_format_has_a_place_for_them
worker='disk(2)'
timed
unset worker
opimport -s lib,thread -o data made
cat data/samples/current/threads
threads_of()
{
	show_profile "$1" "$2" | grep -o 'comm=.*' | sort | uniq -c
}
for form in pprof perf firefox; do
	opexport --from=made --to=$form -o direct 2>/dev/null
	opexport --session-dir=data --to=$form -o session 2>/dev/null
	threads_of $form direct >direct.threads
	threads_of $form session >session.threads
	cat session.threads
	diff direct.threads session.threads || :
done
grep -o '"name":"[^"]*","processName":"[^"]*","pid":"[0-9]*","tid":[0-9]*' session
opexport --session-dir=data --to=folded 2>/dev/null | cut -d';' -f1 | uniq -c
opreport --session-dir=data --by=thread event:cpu-clock 2>&1
opreport --session-dir=data -X event:cpu-clock 2>&1 | grep '<?opreport-class'
opreport --session-dir=data --json event:cpu-clock 2>&1 | grep -o '"tid": [0-9]*, "thread": "[^"]*"'

requirement a_thread_without_a_name_has_the_whole_name_of_its_program
cp "$DIR/../images/prog" a_program_of_a_long_name
recording a_program_of_a_ 599 a_program_of_a_long_name
opimport -s lib,thread -o data made
opexport --session-dir=data --to=folded 'image:*long_name' | cut -d';' -f1 | uniq

requirement a_thread_is_named_once_however_often_it_runs
recording
opexport --from=made --to=perf -o again
show_profile -v perf again | grep '^fact perf.records=COMM'

# A profile of prog with build-ids $1 and $2, a sample of hot in each
requirement code_is_named_by_files_with_its_build_id_as_in_a_session
images
own=0123456789abcdef0123456789abcdef01234567
other=ffffffffffffffff0123456789abcdef01234567
for ids in "$own $other" "$own $own" "$other $other"; do
	echo "$ids"
	# shellcheck disable=SC2086 # two words
	set -- $ids
	make_profile >made <<-EOF
		pprof 6='' 6='samples' 6='count' 6='$DIR/prog' 6='$1' 6='$2' 6='app' 6='a' 6='b'
		pprof 1=(1=1 2=2) 12=1 3=(1=1 2=0x401000 3=0x404000 4=0x1000 5=3 6=4)
		pprof 3=(1=2 2=0x501000 3=0x504000 4=0x1000 5=3 6=5)
		pprof 4=(1=1 2=1 3=0x401010) 4=(1=2 2=2 3=0x501010)
		pprof 2=(1=1 2=1 3=(1=6 2=7)) 2=(1=2 2=2 3=(1=6 2=8))
	EOF
	opexport --from=made --to=folded 2>warnings
	cat warnings
	opimport -o "$DIR/data" made
	opexport --session-dir=data --to=folded 2>/dev/null
	rm -r data
done
