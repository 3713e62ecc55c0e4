#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: what goes wrong is told with its cause and the command that helps; a session that is
# covers: there stays; exit statuses

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

status 0 operf true
status 7 operf sh -c 'exit 7'
status 143 operf sh -c 'kill -TERM $$'
status 127 operf nonesuch
status 126 operf /etc/passwd
status 2 operf
status 2 operf --nonsense true
status 2 operf --pid=1x
status 2 operf --pid=1 --system-wide
status 1 operf -e page-faults:0 true
status 0 ocount -f /dev/null true
status 5 ocount -f /dev/null sh -c 'exit 5'
status 127 ocount nonesuch
status 2 ocount
status 2 ocount -b -j true
status 2 ocount -c true
status 2 ocount -C 3-1

refuse "cannot be executed: No such file" operf nonesuch
refuse "no process 4194304" operf --pid=4194304
refuse "given twice" operf -e cpu-clock:1000000,cpu-clock:1000000 true
refuse "no unit masks" operf -e cpu-clock:1000000:1 true
refuse "a count of 0" operf -e cpu-clock:0 true
refuse "--freq=1000000: not a number from 1 to 100000" operf --freq=1000000 true
grep -q 'nonesuch' "$scratch/oprofile_data/samples/operf.log" && fail "a log of nothing"
if ! ocount -e cycles -f /dev/null true 2>/dev/null; then
	refuse 'no hardware counter for it, as most virtual machines: use "-e cpu-clock"' \
		operf -e cycles:100000 true
fi
# a soft limit of descriptors is raised by operf itself
# shellcheck disable=SC3045 # dash and bash have it
(ulimit -n 12 && refuse '"ulimit -n 65536"' operf --session-dir="$scratch/few" \
	-e cpu-clock:1000000,page-faults:1,context-switches:1,minor-faults:1 true) || exit 1
for code in EPERM ENOSYS; do
	refuse "a seccomp filter" "$own/forbid" $code operf true
	refuse "a seccomp filter" "$own/forbid" $code ocount -f /dev/null true
done
refuse '"--cap-add PERFMON --security-opt seccomp=unconfined"' "$own/forbid" EPERM operf true
# without sysfs there are the CPUs on which a process may run
if is_root; then
	need unshare --mount sh -c 'umount -l /sys && [ ! -e /sys/devices ] && exec operf "$@"' sh \
		--session-dir="$scratch/bare" "$workloads/chain" 1
	[ "$(samples=$scratch/bare/samples/current; stored)" -gt 0 ] ||
		fail "no samples without /sys"
fi
# the memory that rings may lock is one for all profilers of a user: the second one finds none left
# cannot_map SESSION - has operf no memory for rings?  Its words are in $refused.
# shellcheck disable=SC2317 # until_true calls it
cannot_map()
{
	! refused=$(operf --session-dir="$scratch/$1" true 2>&1)
}

if ! is_root; then
	# shellcheck disable=SC3045 # dash and bash have it
	ulimit -l 0
	sleep 1000 &
	sleeper=$!
	trap 'kill $sleeper; wait; rm -rf "$scratch"' EXIT
	operf --session-dir="$scratch/holder1" --pid=$sleeper 2>/dev/null &
	# two that begin at once may each take what the other one needs, and both end
	until_true 20 grep -q perf_event /proc/$!/maps
	operf --session-dir="$scratch/holder2" --pid=$sleeper 2>/dev/null &
	until_true 20 cannot_map full
	case $refused in
	*'"sysctl kernel.perf_event_mlock_kb='*) ;;
	*) fail "without memory to lock: $refused" ;;
	esac
fi
is_root && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 3 ] && exit 0
if ! is_root && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ]; then
	refuse 'as root, "sysctl kernel.perf_event_paranoid=0"' operf --system-wide
	refuse 'only its owner and root may profile it' operf --pid=1
	refuse 'as root, "sysctl kernel.perf_event_paranoid=0"' ocount --system-wide
fi
exit 0
