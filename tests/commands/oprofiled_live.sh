#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# oprofiled: command line, going to the background, control socket, signals, one daemon a session
. "$COMMANDS/daemon.sh"

file='session/samples/current/{kern}/no-vmlinux/{dep}/{kern}/no-vmlinux/TIMER.0.0.all.all.all'

# oprofilefs as files, with a pipe for a buffer that stays open; each requirement has its own
driver()
{
	cleanup
	rm -rf fs session
	mkdir -p fs/stats/cpu0
	echo 4096 >fs/buffer_size
	echo 8 >fs/pointer_size
	printf timer >fs/cpu_type
	echo 1 >fs/enable
	: >fs/dump
	echo 0 >fs/stats/sample_lost_no_mm
	echo 42 >fs/stats/cpu0/sample_received
	mkfifo fs/buffer
	exec 3<>fs/buffer
}

daemon()
{
	try oprofiled "--oprofilefs=$DIR/fs" "--session-dir=$DIR/session" --no-vmlinux "$@" |
		sed 's/process [0-9]*/process PID/'
}

ask()
{
	try show_session ask session "$@" | sed -E 's/^(pid|started) .*/\1 N/'
}

feed()
{
	# shellcheck disable=SC2086 # words
	make_recording $start "$@" >&3
}

# until COMMAND... - waits until it succeeds; the time limit of the test is that of the wait
until_succeeds()
{
	until "$@"; do
		sleep 0.01
	done
}

pid()
{
	show_session ask session status | sed -n 's/^pid //p'
}

# One that has ended waits for init, which may take seconds in a container.
is_gone()
{
	! grep -q '^State:[^Z]*$' "/proc/$1/status" 2>/dev/null
}

# Ends the daemon that runs, by this signal.
end_daemon()
{
	if [ -e session/control ] && running=$(pid 2>/dev/null) && [ "$running" ]; then
		kill "-${1-TERM}" "$running"
		until_succeeds is_gone "$running"
	fi
}
cleanup()
{
	end_daemon
}

# counted NAME - a number of the account
counted() { show_session stat session/samples/current "$1"; }

stat()
{
	for name; do
		case $name in
		cpu*) echo "$name: $(cat "session/samples/current/stats/$name" 2>&1)" ;;
		*) echo "$name: $(counted "$name")" ;;
		esac
	done
}

requirement wrong_options_are_refused
each try oprofiled <<-'EOF'
	--nonsense
	argument
	--vmlinux=/a --no-vmlinux
	--kernel-range=1,2 --no-vmlinux
	--kernel-range=1
	--kernel-range=2,1
	--kernel-range=1,2x
	--record=/a --replay=/b
	--freq=99
	--callgraph=9
	--perf --freq=0
	--perf --replay=/b
	--separate-lib=2
	--separate-cpu=yes
	--events=A:1
	--events=
	--verbose=loud
EOF
oprofiled --help | grep -o -e --session-dir=DIR
oprofiled --version | sed 's/oprofile .*/oprofile VERSION/'

requirement a_daemon_answers_dumps_and_ends
driver
daemon --verbose=misc
ask status | sed 's/^\(session-[bf][a-z]*\) [0-9]* of/\1 N of/'
takes()
{
	show_session ask session status | sed -n "s/^session-$1 \([0-9]*\) of.*/\1/p"
}
check test "$(takes bytes)" = "$(du -s -B 1 session/samples/current | cut -f 1)"
check test "$(takes files)" = "$(find session/samples/current | wc -l)"
feed kernel 7 0 8 0
ask dump
show_session session
stat total_samples cpu0/sample_received
grep sizeof_struct_opd_header session/abi
cat session/complete_dump fs/dump
echo
# what comes between the last dump and the end is counted as well
feed kernel 9 0
end_daemon
show_session session
sed -n 's/.*\(Nr. samples stored:.*\)/\1/p' session/samples/oprofiled.log | tail -n 1
grep -c -e '-- OProfile Statistics --' session/samples/oprofiled.log
ls session

requirement without_a_dump_the_account_follows_by_itself
driver
daemon
feed kernel 7 0
account_follows()
{
	grep -qa '^samples_stored 1$' session/samples/current/account
}
until_succeeds account_follows # no other samples come

# rm complete_dump; echo 1 >dump; wait for complete_dump
requirement scripts_of_old_can_dump
driver
daemon
rm -f session/complete_dump
feed kernel 7 0
until_succeeds test -e session/complete_dump
opdb dump "$file" | tail -n 1

requirement a_session_has_one_daemon
driver
daemon
daemon
feed kernel 7 0
ask dump
show_session session

requirement a_sample_file_in_use_is_not_repaired
driver
daemon
feed kernel 7 0
ask dump
try opdb check "$file"
try opdb repair "$file"

requirement a_killed_daemon_is_followed_by_another
driver
daemon
feed kernel 7 0
ask dump
end_daemon KILL
echo $$ >session/lock # its pid is that of another process
: >session/samples/current/.odb-0000000000000001
daemon
feed kernel 7 0
ask dump
show_session session
ls -A session/samples/current

requirement a_daemon_that_cannot_start_says_why
refused()
{
	driver
	if [ $# = 2 ]; then
		printf %b "$2" >"fs/$1"
	else
		rm "fs/$1"
	fi
	daemon
	ls session
}
refused buffer
refused buffer_size
refused buffer_size 'many\n'
refused buffer_size '0\n'
refused pointer_size '4\n'
refused cpu_type i386/nonesuch
refused cpu_type i386/nehalem
rm -r fs
daemon

# the driver calls CPUs that are newer than it by a general name
requirement general_names_of_cpus_are_made_precise
for said in timer nmi_timer i386/nehalem i386/arch_perfmon x86-64/generic; do
	driver
	printf %s $said >fs/cpu_type
	daemon --events=E:0x3c:0:100000:0:1:1
	used=$(show_session ask session status | sed -n 's/^cpu-type //p')
	case $said in
	*/arch_perfmon | */generic) want=$(OPROFILE_FS_DIR=$DIR/none ophelp -r 2>/dev/null) || want=$said ;;
	*) want=$said ;;
	esac
	[ "$used" = "$want" ] || echo "$said is called $used, not $want"
done

# opcontrol --save moves samples/current away and has the daemon begin anew
requirement a_saved_session_is_not_touched_again
driver
daemon
feed kernel 7 0
ask dump
mv session/samples/current session/samples/saved
rm session/samples/oprofiled.log
ask reopen
ls session/samples
feed kernel 8 0
ask dump
show_session session
show_session stat session/samples/saved total_samples
# the same by signal: the new log is its last step
rm -r session/samples/current session/samples/oprofiled.log
kill -HUP "$(pid)"
until_succeeds test -e session/samples/oprofiled.log
feed kernel 9 0
ask dump
show_session session

requirement reopening_keeps_the_statistics
driver
daemon
feed kernel 7 0
ask dump
feed kernel 7 0
has_two()
{
	opdb dump "$file" | grep -q ' 2$'
}
until_succeeds has_two
ask reopen
feed kernel 8 0
ask dump
show_session session

# it adds up over stops and daemons; a mere status shows a start
requirement the_time_of_profiling_is_told
profiled_more_than()
{
	show_session ask session dump >/dev/null
	[ "$(counted profiling_ms)" -gt "$1" ]
}
driver
echo 0 >fs/enable
daemon
ask dump
find session -name "*_ms"
echo 1 >fs/enable
ask status | grep state
until_succeeds profiled_more_than 20
echo 0 >fs/enable
ask status | grep state
ask dump
[ "$(counted daemon_cpu_ms)" -le $(($(counted profiling_ms) + 1000)) ]
until_stop=$(counted profiling_ms)
later()
{
	ask dump >/dev/null
	[ "$(date +%s%N)" -gt "$1" ]
}
until_succeeds later $(($(date +%s%N) + 20000000)) # this is not profiling
! profiled_more_than "$until_stop"
end_daemon
check test "$(counted profiling_ms)" = "$until_stop"
echo 1 >fs/enable
daemon
until_succeeds profiled_more_than "$until_stop"

requirement losses_of_an_earlier_start_are_not_counted_again
driver
echo 5 >fs/stats/sample_lost_no_mm
daemon
ask dump
stat lost_records_by_kernel
echo 7 >fs/stats/sample_lost_no_mm
feed kernel 7 0
ask dump
stat lost_records_by_kernel
echo 9 >fs/stats/sample_lost_no_mm
ask reopen
ask dump
stat lost_records_by_kernel

requirement unknown_commands_are_refused
driver
daemon
ask ''
ask dance
ask "$(head -c 200 /dev/zero | tr '\0' x)" >reply
grep -o 'exit 1' reply
ask status | grep state
end_daemon
try show_session ask session status

requirement clients_that_say_nothing_hinder_no_others
driver
daemon
python3 - <<-'EOF' &
	import os
	import socket
	import time
	os.chdir("session")
	clients = []
	for i in range(40):
	    client = socket.socket(socket.AF_UNIX)
	    client.connect("control")
	    if i % 3 == 0:
	        client.send(b"dum")
	    clients.append(client)
	open("connected", "w").close()
	while not os.path.exists("asked"):
	    time.sleep(0.01)
EOF
until_succeeds test -e session/connected
feed kernel 7 0
ask dump
show_session session
touch session/asked
wait
ask status | grep state

requirement a_live_session_is_recorded_and_replayed
driver
daemon "--record=$DIR/recording"
feed kernel 7 0 context 9 9 0x11 8 0
end_daemon
show_session session
for options in --no-vmlinux '--no-vmlinux --separate-thread=1'; do
	rm -r session
	replay_recording
	show_session session
	stat cpu0/sample_received
done
options=
echo mine >mine
driver
daemon "--record=$DIR/mine"
cat mine
