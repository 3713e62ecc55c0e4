#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: differences of two profiles

two_processors()
{
	images
	session <<-EOF
		image prog TIMER.0.0.all.all.0
		0x1010 50, 0x1030 40, 0x1000 10
		image prog TIMER.0.0.all.all.1
		0x1010 150, 0x1030 40
		image prog lib.so TIMER.0.0.all.all.1
		0x1000 10
	EOF
}

requirement difference_shows_growth_and_new_symbols
two_processors
reports <<-EOF
	-l -m cpu { cpu:0 } { cpu:1 }
	-l -n -m cpu { cpu:1 } { cpu:0 }
	-m cpu { cpu:0 } { cpu:1 }
	-l -n -m cpu -t 30 { cpu:0 } { cpu:1 }
	-l -n -r -m cpu { cpu:0 } { cpu:1 }
	-l -n -m cpu image:*prog { cpu:0 } { cpu:1 }
	-l -n -m cpu {} {}
	-l -n -m cpu -i hot { cpu:0 } { cpu:1 }
EOF

# clocked DIR IMAGE HOT COLD - a session of a clock of 1 ms
clocked()
{
	session <<-EOF
		image $2 cpu-clock.1000000.0.all.all.all
		0x1010 $3, 0x1030 $4
	EOF
	mkdir "$1"
	mv samples "$1/"
}

# weighted DIR WEIGHT - a session of samples of 1,000 events, and WEIGHT more of the first two
weighted()
{
	session <<-EOF
		cpu_type i386/core_2
		image prog CYCLES.1000.0.all.all.all
		0x1010 2, 0x1030 2
		file weights/{root}@DIR@/prog/{dep}/{root}@DIR@/prog/CYCLES.1000.0.all.all.all
		0x1010 $2
	EOF
	mkdir "$1"
	mv samples "$1/"
}

# Sessions of their own, of two builds in directories of their own.
requirement sessions_of_two_builds_are_compared
images
mkdir -p old/bin new/bin
cp prog old/bin/prog
cp prog new/bin/prog
cp prog old/bin/bare
cp prog new/bin/bare
strip -s old/bin/bare new/bin/bare
session <<-EOF
	image old/bin/prog TIMER
	0x1010 60, 0x1030 40
	image old/bin/prog lib.so TIMER
	0x1000 20
	image old/bin/bare TIMER
	0x1000 80
EOF
mkdir before after
mv samples before/
session <<-EOF
	image new/bin/prog TIMER
	0x1010 120, 0x1040 40
	image new/bin/prog lib.so TIMER
	0x1000 80
	image new/bin/bare TIMER
	0x1000 160
EOF
mv samples after/
try opreport -l "{" --session-dir=before "}" "{" --session-dir=after "}"
try opreport -l -n "{" --session-dir before "}" "{" --session-dir after "}"
try opreport -l -n "{" before "}" "{" after "}"
try opreport -n "{" before image:*prog "}" "{" after image:*prog "}"
try opreport -n "{" "session-dir:$DIR/before" "}" "{" "$DIR/after" "}"
try opreport -l -n before
try opreport -l -n --session-dir=before after
try opreport -l -n "{" --session-dir=before "}" "{" --root=/x after "}"
try opreport -l -n "{" before after "}" "{" after "}"

# A function that is not changed keeps its samples, whatever others do.
requirement unchanged_functions_are_told_from_others
images
each clocked <<-EOF
	before prog 659 6330
	after prog 633 100
EOF
try opreport -l "{" before "}" "{" after "}"

# Events in the unit of those of the larger profile.
requirement differences_of_weighted_samples_are_of_events
images
each weighted <<-EOF
	before 2000000
	after 4000000
EOF
try opreport -l "{" before "}" "{" after "}"
try opreport -l -n "{" before "}" "{" after "}"

# By numbers in names, and the largest that is left; what --map names comes first.
requirement builds_with_other_names_are_compared
images
for name in tool-1.2 tool-1.3 baseline candidate liba.so.1 liba.so.2; do
	cp prog $name
done
session <<-EOF
	image tool-1.2 TIMER
	0x1010 60, 0x1030 40
	image baseline TIMER
	0x1010 500
	image baseline liba.so.1 TIMER
	0x1010 100
	image lib.so TIMER
	0x1000 5
EOF
mkdir before after
mv samples before/
session <<-EOF
	image tool-1.3 TIMER
	0x1010 60, 0x1030 20
	image candidate TIMER
	0x1010 300
	image candidate liba.so.2 TIMER
	0x1010 90
	image prog TIMER
	0x1010 5
EOF
mv samples after/
try opreport -l "{" before "}" "{" after "}"
try opreport -n --map=baseline=tool-1.3 "{" before "}" "{" after "}"
try opreport -n --map=lib.so="$DIR/prog" "{" before "}" "{" after "}"
try opreport -n --map=gone=prog "{" before "}" "{" after "}"
try opreport -n --map=lib.so=gone "{" before "}" "{" after "}"
try opreport -n --map=lib.so "{" before "}" "{" after "}"

# Pairs of which there may be thousands are only counted.
requirement small_pairs_are_counted_in_one_note
images
for name in testa-1 testa-2 testb-1 testb-2; do
	cp prog $name
done
for at in before:1 after:2; do
	session <<-EOF
		image prog TIMER
		0x1010 1000
		image testa-${at#*:} TIMER
		0x1010 5
		image testb-${at#*:} TIMER
		0x1010 4
	EOF
	mkdir ${at%%:*}
	mv samples ${at%%:*}/
done
try opreport -l "{" before "}" "{" after "}"

# Twice as long for the same work: half as much a second.
requirement rates_are_compared_where_durations_are_known
images
for at in before:1000:300 after:2000:600; do
	ms=${at#*:} lib=${at##*:}
	session <<-EOF
		image prog TIMER
		0x1010 1000
		image lib.so TIMER
		0x1010 $lib
		stat total_samples $((1000 + lib))
		stat samples_stored $((1000 + lib))
		stat profiling_ms ${ms%:*}
		stat daemon_cpu_ms 1
	EOF
	mkdir ${at%%:*}
	mv samples ${at%%:*}/
done
try opreport -l "{" before "}" "{" after "}"
try opreport -l --per-second "{" before "}" "{" after "}"
rm -r after/samples/current/account
try opreport -n --per-second "{" before "}" "{" after "}"
try opreport -n "{" before "}" "{" after "}"
try opreport "{" before "}" "{" after "}"

requirement wrong_differences_are_refused
two_processors
reports <<-EOF
	-l { cpu:0 }
	-l { cpu:0 { cpu:1 }
	-l } {
	-l { cpu:0 } { cpu:1
	-l {} {} {}
	-l {} { cpu:1 }
	-c {} {}
	-X {} {}
	--per-second
	-l --map=a=b
	-l -g {} {}
	-l { cpu:0 } { cpu:0,1 }
	-l { cpu:0 } { cpu:7 }
EOF
