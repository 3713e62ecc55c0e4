#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# oprofiled under a service manager: it says when it is ready, that it lives, and that it ends
. "$COMMANDS/daemon.sh"

# serve SOCKET [VARIABLE=VALUE...] - what a daemon tells this socket until it is ended
serve()
{
	rm -rf fs session
	mkdir -p fs/stats
	echo 4096 >fs/buffer_size
	echo 8 >fs/pointer_size
	printf timer >fs/cpu_type
	echo 1 >fs/enable
	: >fs/dump
	mkfifo fs/buffer
	exec 3<>fs/buffer
	python3 - "$@" <<-'EOF'
		import os, signal, socket, subprocess, sys
		name, variables = sys.argv[1], dict(word.split("=") for word in sys.argv[2:])
		manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		manager.bind("\0" + name[1:] if name[0] == "@" else name)
		manager.settimeout(60)
		daemon = subprocess.Popen(
		    ["oprofiled", "--foreground", "--oprofilefs=" + os.path.abspath("fs"),
		     "--session-dir=" + os.path.abspath("session"), "--no-vmlinux"],
		    env=dict(os.environ, NOTIFY_SOCKET=name, **variables),
		    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
		wanted = 4 if "WATCHDOG_USEC" in variables else 1
		told = [manager.recv(1000).decode() for _ in range(wanted)]
		daemon.send_signal(signal.SIGTERM)
		while told[-1] != "STOPPING=1":
		    told.append(manager.recv(1000).decode())
		print("exit", daemon.wait())
		alive = told.count("WATCHDOG=1")
		print([word for word in told if word != "WATCHDOG=1"], "alive:", alive >= wanted - 1,
		      "first:", told[0])
	EOF
	exec 3>&-
}

requirement the_manager_is_told_when_the_daemon_is_ready_and_ends
serve "$DIR/manager"
serve "@oprofile-test-$$"

requirement the_watchdog_is_answered_while_the_loop_turns
serve "$DIR/manager" WATCHDOG_USEC=20000
# The process that the manager has started is not the daemon.
serve "$DIR/manager2" WATCHDOG_USEC=20000 WATCHDOG_PID=1

# Neither keeps the daemon from its work.
requirement a_manager_that_is_not_there_is_no_error
machine | make_recording >recording
for socket in "$DIR/none" relative @ / "/$(printf '%0200d' 0)"; do
	NOTIFY_SOCKET=$socket WATCHDOG_USEC=x oprofiled --foreground --replay=recording \
		"--session-dir=$DIR/session" >out 2>&1 || grep '^oprofiled' out
done
