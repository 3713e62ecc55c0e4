#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: sessions that the daemon closes by the clock: nothing lost, named by their times, packed,
# covers: removed by age and bytes; --last; what a killed daemon left; all of it beside an oppush
# covers: whose servers are dead and silent, which takes each session, and ends when it is told to

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

is_root || skip "opcontrol is for root"
export HOME="$scratch"

# closed - names of the sessions that were closed by the clock
closed() { find "$session/samples" -mindepth 1 -maxdepth 1 -name '2*T*Z-2*T*Z*' -printf '%f\n' | sort; }

# stats SESSION TEXT - the number before TEXT in what the report says of the session's samples
stats()
{
	need opreport --session-dir="$session" session:"$1" --verbose=stats >"$scratch/stats"
	sed -n "s/^\(Samples\|Kernel.*\): .*\<\([0-9]*\) $2.*/\2/p" "$scratch/stats"
}

says() { grep -q "$1" "$scratch/said" || fail "\"$1\" is not in: $(cat "$scratch/said")"; }

# Nothing here waits for a server: one refuses connections, one takes them and says nothing.
PATH=$BUILD/utils/oppush:$PATH
python3 -c 'import signal, socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
signal.pause()' >"$scratch/port" &
silent=$!
until_true 30 [ -s "$scratch/port" ]
need opcontrol --setup --perf --event="$(clock 2000)" --separate=kernel --callgraph=8 \
	--session-dir="$session" --close-every=1s --metrics="$scratch/oprofiled.prom" >/dev/null
begin=$(date +%s)
need opcontrol --start >/dev/null
oppush --to="clickhouse://127.0.0.1:1/x http://127.0.0.1:$(cat "$scratch/port")/x" --jitter=0 \
	--session-dir="$session" --spool="$scratch/spool" 2>"$scratch/oppush.said" &
pusher=$!
trap 'kill $silent $pusher 2>/dev/null; opcontrol --shutdown >/dev/null 2>&1; rm -rf "$scratch"' EXIT
"$workloads/split" 5 >/dev/null
need opcontrol --status >"$scratch/said"
says '^Sessions are closed every 1s$'
says '^Saved sessions: [0-9]*, [0-9.]* MiB, the oldest of '
need opcontrol --stop >/dev/null
need opcontrol --dump >/dev/null
# the clock goes on, but there is nothing to close once the last samples are
sleep 2.5
n=$(closed | wc -l)
seconds=$(($(date +%s) - begin))
within "sessions that were closed in $seconds s" "$n" 4 $((seconds + 1))

# Nothing is lost at an end, nor counted twice: the kernel has counted on.
sum=0
for name in $(closed); do
	received=$(stats "$name" received)
	lost=$(stats "$name" lost)
	# filters of seccomp, as man(1) has them, are code of the kernel that it has no name for
	unnamed=$(sed -n 's/^ *\([0-9]*\)  kernel code in neither the kernel nor a module$/\1/p' \
		"$scratch/stats")
	same "samples of $name that are lost, but for code without a name" \
		"${lost:-0}" "${unnamed:-0}"
	enough "samples of $name" "$received" 1
	sum=$((sum + received))
	# when no other work waits for a CPU
	until_true 60 [ -e "$session/samples/$name/pack" ]
done
same "samples of all sessions" "$sum" "$(stats "$name" taken)"
# and metrics go over all sessions
metric() { python3 "$TESTS/fleet/metrics.py" "$scratch/oprofiled.prom" | sed -n "s/^oprofile_$1 //p"; }
same "samples in metrics" "$(metric samples_received_total)" "$sum"
same "sessions in metrics" "$(metric sessions_closed_total)" "$n"
opreport --session-dir="$session" >"$scratch/said" 2>&1 && fail "the live session has samples"
says 'no samples in the session .*: 0 received, .* 0 lost'

# What sends them has all of them, for both servers, and ends.
waiting() { find "$scratch/spool" -name '2*T*Z-2*T*Z*' | wc -l; }
all_wait() { [ "$(waiting)" -eq $((2 * n)) ]; }
until_true 60 all_wait
kill $pusher
has_ended() { ! grep -q '^State:.[^Z]' "/proc/$pusher/status" 2>/dev/null; }
until_true 60 has_ended
got=0
wait $pusher || got=$?
same "the status of oppush" $got 0
same "sessions that wait" "$(waiting)" $((2 * n))
sed -n '/tried again/!p' "$scratch/oppush.said" | grep . && fail "that is said, too"

report --last=1h
all=$(symbol_samples split_seventy)
enough "samples of split_seventy" "$all"
report session:"$(closed | head -n 1)"
first=$(symbol_samples split_seventy)
report session:'2*' session-exclude:"$(closed | head -n 1)"
same "samples of sessions by name" $((first + $(symbol_samples split_seventy))) "$all"

# The next daemon packs what a killed one has left loose, and removes what is too old.
old=$(closed | head -n 1) loose=$(closed | tail -n 1)
need opcontrol --shutdown >/dev/null
need opcontrol --setup --saved-days=1 --saved-size=800 >/dev/null
need opdb unpack "$session/samples/$loose" >/dev/null
touch -d '2 days ago' "$session/samples/$old"
need opcontrol --start >/dev/null
"$workloads/split" 2 >/dev/null
# a session may not push out more than an eighth of what is kept
need opcontrol --status >"$scratch/said"
says "^Session, bytes: .* of $((100 << 20))$"
need opcontrol --shutdown >/dev/null
[ -e "$session/samples/$loose/pack" ] || fail "$loose is not packed"
[ ! -e "$session/samples/$old" ] || fail "$old is still there"
grep -q "Removed $old, which is older than 1 days" "$session/samples/oprofiled.log" ||
	fail "the log does not say that $old was removed"
enough "sessions that stay" "$(closed | wc -l)" "$n"
