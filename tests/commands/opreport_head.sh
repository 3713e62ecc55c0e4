#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport, opannotate: the head of a report: session, host, time, command, CPU, events and rates

origin()
{
	write "samples/${1:-current}/origin"
}

head_of() { of_session "$@" | sed '/^samples/,$d'; }

cycles()
{
	session "$@" <<-EOF
		cpu_type 108
		cpu_speed 2000
		image prog cycles
		0x1010 90
		stat total_samples 90
		stat samples_stored 90
		stat profiling_ms 12345
		stat daemon_cpu_ms 1
	EOF
}

here()
{
	cat <<-EOF
		hostname alpha
		os-release 6.12.1
		arch x86_64
		cpu Some CPU @ 2 GHz
		backend perf (counter 0 is in use)
		command-line operf ./prog '1 2'
		start-time 1700000000123456789
		event cycles 0 0 - 0 997 0 0 cycles
	EOF
}

requirement what_the_origin_says_is_in_the_head
images
cycles
here | origin
head_of opreport -l
opannotate --session-dir="$DIR" -a 2>/dev/null | sed -n '/Session/,/Counted/p'
of_session opreport --json | grep -e '"session"' -e '"frequency"'
of_session opreport --xml | grep '<?opreport-statistics'

requirement unknown_facts_are_left_out
images
cycles
head_of opreport -l
printf 'hostname\nstart-time x\nevent cycles\nevent cycles 0 0 - 0 x\nhostname beta\nimage - 0 0 0 x\narch y\n' | origin
head_of opreport -l

requirement sessions_that_differ_are_said
images
cycles
here | origin
cycles --name=other
here | sed -e 's/alpha/beta/' -e 's/997/100/' -e 's/17000/16000/' | origin other
head_of opreport -l session:current,other

requirement control_characters_of_an_origin_are_escaped
images
cycles
printf 'hostname a\033[1mb\ncommand-line x\001y\n' | origin
head_of opreport -l

# The account has 2 s of it, the last note of the daemon that was killed 9.5 s.
requirement time_is_that_of_the_last_note_of_a_daemon_that_was_killed
images
session <<-EOF
	image prog TIMER
	0x1010 7
	stat total_samples 7
	stat samples_stored 7
	stat profiling_ms 2000
	stat daemon_cpu_ms 1
EOF
head_of opreport -l
printf '%020d %020d\n' 9500 3 >samples/current/alive
head_of opreport -l
printf '%020d %020d\n' 1500 3 >samples/current/alive
head_of opreport -l
echo nothing >samples/current/alive
head_of opreport -l
