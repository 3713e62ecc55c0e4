#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: call graphs of depth 8 and 64 sampled by the counters' NMI: of a program with frame
# covers: pointers, and of the kernel and on into the program that called it: each call that is
# covers: known by construction has all the samples, as far up as the depth, and none beyond
# smp: exact
# pmu: model=nehalem@6.1 model=k8@7.2
# limit: 300
# check: 6.1 7.2 6.1-kasan

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

turns=30000000 # of two instructions: 600 samples
need insmod /vm/modules/deep.ko
trap 'rmmod deep' EXIT
need opcontrol --init --backend x86
unlimited
event=INST_RETIRED:100003:0x01
! opcontrol --list-events | grep -q '^RETIRED_INSTRUCTIONS' || event=RETIRED_INSTRUCTIONS:100003:0

# profile_deep DEPTH FILE... - calls into /tmp/calls, of lines that begin with the number of
# samples; the 4th field is the caller, the 8th the callee, or nothing for own samples
profile_deep()
{
	need opcontrol --event="$event:1:1" --separate=kernel --callgraph="$1"
	shift
	profile_exactly /vm/pmu/deep $turns "$@"
	need opreport --callgraph --csv --no-header >/tmp/calls
	rm -rf "$session"
}
own() { awk -F , -v symbol="$1" '$4 == symbol && $8 == "" { n += $1 } END { print n + 0 }' /tmp/calls; }
calls()
{
	awk -F , -v caller="$1" -v callee="$2" \
		'$4 == caller && $8 == callee { n += $1 } END { print n + 0 }' /tmp/calls
}

# most WHAT SAMPLES - is it what all the samples of the bottom have?  An interrupt may lie on top of
# some, and take up some of the depth; with sanitisers it takes several times as long.
fewest=98
! sanitised || fewest=90
most() { within "$1" "$2" $((all * fewest / 100 - 2)) $((all + 2)); }

# at_least WHAT SAMPLES - is it that, and perhaps some percent more?
at_least() { within "$1" "$2" $((all * fewest / 100 - 2)) $((all * 105 / 100 + 2)); }

# none WHAT SAMPLES - has none of the bottom's samples it?  A few are taken on the way there, where
# there is less below; sanitisers are called from anywhere, and call.
none() { within "$1" "$2" 0 $((all * (100 - fewest) / 100)); }

# chain PREFIX FIRST LAST - does each of these functions call the one below in all the samples?
chain()
{
	awk -F , -v prefix="$1" -v first="$2" -v last="$3" '
		{ n[$4, $8] += $1 }
		END {
			for (level = first; level <= last; level++) {
				caller = sprintf("%s_%02d", prefix, level)
				callee = sprintf("%s_%02d", prefix, level - 1)
				print caller, callee, n[caller, callee] + 0
			}
		}' /tmp/calls >/tmp/chain
	while read -r caller callee number; do
		most "samples of calls from $caller to $callee" "$number"
	done </tmp/chain
}

for depth in 8 64; do
	[ $depth = 64 ] || ! sanitised || continue
	profile_deep $depth
	all=$(calls deep_00 bottom)
	enough "samples at the bottom" "$all" 500
	most "its own samples" "$(own bottom)"
	chain deep 1 $((depth - 1))
	none "samples of calls further up" "$(calls "deep_$(printf %02d $depth)" \
		"deep_$(printf %02d $((depth - 1)))")"
done

for depth in 8 64; do
	[ $depth = 64 ] || ! sanitised || continue
	profile_deep $depth /proc/deep
	all=$(calls kdeep_00 kbottom)
	enough "samples at the kernel's bottom" "$all" 500
	most "its own samples" "$(own kbottom)"
	if [ $depth = 8 ]; then
		chain kdeep 1 7
		none "samples of calls further up" "$(calls kdeep_08 kdeep_07)"
		continue
	fi
	chain kdeep 1 19
	most "samples of calls from deep_write to kdeep_19" "$(calls deep_write kdeep_19)"
	# which others call, too: the guest's shells write, and the counters see all of it
	at_least "samples of calls from ksys_write to vfs_write" "$(calls ksys_write vfs_write)"
	most "samples of calls in the program" "$(calls deep_00 bottom)"
	chain deep 1 20
	none "samples of calls in the program, further up than the depth" \
		"$(calls deep_60 deep_59)"
done
need opcontrol --deinit
