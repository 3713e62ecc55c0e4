#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# oprofiled --metrics: what was counted, for Prometheus
. "$COMMANDS/daemon.sh"

# Its samples, read strictly; losses that are 0 are not shown.
metrics()
{
	python3 "$TOP/tests/fleet/metrics.py" metrics.prom | sed -E \
		-e '/cause=.* 0$/d' -e 's/(_bytes|_seconds) [1-9][0-9.e+]*$/\1 N/'
}

requirement metrics_say_what_was_received_stored_and_lost
options="--metrics=$DIR/metrics.prom"
count start user cookie 0x10 0x100 0 0x100 0 cookie 0x999 0x200 0 cookie 0x13 1 0 >/dev/null
metrics
python3 "$TOP/tests/fleet/metrics.py" metrics.prom | grep -c 'lost.* 0$'
stat -c %A metrics.prom
# of this daemon, not of the session
printf '%s\n' 'words start user cookie 0x10 0x100 0' | replay_again >/dev/null
metrics | grep -E 'received|stored'

requirement metrics_that_cannot_be_written_are_said_and_samples_are_counted
options="--metrics=$DIR/none/metrics.prom"
count start user cookie 0x10 0x100 0
oprofiled --replay=recording "--session-dir=$DIR/session" "$options" 2>&1 |
	grep -o 'cannot write .*' | sort -u
