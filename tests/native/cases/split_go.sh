#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a profile of a Go program known by construction

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

[ -x "$own/split_go" ] || skip "no Go compiler built the program"

go_shares()
{
	sample -e "$(clock 2000)" "$own/split_go" "$(lasting 2 2000)"
	report
	heavy=$(symbol_samples main.worker.Heavy)
	light=$(symbol_samples "main.(*worker).Light")
	all=$((heavy + light))
	enough "samples of the Go program" $all 1000
	share Heavy "$heavy" $all 0.6
	share Light "$light" $all 0.4
}

go_shares
