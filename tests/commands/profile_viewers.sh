#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Formats with names and no addresses: folded stacks, speedscope, callgrind, the Firefox Profiler

# The program x calls f, in which g is inlined, which calls the kernel's k; and f calls itself.
# Locations 1, 2 and 3 are leaves of some stacks and callers of others: pprof has the address of the
# call for a caller, and the same lines.
# Strings: 6 main, 7 f, 8 g, 9 k, 10 x.c, 11 x.h, 12 /no/such/x, 13 its build-id, 16 thread
tables="pprof 6='' 6='cpu-clock_sample' 6='count' 6='cpu-clock' 6='nanoseconds' 6='' 6='main' 6='f'
pprof 6='g' 6='k;\"<	' 6='x.c' 6='x.h' 6='/no/such/x' 6='0102030405060708000000000000000000000000'
pprof 6='[kernel.kallsyms]' 6='cache misses_sample' 6='thread' 6='x y' 6='pid' 6='tid' 6='cache misses_event'
pprof 3=(1=1 2=0x1000 3=0x2000 5=12 6=13) 3=(1=2 2=0xffffffff81000000 3=0xffffffff82000000 5=14)
pprof 4=(1=1 2=1 3=0x1010 4=(1=1 2=10)) 4=(1=2 2=1 3=0x1020 4=(1=2 2=20))
pprof 4=(1=3 2=1 3=0x1030 4=(1=3 2=5) 4=(1=2 2=21)) 4=(1=4 2=2 3=0xffffffff81000040 4=(1=4))
pprof 4=(1=5 2=1 3=0x1099)
pprof 5=(1=1 2=6 3=6 4=10) 5=(1=2 2=7 3=7 4=10) 5=(1=3 2=8 3=8 4=11) 5=(1=4 2=9 3=9)"

# Each line of stdin: LOCATIONS CLOCK MISSES
one_event='1=(1=1 2=2) 1=(1=3 2=4) 11=(1=3 2=4) 12=1000'
two_events="$one_event 1=(1=15 2=2) 1=(1=20 2=2)"
stacks='[1] 1 0
[2 1] 2 1
[3 1] 4 0
[4 3 1] 8 0
[2 2 1] 16 0
[5] 32 0
[] 64 0'
labels='3=(1=16 2=17) 3=(1=18 3=7) 3=(1=19 3=8)'

# written FORMAT - the profile in it
written()
{
	{
		echo "$tables"
		if [ "$1" = firefox ] || [ "$1" = folded ]; then
			echo "pprof $one_event"
			echo "$stacks" |
				sed "s/\(.*\) \(.*\) \(.*\)/pprof 2=(1=\1 2=[\2 \2000] $labels)/"
		else
			echo "pprof $two_events"
			echo "$stacks" |
				sed "s/\(.*\) \(.*\) \(.*\)/pprof 2=(1=\1 2=[\2 \2000 \3 \30] $labels)/"
		fi
	} | make_profile >made
	show_profile -w "$1=written" pprof made >shown
	check test -s shown
	grep '^cannot\|^error' shown || true
	sed 's/oprofile [0-9][0-9.a-z-]*/oprofile VERSION/' written
}

for form in folded speedscope callgrind firefox; do
	requirement "${form}_has_stacks_lines_and_inlined_functions"
	written $form
done

requirement folded_stacks_of_two_events_are_refused
written callgrind >recorded
try show_profile -w folded=refused pprof made
