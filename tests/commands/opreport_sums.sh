#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport, opannotate: nothing is lost between sample files and reports.  In sessions of every
# separation, with images that have symbols, are stripped, damaged or missing, every report that
# leaves nothing out adds up to the sum of the sample files.

merge=

# write_report FILE ARGUMENT...
write_report()
{
	file=$1
	shift
	# shellcheck disable=SC2086 # none or one option
	opreport --session-dir="$DIR" $merge "$@" >"$file" 2>"$WORK/stderr" ||
		echo "FAILED: opreport $merge $*"
}

# The number in a name is only for the name.
text()
{
	number=$((number + 1))
	write_report "$number.$1" -n "$2" ${3+"$3"} ${4+"$4"}
}

# add_up MERGE SEED SEPARATION... - MERGE leaves one axis
add_up()
{
	merge=$1
	shift
	images
	cp lib.so stripped
	strip stripped
	head -c 5000 prog >broken
	write samples/current/kallsyms <<-EOF
		ffffffff81000000 T _stext
		ffffffff81000010 T first
	EOF
	python3 "$COMMANDS/report_sums.py" make "$@" 2>stored | session
	number=0
	each text <<-EOF
		summary -n
		summary -f
		summary -r
		summary -%
		summary -m lib
		symbols -l
		symbols -l -f
		symbols -l -g
		symbols -l -r
		symbols -l -s symbol
		symbols -l -m lib
		symbols -l -D none
		symbols -c
		symbols -c -g
		symbols -c -m lib
		details -d
		details -d -g
		details -d -%
	EOF
	each write_report <<-EOF
		1.xml -X
		2.xml -X -d -g
		3.xml -X -c
		1.json --json
		2.json --json -d
		3.json --json -c
		1.csv --csv
		2.csv --csv -l
		3.csv --csv -d
	EOF
	for option in -a -s "-a -s" "-s -D none"; do
		# shellcheck disable=SC2086
		opannotate --session-dir="$DIR" $merge $option >"o${option#-}.annotation" \
			2>"$WORK/stderr" || echo "FAILED: opannotate $merge $option"
	done
	check python3 -W ignore "$COMMANDS/report_sums.py" check "$TOP/doc" "$(cat stored)" \
		./*.summary ./*.symbols ./*.details ./*.annotation ./*.xml ./*.json ./*.csv
}

requirement reports_add_up_without_separation
add_up '' 4 anon

requirement reports_add_up_by_library
add_up '' 5 lib anon

requirement reports_add_up_by_kernel
add_up '' 6 lib kernel anon

requirement reports_add_up_by_process
add_up "-m tid" 7 lib thread

requirement reports_add_up_by_thread
add_up '' 8 lib thread one-process

requirement reports_add_up_by_cpu
add_up '' 9 cpu kernel

requirement reports_add_up_by_event
add_up '' 10 lib events

requirement reports_add_up_by_all
add_up "-m tgid" 11 lib kernel thread anon events

# Damaged in any byte, a sample file may be left out; its neighbours must not suffer.
requirement damaged_sample_files_leave_the_rest
images
seq 300 | sed 's,.*,image /image& TIMER\n0x10 1,' | session
for i in $(seq 300); do
	file="samples/current/{root}/image$i/{dep}/{root}/image$i/TIMER.0.0.all.all.all"
	if [ $((i % 4)) = 0 ]; then
		truncate -s $((i * 379 % 2664)) "$file"
	else
		printf '\%03o' $((i * 37 % 256)) |
			dd of="$file" bs=1 seek=$((i * 11 % 140)) conv=notrunc status=none
	fi
done
session <<-EOF
	image prog TIMER
	0x1010 1234567
EOF
of_session opreport -l -n -i hot | grep -v 'opreport warning: skipped:'

# Three runs, of which one has no sample of the function.
requirement intervals_are_by_runs_if_there_are_several
images
session <<-EOF
	image prog TIMER
	0x1010 50, 0x1030 50
EOF
mv samples/current samples/run1
session <<-EOF
	image prog TIMER
	0x1010 80, 0x1030 20
EOF
mv samples/current samples/run2
session <<-EOF
	image prog TIMER
	0x1030 30
EOF
mv samples/current samples/run3
try opreport --session-dir="$DIR" -l -n --intervals 'session:run*'
try opreport --session-dir="$DIR" -l -n --intervals session:run1,run2
try opreport --session-dir="$DIR" -l --intervals session:run1
try opreport --session-dir="$DIR" --lines -n --intervals 'session:run*' image:*prog
try opreport --session-dir="$DIR" --intervals session:run1
try opreport --session-dir="$DIR" -l --intervals --csv session:run1
try opreport --session-dir="$DIR" -d --intervals session:run1
