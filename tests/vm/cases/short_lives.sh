#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: 200 processes that live 20 ms, each of a file of its own: at least 99 % of their
# covers: samples are on their file, none is on a wrong one
# smp: 2@6.1,7.2 4@6.12
# limit: 120
# check: 6.1 6.12 7.2 6.1-kcsan 6.1-rt

# shellcheck source=../guest/case.sh
. /vm/case.sh

# With sanitisers, coming and going is more of a life.
lives=/tmp/lives number=200 most=1
! sanitised || number=100 most=4
mkdir $lives

# live BACKEND
live()
{
	backend=$1
	profile_begin --backend "$backend"
	# shellcheck disable=SC2046
	seconds=$($workloads/spawn $number 20 $lives $(ls -d $workloads/brief?)) ||
		fail "spawn failed"
	profile_end
	report
	right=$(symbol_samples brief_spin)
	all=$(line_samples $lives/brief)
	unknown=$(samples_below '{anon:' ! -path '*[[]*[]]*')
	lost=$(lost)
	echo "$backend: $right samples in brief_spin, $all in all, in no file $unknown, lost" \
		"$lost; CPU $seconds"
	enough "$backend: samples in brief_spin" "$right"
	same "$backend: samples in code that never runs" "$(symbol_samples pad_never_run)" 0
	within "$backend: samples lost or in no file" $((lost + unknown)) 0 \
		$(((all + lost + unknown) * most / 100))
	need opcontrol --deinit
	rm -rf $session
}

live nmi_timer
live timer
