#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: profiling by the timer backends interrupts each CPU of an idle guest at most once a second
# covers: more than no profiling does, but for samples; daemon and all
# limit: 120
# sanitised: what is measured is the kernel's own work
# check: 6.1 6.12 7.2

# shellcheck source=../guest/case.sh
. /vm/case.sh

seconds=10

# interrupts - of all kinds and CPUs so far
interrupts()
{
	awk 'NR == 1 { cpus = NF; next }
		{ for (i = 2; i <= cpus + 1 && $i ~ /^[0-9]+$/; i++) sum += $i }
		END { print sum }' /proc/interrupts
}

# received - samples so far, of what had to be done: each is an interrupt, under nmi_timer two, and
# more until it is synced and the daemon has read it
received()
{
	cat /dev/oprofile/stats/cpu*/sample_received | awk '{ n += $1 } END { printf "%d\n", n }'
}

# count - interrupts in some idle seconds, when what was begun has been done
count()
{
	sleep 4
	taken=$(received 2>/dev/null)
	before=$(interrupts)
	sleep $seconds
	after=$(interrupts)
	echo $((after - before)) $(($(received 2>/dev/null) - taken))
}

read -r most _ <<END
$(count)
END
most=$((most + seconds * $(nproc)))
for backend in nmi_timer timer; do
	profile_begin --backend $backend
	read -r number taken <<END
$(count)
END
	profile_end
	need opcontrol --deinit
	rm -rf $session
	echo "$backend: $taken samples"
	within "$backend: interrupts in $seconds s" "$number" 0 $((most + 4 * taken))
done
