# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# What the cases that fuzz or stress share: . /vm/fuzz_case.sh

# shellcheck source=case.sh
. /vm/case.sh

fuzz=/vm/fuzz
storms=""
waits=""

# Storms are nice, so that what is tested, and who judges it, have their share of few CPUs.

# has_own_mounts PID - is it in a mount namespace of its own?
has_own_mounts()
{
	[ -d "/proc/$1" ] || fail "a hostile process has ended"
	[ "$(readlink "/proc/$1/ns/mnt")" != "$(readlink /proc/$$/ns/mnt)" ]
}

# hostiles_begin REST - what an ordinary user can do to whoever looks into his address spaces, with
# REST microseconds between turns, until the end.  To be called before oprofilefs is mounted: mount
# namespaces that are made later have a copy, which keeps it busy.
hostiles_begin()
{
	modprobe fuse 2>/dev/null
	[ -c /dev/fuse ] || fail "there is no /dev/fuse"
	chmod 666 /dev/fuse # as udev has it
	mkdir -p /tmp/renamed
	nice $workloads/silent_fuse 3 >/dev/null &
	_fuse=$!
	storms="$storms $_fuse"
	nice $workloads/rename_storm /tmp/renamed 1000000 >/dev/null &
	storms="$storms $!"
	for _kind in fork protect userfault; do
		nice $fuzz/hostile $_kind "$1" &
		storms="$storms $!"
	done
	# shellcheck disable=SC2086
	trap 'kill $storms $waits 2>/dev/null' EXIT
	until_true 20 has_own_mounts $_fuse
}

# waits_begin - from now on no task may wait for more than a second for something that nothing can
# end, but for those that do so to themselves
waits_begin()
{
	$fuzz/waits 1 silent_fuse hostile rename_storm >/tmp/waits &
	waits=$!
}

waits_end()
{
	kill -TERM $waits
	wait $waits
	_status=$?
	waits=""
	echo "longest waits, in seconds:"
	cat /tmp/waits
	[ $_status = 0 ] || fail "a task has waited too long: $(awk 'NF == 2 && $2 > 1' /tmp/waits |
		tr '\n' ' ')"
}

# storms_begin REST - all kinds of storms, with REST microseconds between turns, until the end
storms_begin()
{
	for _kind in exec map thread library; do
		nice $fuzz/storm $_kind "$1" $workloads/libreload*.so &
		storms="$storms $!"
	done
	# shellcheck disable=SC2086
	trap 'kill $storms $waits 2>/dev/null' EXIT
}

# storms_alive - has none of them ended?
storms_alive()
{
	for _pid in $storms; do
		kill -0 "$_pid" 2>/dev/null || fail "a storm has ended"
	done
}

# fuzz_run OPERATIONS SEED - fuzz, with storms and hostile processes beside it
fuzz_run()
{
	# An oops is to end the process that meets it, not the guest, so that the fuzzer can say
	# what was done; what it says besides is only in the way of its own rate.
	need write 0 /proc/sys/kernel/panic_on_oops
	need write 5 /proc/sys/kernel/printk
	modprobe fuse 2>/dev/null
	if [ -c /dev/fuse ]; then
		hostiles_begin 300000
	else
		echo "this kernel has no FUSE: no hostile processes beside the fuzzer"
	fi
	storms_begin 300000
	$fuzz/fuzz -m "/lib/modules/$(uname -r)/extra/oprofile.ko" -n "$1" -S "$2" ||
		fail "$(dmesg | sed -n 's/.*fuzz: \(after .* operations, .*\)/\1/p' | tail -n 1)"
	storms_alive
}

storms_end()
{
	# shellcheck disable=SC2086
	kill $storms
	# shellcheck disable=SC2086
	wait $storms
	storms=""
}

# module_objects - "FUNCTION COUNT BYTES" for each place in the module that holds slab objects;
# wants slub_debug=U on the kernel's command line
module_objects()
{
	for _cache in /sys/kernel/debug/slab/*; do
		_size=$(cat "/sys/kernel/slab/${_cache##*/}/object_size" 2>/dev/null) || continue
		awk -v size="$_size" '/\[oprofile\]/ { split($2, f, "+"); print f[1], $1, $1 * size }' \
			"$_cache/alloc_traces" 2>/dev/null
	done
	awk '/\[oprofile\]/ { split($3, f, "+"); print f[1], 1, $2 }' /proc/vmallocinfo
}

# measure_memory LOG - append a line of measurements to LOG:
# SECONDS MODULE-BYTES COOKIES REGIONS MM-STRUCTS DAEMON-KB RECEIVED LOST
measure_memory()
{
	module_objects >/tmp/objects
	{
		cut -d . -f 1 /proc/uptime
		awk '{ bytes += $3; n[$1] += $2 }
			END { print bytes + 0, n["get_cookie"] + n["make_cookie"] + 0 }' /tmp/objects
		awk '$1 == "unmapped_region" { print $2 }' /proc/slabinfo
		awk '$1 == "mm_struct" { print $2 }' /proc/slabinfo
		awk '/^VmRSS:/ { print $2 }' "/proc/$(cat $session/lock)/status"
		cat /dev/oprofile/stats/cpu*/sample_received | awk '{ n += $1 } END { print n }'
		cat /dev/oprofile/stats/cpu*/sample_lost_* /dev/oprofile/stats/sample_lost_* |
			awk '{ n += $1 } END { print n }'
	} | tr '\n' ' ' >>"$1"
	echo >>"$1"
}

# flat LOG COLUMN WHAT MORE - is the mean of the last third of LOG at most MORE percent above that
# of the second?  In the first, tables find their size.
flat()
{
	awk -v column="$2" -v what="$3" -v more="$4" '
		{ value[NR] = $column }
		END {
			third = int(NR / 3)
			for (i = 1; i <= third; i++) {
				second += value[third + i]
				last += value[NR + 1 - i]
			}
			printf "%s: second third %.0f, last third %.0f\n", what, second / third,
				last / third
			exit !(third && last <= second * (1 + more / 100))
		}' "$1" || fail "$3 has grown"
}

# stress_run MINUTES HZ BACKEND - profile storms and hostile processes, and see that nothing grows,
# nobody waits and all adds up
stress_run()
{
	frequency=$2
	hostiles_begin 0
	need opcontrol --init --backend "$3"
	# As roomy as a machine that is profiled at such a rate would have it.
	profile_begin --buffer-size=1000000 --buffer-watershed=250000 --cpu-buffer-size=65536
	storms_begin 0
	waits_begin
	_begin=$(cut -d . -f 1 /proc/uptime)
	_end=$((_begin + $1 * 60))
	while [ "$(cut -d . -f 1 /proc/uptime)" -lt $_end ]; do
		sleep $(($1 * 60 / 30)) # the measurements are 30 at most, whatever they cost
		need opcontrol --dump
		measure_memory /tmp/measured
		echo "stress: $(tail -n 1 /tmp/measured)" >/dev/kmsg # for whoever watches
	done
	storms_alive
	waits_end
	echo "seconds, bytes of the module, cookies, unmapped regions, mm_structs, daemon's kB," \
		"received, lost:"
	cat /tmp/measured
	storms_end
	awk '{ n[NR] = $7; s[NR] = $1 } END {
		printf "%.0f samples a second, of all CPUs\n", (n[NR] - n[1]) / (s[NR] - s[1])
	}' /tmp/measured
	profile_end
	flat /tmp/measured 2 "bytes of the module" 10
	flat /tmp/measured 3 "cookies" 5
	flat /tmp/measured 6 "kB of the daemon" 10
	need opcontrol --deinit
}
