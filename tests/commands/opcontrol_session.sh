#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # lib.sh sets $status
# opcontrol: actions on the driver, the daemon and a session
. "$COMMANDS/driver.sh"

driver_holds()
{
	holds fs/enable fs/buffer_size fs/buffer_watershed fs/cpu_buffer_size fs/backtrace_depth \
		fs/frequency
}

requirement session_starts_stops_and_ends_as_told
machine
try opcontrol --start --separate=kernel,thread --callgraph=5 --frequency=997 --no-vmlinux \
	--buffer-size=65536 -Vsfile
driver_holds
journal
try opcontrol --status
try opcontrol --dump
journal
# disabled first, then dumped: samples taken in between are not lost
try opcontrol --stop
journal
try opcontrol --status
try opcontrol --start
holds fs/enable

requirement save_and_reset_have_the_daemon_reopen_its_files
machine
try opcontrol --start
journal
put s/samples/current/a
try opcontrol --save=monday
journal | sort
put s/samples/current/b
try opcontrol --save monday
find s/samples | sort
try opcontrol --reset # the daemon sees the old samples moved, not removed
journal | sort
find s/samples | sort
try opcontrol --shutdown
holds fs/enable
try opcontrol --shutdown

requirement defaults_replace_what_another_session_left
machine
put fs/buffer_size '9999\n'
put fs/frequency '1\n'
put fs/backtrace_depth '9\n'
try opcontrol --start-daemon
driver_holds
journal
try opcontrol --start-daemon
try opcontrol --deinit

requirement without_a_daemon_samples_can_be_saved_and_reset
machine
each try opcontrol <<-'EOF'
	--dump
	--stop
	--shutdown
	--save=x
	--reset
EOF
put s/samples/current/a
try opcontrol --save=x
put s/samples/current/a
try opcontrol --reset
find s/samples | sort

requirement a_lock_without_a_daemon_counts_for_nothing
machine
for lock in '' nonsense 1 2147483647 99999999999999999999; do
	put s/lock $lock
	try opcontrol --stop
	try opcontrol --shutdown
done

requirement a_killed_daemon_is_not_one_that_never_ran
machine
try opcontrol --status | grep -A1 '^Daemon'
put s/lock 4321
try opcontrol --session-dir="$DIR/s" --status | grep -A1 '^Daemon'
try opcontrol --session-dir="$DIR/s" --perf --status | grep -A1 '^Daemon'

requirement a_daemon_that_others_started_says_what_its_source_is
machine
try opcontrol --setup --session-dir="$DIR/s"
mkdir s
"$OPROFILE_DAEMON" --session-dir="$DIR/s" --perf --stopped
try opcontrol --status | grep -E '^(Daemon|Source|Backend)'
try opcontrol --status --json | grep -oE '"(source|driver)": [^{,]*'
try opcontrol --start | tail -n 1
journal
holds fs/enable # the daemon starts, not the driver
try opcontrol --shutdown | tail -n 1

requirement a_daemon_that_does_not_start_is_reported
machine
export FAKE_MODE=refuse
try opcontrol --start
export FAKE_MODE=crash
try opcontrol --start
export OPROFILE_DAEMON=/no/such/daemon
try opcontrol --start
holds fs/enable

requirement a_dump_that_fails_keeps_the_samples_unless_they_are_to_go
machine
export FAKE_MODE=fail
try opcontrol --start
put s/samples/current/a
each try opcontrol <<-'EOF'
	--dump
	--stop
	--save=x
	--reset
EOF
find s/samples | sort
try opcontrol --shutdown # it ends nevertheless
try opcontrol --status

requirement another_holder_of_the_buffer_is_named
machine
try opcontrol --start
mv s/lock away # so that settings are not asked for first
try opcontrol "--session-dir=$DIR/t" --start

requirement settings_wait_for_the_daemons_end
machine
try opcontrol --start
try opcontrol --frequency=50
try opcontrol --callgraph=2
try opcontrol "--session-dir=$DIR/t" --setup
try opcontrol --status
try opcontrol --dump # the daemon is found, though the session is to be another one
try opcontrol --shutdown
try opcontrol --status
ls -A .oprofile

requirement settings_are_saved_at_once
machine
settings opcontrol --frequency=50
settings opcontrol --callgraph 3
settings opcontrol --frequency=0

requirement a_damaged_daemonrc_is_reported_by_line_and_kept
machine
put .oprofile/daemonrc 'CALLGRAPH=1\nBUF_SIZE=many\n'
each settings opcontrol <<-'EOF'
	--status
	--start
	--frequency=50
EOF
holds fs/enable

requirement numbers_of_the_driver_are_not_trusted
machine
put fs/stats/cpu0/sample_received 'many\n'
try opcontrol --status | tail -n 2
put fs/cpu_type
try opcontrol --list-events
rm fs/cpu_type
try opcontrol --start

requirement calls_at_the_same_time_start_one_daemon
machine
for _ in 1 2 3 4 5 6 7 8; do
	opcontrol --start >/dev/null &
done
wait
journal | grep -c -e --session-dir=

requirement only_root_controls_the_driver
unset OPROFILE_FS_DIR
# (opcontrol built for coverage complains that this user cannot write its counts)
try python3 - <<'EOF' | grep -v '^! profiling:'
import os
# opened before, as another user may not reach its folder
program = os.open(os.environ["BUILD"] + "/utils/opcontrol/opcontrol", os.O_RDONLY)
if os.geteuid() == 0:
    os.setuid(65534)
os.execve(program, ["opcontrol", "--start"], {})
EOF

requirement help_and_version
opcontrol >usage
opcontrol --help --save=../x | cmp - usage
opcontrol '-?' | cmp - usage
grep -o -e '--start-daemon' -e '--cpu-buffer-size' usage
try opcontrol --version | sed 's/oprofile .*/oprofile VERSION/'

requirement status_is_json_on_request
json() { opcontrol --status --json | python3 -c '
import json, sys
for name, value in json.load(sys.stdin).items():
	if name == "daemon" and value: value["pid"] = "PID"
	if name == "killed": value = "PID"
	print(name, json.dumps(value, sort_keys=True))'; }
machine '0 1 2 3'
try opcontrol --setup --event=RETIRED:100000::0:1 --separate=lib --callgraph=3
json
try opcontrol --start
json
try opcontrol --event=LOW:12000
json | grep settings_wait
rm fs/enable && put fs/enable 'x\n'
try opcontrol --status --json
put fs/enable '0\n'
try opcontrol --shutdown
try opcontrol --perf --event=cpu-clock:1000000
json

# 3 is for scripts that ask; where something else was done, that is what is judged.
requirement status_without_a_daemon_is_exit_status_3
machine
for words in --status '--status --json' '--shutdown --status' '--setup --status' \
	'--frequency=99 --status' '--start --status' --status '--status --json'; do
	# shellcheck disable=SC2086 # words
	run_quietly opcontrol $words
	echo "opcontrol $words: exit $status"
done
