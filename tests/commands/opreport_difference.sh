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
rm -r after/samples/current/account
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
	-l -g {} {}
	-l { cpu:0 } { cpu:0,1 }
	-l { cpu:0 } { cpu:7 }
EOF
