#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How guest.sh judges a guest's console: which has a complaint, and which guest is to run again.

set -euo pipefail

. "$(dirname "$0")/guest.sh"

console=$(mktemp)
trap 'rm -f "$console"' EXIT
failed=0

# is WHAT WANTED COMMAND... - what the command prints, or how it ends, for the console in stdin
is()
{
	local what=$1 wanted=$2 got
	shift 2

	cat >"$console"
	got=$("$@" "$console") || got=no
	if [[ $got != "$wanted" ]]; then
		echo "$what: $got, not $wanted"
		failed=1
	fi
}

is "a breakpoint that is gone" "" guest_is_stale <<'END'
[   55.579919] Oops: int3: 0000 [#1] SMP NOPTI
[   55.585647] RIP: 0010:handle_softirqs+0xda/0x310
[   55.586438] Code: 49 8b 06 e8 47 30 ed 00 e9 <ff> 00 00 00 65 44 8b 0d 6a c1 a3 02
[   55.601716] RIP: 0010:pv_native_safe_halt+0xf/0x20
[   55.601743] Code: 9a 1c 00 fb f4 cc <c3> cc cc cc cc 90 66 66 2e 0f 1f 84 00 00 00
END
is "a breakpoint that is there" no guest_is_stale <<'END'
[   55.579919] Oops: int3: 0000 [#1] SMP NOPTI
[   55.586438] Code: 49 8b 06 e8 47 30 ed 00 cc <ff> 00 00 00 65 44 8b 0d 6a c1 a3 02
END
is "a breakpoint in code that cannot be read" no guest_is_stale <<'END'
[   55.579919] Oops: int3: 0000 [#1] SMP NOPTI
[   55.586438] Code: Unable to access opcode bytes at 0xffffffffc0000000.
[   55.601743] Code: 9a 1c 00 fb f4 f4 <c3> cc cc cc cc 90 66 66 2e 0f 1f 84 00 00 00
END
is "another oops" no guest_is_stale <<'END'
[   55.579919] Oops: general protection fault: 0000 [#1] SMP NOPTI
[   55.586438] Code: 49 8b 06 e8 47 30 ed 00 e9 <ff> 00 00 00 65 44 8b 0d 6a c1 a3 02
END
is "a breakpoint of a module" no guest_is_stale <<'END'
[   55.579919] Oops: int3: 0000 [#1] SMP NOPTI
[   55.585647] RIP: 0010:op_sync+0xda/0x310 [oprofile]
[   55.586438] Code: 49 8b 06 e8 47 30 ed 00 e9 <ff> 00 00 00 65 44 8b 0d 6a c1 a3 02
END
is "a breakpoint that is gone, after a warning" no guest_is_stale <<'END'
[   54.000000] WARNING: CPU: 0 PID: 1 at kernel/x.c:1
[   55.579919] Oops: int3: 0000 [#1] SMP NOPTI
[   55.585647] RIP: 0010:handle_softirqs+0xda/0x310
[   55.586438] Code: 49 8b 06 e8 47 30 ed 00 e9 <ff> 00 00 00 65 44 8b 0d 6a c1 a3 02
END
is "an empty console" no guest_is_stale </dev/null

is "a clean console" "" guest_complaint <<'END'
[    1.000000] vm: case one begins
[    1.500000] INFO: NMI handler (perf_event_nmi_handler) took too long to run: 1.2 msecs
[    2.000000] vm: case one ends
END
is "a warning in a case" "in two: [    3.000000] WARNING: CPU: 0 PID: 1 at kernel/x.c:1" \
	guest_complaint <<'END'
[    2.000000] vm: case one begins
[    2.500000] vm: case one ends
[    2.600000] vm: case two begins
[    3.000000] WARNING: CPU: 0 PID: 1 at kernel/x.c:1
[    3.100000] Oops: 0000 [#1]
END
is "a data race of the kernel's own" "" guest_complaint <<'END'
[    3.000000] BUG: KCSAN: data-race in tick_sched / tick_sched
[    3.000001]  tick_sched+0x1/0x2
[    3.000002] ==================================================================
END
is "a data race of a module" "outside of cases: [    3.000000] BUG: KCSAN: data-race in one / two" \
	guest_complaint <<'END'
[    3.000000] BUG: KCSAN: data-race in one / two
[    3.000001]  op_sync+0x1/0x2 [oprofile]
[    3.000002] ==================================================================
END
exit $failed
