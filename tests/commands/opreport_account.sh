#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: the account of a session, compared with its sample files; what killed packings leave

account=samples/current/account

counted()
{
	images
	session <<-EOF
		image prog TIMER
		0x1010 90
		image lib.so TIMER
		0x1010 10
		stat total_samples 107
		stat samples_stored 100
		stat lost_no_space 7
	EOF
}

# put TEXT AT FILE - overwrites bytes
put() { printf '%b' "$1" | dd of="$3" bs=1 seek="$2" conv=notrunc status=none; }

requirement whole_account_is_believed
counted
report
report --csv
report 'image:*lib.so' # what a report leaves out is no difference
make_session --pack "$DIR"
report

requirement session_without_samples_says_what_became_of_them
session <<-EOF
	stat total_samples 107
	stat samples_stored 0
	stat lost_no_space 107
EOF
report
report -n session:current
for tool in "opannotate -s" "opexport --to=folded" opgprof; do
	# shellcheck disable=SC2086 # words
	try $tool --session-dir="$DIR"
done
rm $account
report

requirement missing_account_is_said
counted
rm $account
report

# as OProfile leaves it, and daemons before the account
requirement session_with_stats_only_is_read
images
session <<-EOF
	image prog TIMER
	0x1010 90
	image lib.so TIMER
	0x1010 10
	old-stat total_samples 107
	old-stat samples_stored 100
	old-stat lost_no_space 7
EOF
rm $account
report
report -n

# The two slots are written in turn: the last one is cut off, then both.
requirement torn_account_is_said
counted
make_session "$DIR" <<-EOF
	stat sample_dumps 1
EOF
cp $account good
for slot in 0 8192; do
	cp good $account
	put junk $((slot + 60)) $account
	try opreport --session-dir="$DIR" -n
done
put junk 60 $account
report
report -n
opreport --session-dir="$DIR" --json | grep -o '"account": *"[a-z]*"'
opreport --session-dir="$DIR" --csv | grep account
: >$account
report

requirement account_of_another_session_is_noticed
counted
cp $account other
session <<-EOF
	image prog TIMER
	0x1020 50
	stat total_samples 157
	stat samples_stored 150
EOF
report
cp other $account
report
report -n
report --csv
opannotate --session-dir="$DIR" -a 2>/dev/null | grep Account

# behind NAME - a session whose account is 3.5 hours old: no delay makes that another number of hours
behind()
{
	images
	session "--name=$1" <<-EOF
		image prog TIMER
		0x1020 150
		stat total_samples 107
		stat samples_stored 100
	EOF
	touch -d '-210 minutes' "samples/$1/account"
}

# As a daemon, until daemon_ends
daemon_runs()
{
	: >lock
	/usr/bin/python3 -c '
import fcntl, os, signal, time
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
lock.write(str(os.getpid()))
lock.flush()
time.sleep(600)' &
	daemon=$!
	until [ -s lock ]; do sleep 0.02; done
}

daemon_ends()
{
	kill $daemon
	wait $daemon
}

requirement profiling_that_goes_on_is_told
behind current
daemon_runs
report
report -n
touch -d tomorrow $account
report
daemon_ends

requirement account_that_no_daemon_will_bring_up_to_date_is_noticed
behind current
behind saved
printf %s $$ >lock # a killed daemon's, whose pid is that of another process
report -n
exec 9<lock
flock 9
report -n session:saved
sh -c 'printf %s $$' >lock # held by no daemon
report -n
exec 9>&-

requirement samples_missing_from_a_session_in_use_are_noticed
behind current
make_session "$DIR" <<-EOF
	stat samples_stored 160
EOF
daemon_runs
report -n
daemon_ends

# Nothing but the sum of all files can tell.  The key is "ABC", the count "!".
requirement changed_count_of_a_loose_file_is_noticed
images
session <<-EOF
	image prog TIMER
	0x434241 33
	stat total_samples 33
	stat samples_stored 33
EOF
file=$(find samples -path '*prog/TIMER*')
at=$(LC_ALL=C grep -oba ABC "$file" | cut -d: -f1)
put a $((at + 8)) "$file"
report
rm -r samples
counted
rm "$file"
report

requirement remains_of_a_killed_packing_are_no_damage
counted
mkdir -p "samples/.pack-Abc123/{root}/a/{dep}/{root}/a"
echo junk >samples/.pack-Abc123/pack
: >"samples/.pack-Abc123/{root}/a/{dep}/{root}/a/TIMER.0.0.all.all.all"
try opdb check .
try opdb check samples
try opdb repair .
find samples -name '.pack*'
mkdir samples/.pack-Abc124
try opdb pack .
find samples -name '.pack*'
report
