#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What optop costs, with the operf that it starts: CPU time for each second, and for 4,000 samples.
#
#	optop.sh BUILD [SECONDS [OPTION...]]	30 seconds; options of optop: -g, --pid=PID
#
# As root, in tmux.  What the host does meanwhile makes a difference: each new program is looked at,
# and the caches are shared.

set -eu

build=$1
seconds=${2:-30}
shift
[ $# -eq 0 ] || shift
PATH=$build/utils/optop:$build/daemon/operf:$PATH
socket=$(mktemp -u "${TMPDIR:-/tmp}/optop-bench.XXXXXX")

term() { tmux -S "$socket" -f /dev/null "$@"; }
trap 'term kill-server 2>/dev/null || true; rm -f "$socket"' EXIT

# ticks PID - of user and system time, a hundredth of a second each
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

# taken - samples, as the second line of the screen has them
taken() { term capture-pane -p | sed -n '2s/.*: \([0-9]*\) samples.*/\1/p'; }

term new-session -d -x 100 -y 40 "PATH=$PATH exec optop --freq=4000 $*"
optop=$(term list-panes -F '#{pane_pid}')
waited=0
until [ -n "$(taken)" ] && [ "$(taken)" -gt 0 ]; do
	waited=$((waited + 1))
	[ $waited -lt 300 ] || { echo "no samples come" >&2; exit 1; }
	sleep 0.1
done
operf=$(pgrep -P "$optop" operf)
sleep 5 # symbols of what runs are read now
before="$(ticks "$optop") $(ticks "$operf") $(taken)"
sleep "$seconds"
after="$(ticks "$optop") $(ticks "$operf") $(taken)"
echo "$before $after $seconds" | awk '{
	optop = $4 - $1; operf = $5 - $2; samples = $6 - $3; seconds = $7
	printf "%.0f samples a second: optop %.2f %%, operf %.2f %% of a CPU; for 4,000 samples: %.2f %%\n",
		samples / seconds, optop / seconds, operf / seconds,
		samples ? (optop + operf) / samples * 4000 : 0
}'
term send-keys q
