#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: XML, JSON and CSV.  They fit their schemas, and add up to the sum of the sample files.

plain()
{
	images
	session <<-EOF
		image prog TIMER
		0x1010 60, 0x1050 7
		image prog lib.so TIMER
		0x1004 33
		arcs prog prog TIMER
		0x1000>0x1014 25
		arcs prog lib.so TIMER
		0x1010>0x1008 20
	EOF
	# '<', '&', '"', a tab, a comma, a byte that is no UTF-8 and one that XML has not
	odd=$(printf '<a&b>"\t,\377\001')
	printf 'file {root}@DIR@/%s/{dep}/{root}@DIR@/%s/TIMER.0.0.all.all.all\n0x10 5\n' \
		"$odd" "$odd" | session
}

processors()
{
	images
	session <<-EOF
		image prog TIMER.0.0.all.all.0
		0x1010 60
		image prog TIMER.0.0.all.all.1
		0x1030 0xffffffffff
		arcs prog prog TIMER.0.0.all.all.1
		0x1000>0x1010 9
		stat total_samples 1000
		stat lost_no_mapping 3
		stat cpu0/throttled 2
		stat daemon_cpu_ms 0
		stat profiling_ms 7
	EOF
}

events()
{
	images
	session <<-EOF
		cpu_type 94
		image prog CPU_CLK_UNHALTED.100000.0.all.all.all
		0x1010 60
		image prog LLC_MISSES.6000.65.all.all.all
		0x1030 12
	EOF
}

scaled_events()
{
	events
	session <<-EOF
		stat events/CPU_CLK_UNHALTED.100000.0/enabled_ns 3000
		stat events/CPU_CLK_UNHALTED.100000.0/running_ns 1000
	EOF
}

threads()
{
	images
	session <<-EOF
		image prog TIMER.0.0.10.10.all
		0x1010 60
		image prog TIMER.0.0.20.20.all
		0x1010 40
		stat total_samples 1000
		stat lost_no_mapping 3
	EOF
}

write_report()
{
	file=$1
	shift
	opreport --session-dir="$DIR" "$@" >"$file" 2>"$WORK/stderr" || echo "FAILED: opreport $*"
}

# add_up STORED
add_up()
{
	each write_report <<-EOF
		1.xml -X
		2.xml -X -g
		3.xml -X -d -g
		4.xml -X -c
		part5.xml -X -c -t 20
		part6.xml -X -c -i hot
		7.xml -X -f -m lib
		1.json --json
		2.json --json -l
		3.json --json -l -g
		4.json --json -d -g
		5.json --json -c
		part6.json --json -c -t 20
		part7.json --json -c -i hot
		8.json --json -l -m lib
	EOF
	check python3 -W ignore "$COMMANDS/report_sums.py" check "$TOP/doc" "$1" ./*.xml ./*.json
	check python3 "$COMMANDS/original_xml.py" ./*.xml
}

requirement documents_fit_their_schemas_and_add_up
plain
add_up 105

requirement documents_of_processors_fit_their_schemas_and_add_up
processors
add_up $((60 + 0xffffffffff))

requirement documents_of_events_fit_their_schemas_and_add_up
events
add_up 72

requirement documents_of_weights_fit_their_schemas_and_add_up
frequency 1
add_up 10

requirement documents_of_scaled_events_fit_their_schemas_and_add_up
scaled_events
add_up 192

requirement documents_of_threads_fit_their_schemas_and_add_up
threads
add_up 100

requirement xml_has_the_bytes_that_objdump_shows
images
session <<-EOF
	image prog TIMER
	0x1000 1, 0x1010 60, 0x1030 2, 0x2000 3
	image prog lib.so TIMER
	0x1004 33
	image gone TIMER
	0x10 5
EOF
same_bytes()
{
	image=$1 start=$2 stop=$3
	shift 3
	wanted=$(objdump -s "$image" --start-address="$start" --stop-address="$stop" |
		sed -n 's/^ [0-9a-f]* \(.\{36\}\).*/\1/p' | tr -d ' \n' | tr a-f A-F)
	id=$(sed -n "s/.*<symboldata id=\"\([0-9]*\)\" name=\"$*\".*/\1/p" report)
	check test -n "$wanted"
	check grep -q "<bytes id=\"$id\">$wanted<" report
}
write_report report -X -d
each same_bytes <<-EOF
	prog 0x401010 0x401030 hot
	prog 0x401000 0x401010 _start
	prog 0x401030 0x401040 cold
	lib.so 0x2000 0x2020 lib_work
	prog 0x403000 0x403020 anonymous symbol from section .odd
EOF
try grep -c '<bytes ' report

# A symbol has its address wherever it has samples or arcs.
requirement xml_groups_threads_by_process
images
session <<-EOF
	image prog TIMER.0.0.10.10.all
	0x1010 60
	image prog TIMER.0.0.10.11.all
	0x1030 7
	image prog lib.so TIMER.0.0.10.11.all
	0x1004 33
	arcs prog lib.so TIMER.0.0.10.11.all
	0x1010>0x1008 20
EOF
reports <<-EOF
	-X -c -m unitmask -p /none -i hot,lib_work,cold
	-X -x -e x -t 1 tid:10
EOF

requirement csv_quotes_names
images
session <<-EOF
	image prog TIMER
	0x1010 60, 0x1014 1
	image prog lib.so TIMER
	0x1004 33
	image a,"b TIMER
	0x10 5
	arcs prog lib.so TIMER
	0x1010>0x1008 20
EOF
reports <<-EOF
	--csv image:*prog
	--csv -l -g image:*prog
	--csv -d image:*prog
	--csv -c -g image:*prog
	--csv -n image:*b
EOF

# Spreadsheets run them.  Notes have names, too.
requirement csv_has_no_formulas
session <<-EOF
	image /usr/bin/node {anon:anon}/77.0x7f0000000000.0x7f0000010000 TIMER
	0x100 7, 0x200 6, 0x300 5, 0x400 4, 0x500 3, 0x600 2
	image /bin/b;@c,"=d TIMER
	0x10 20
EOF
write jit/perf-77.map <<-EOF
	7f0000000100 100 =cmd()
	7f0000000200 100 +1
	7f0000000300 100 -[Object new]
	7f0000000400 100 @SUM(1)
	7f0000000500 100 a,"=b"
	7f0000000600 100 a-b=c @d
EOF
report --csv -l --jit-dir "$DIR/jit"
report --csv

requirement csv_ends_with_losses
threads
reports <<-EOF
	--csv
	--csv -n
EOF

requirement overhead_is_the_same_in_each_format
threads
session <<-EOF
	stat total_samples 100
	stat samples_stored 100
	stat lost_no_mapping 0
	stat cpu0/throttled 5
	stat daemon_cpu_ms 256
	stat profiling_ms 61000
EOF
reports <<-EOF
	--csv
	--csv -n
EOF
of_session opreport -X | grep -o '<?opreport-statistics .*>'
of_session opreport --json | grep -o '"kernel_lost": .*, "causes"'

requirement contradicting_formats_are_refused
images
reports <<-EOF
	-X --json
	-X -a
	--csv -d -%
EOF

# What OProfile's readers of XML expect.
requirement xml_counts_modules_apart
images
session <<-EOF
	image prog TIMER
	0x1010 60, 0x1030 7
	image prog lib.so TIMER
	0x1000 33
	stacks prog TIMER
	stack 33 lib.so+0x1000 prog+0x1015
EOF
of_session opreport -X -c | grep -v '^<profile\|^<options'
of_session opreport -X -c -o "$DIR/report.xml"
check_schema()
{
	if command -v xmllint >/dev/null; then
		xmllint --noout --schema "$TOP/doc/opreport.xsd" "$1" 2>&1
	else
		echo "$1 validates"
	fi
}
check_schema report.xml
of_session opreport -X -d -o "$DIR/details.xml"
check_schema details.xml

# All that a session may have and OProfile has not: notes, losses, weights, events that were counted a
# part of the time, and processes as columns.
requirement xml_is_valid_where_oprofile_s_is
valid()
{
	opreport --session-dir="$DIR" -X -o out.xml "$@" 2>&1
	python3 "$COMMANDS/original_xml.py" out.xml && check_schema out.xml
	grep -o '<?opreport-[a-z]*' out.xml | sort | uniq -c
	rm out.xml
}
frequency 10
session <<-EOF
	stat total_samples 1000
	stat samples_stored 100
	stat lost_no_mapping 3
EOF
valid
rm -rf samples
session <<-EOF
	cpu_type i386/core_2
	image prog LOADS.500.65.all.all.all
	0x1010 10
	image prog CYCLES@x.500.0.all.all.all
	0x1010 10
EOF
echo 3000 | write samples/current/stats/events/LOADS.500.65/enabled_ns
echo 1000 | write samples/current/stats/events/LOADS.500.65/running_ns
valid -d
rm -rf samples
session <<-EOF
	image prog TIMER.0.0.2.2.all
	0x1010 2
	image prog TIMER.0.0.2.3.all
	0x1010 4
	image prog lib.so TIMER.0.0.2.3.all
	0x2010 8
EOF
valid -c
rm -rf samples
session <<-EOF
	image prog TIMER.0.0.1.all.all
	0x1010 1
	image prog TIMER.0.0.2.all.all
	0x1010 2
EOF
valid
rm -rf samples
session <<-EOF
	image prog lib.so TIMER.0.0.all.all.0
	0x2010 1
	image prog lib.so TIMER.0.0.all.all.1
	0x2010 2
EOF
valid
