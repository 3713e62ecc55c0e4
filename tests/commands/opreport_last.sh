#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport, opannotate, opexport, opdiff: sessions of the last time, as the daemon closes them

# ago SECONDS FORMAT - the time so long ago, UTC
ago() { date -u -d "@$(($(date +%s) - $1))" "+$2"; }

# taken NAME SAMPLES BEGIN [END] - a session of the daemon from so many seconds ago to so many; with
# @ in its name for the name that the daemon gives to one that it closes
taken()
{
	name=$1
	[ "$name" != @ ] || name=$(ago "$3" %Y%m%dT%H%M%SZ)-$(ago "$4" %Y%m%dT%H%M%SZ)
	session --name="$name" <<-END
		image prog TIMER
		0x1010 $2
		stat total_samples $2
		stat samples_stored $2
	END
	echo "source perf" | write "samples/$name/source"
	ago "$3" "start-time %s000000000" | write "samples/$name/origin"
	[ -z "${4:-}" ] || ago "$4" "end-time %s000000000" >>"samples/$name/origin"
}

# sum ARGUMENT... - the samples of a report
sum() { opreport --session-dir="$DIR" -n "$@" 2>&1 | awk '/error/ { print; next } NF > 1 { print $1 " samples" }'; }

# Each session has another power of two: a sum says which ones there are.
day()
{
	images
	taken @ 1 90000 86500
	taken @ 2 7800 7200
	taken @ 4 4200 3200
	taken @ 8 1200 600
	taken current 16 600
	taken saved 32 10000
	touch -d "$(ago 8000 %FT%TZ)" samples/saved/account
	taken imported 64 300 200
	rm samples/imported/source
}

requirement last_adds_up_the_sessions_of_that_time
day
sum --last=5m     # the live one, which has just been written
sum --last=15m
sum --last=1h     # the one that ended within the hour is there as a whole
sum --last=1h30m
sum --last=7500
sum --last=1d     # and the one that --save has kept
sum --last=1000d
sum last:1h
sum last:1h event:TIMER image:/no/such

requirement times_are_those_of_the_daemons_clock
images
taken @ 1 7200 6600
taken @ 2 -600 -1200 # the clock was set back since
sum --last=1h

requirement live_session_is_of_now_while_a_daemon_works
images
taken current 16 7200
touch -d "$(ago 3700 %FT%TZ)" samples/current/account
sum --last=1h
write samples/current/alive </dev/null
sum --last=1h
ago 7000 "end-time %s000000000" >>samples/current/origin # it could not be renamed then
sum --last=1h

requirement all_tools_take_it
day
opannotate --session-dir="$DIR" -a --last=1h 2>/dev/null | grep -c .
opexport --session-dir="$DIR" --to=folded --last=1h -o - | awk '{ n += $NF } END { print n }'
opdiff -n --session-dir="$DIR" last:1h last:1d 2>/dev/null | tail -n 1

# Those of a daemon are slices of one run: what they have is added up, and they show how much it varies.
requirement sessions_of_a_daemon_are_slices_of_one_run
images
for hour in 50 51 52 53 54 55; do
	taken @ $((200 + hour % 3)) $((hour * 3600)) $(((hour - 1) * 3600))
done
mkdir old && mv samples old/
for hour in 2 3 4 5 6 7; do
	taken @ $((260 + hour % 3)) $((hour * 3600)) $(((hour - 1) * 3600))
done
opdiff old "$DIR" 'session:20*' 2>/dev/null | grep -E '^~|hot$'
opdiff --html=page.html old "$DIR" 'session:20*' 2>/dev/null
python3 "$COMMANDS/html_page.py" page.html verdicts | grep -E '^~|^hot'
opreport -l --session-dir="$DIR" --intervals 'session:20*' 2>/dev/null | grep -E '^[+]-|hot$'

requirement wrong_times_are_refused
day
each try <<-END
	opreport --last=1x
	opreport --last=0
	opreport --last=1h last:2h
	opreport --last=1h session:current
	opreport last:1h session-exclude:current
	opreport last:
	opreport last:1h,2h
	opreport lats:1h
END
