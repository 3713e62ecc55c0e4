#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a profile of a Rust program known by construction, with demangled names

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

[ -x "$own/split_rust" ] || skip "no Rust compiler built the program"

rust_shares()
{
	sample -e "$(clock 2000)" "$own/split_rust" "$(lasting 2 2000)"
	report
	heavy=$(line_samples "split_rust::Worker::heavy")
	light=$(line_samples "<split_rust::Worker as split_rust::Light>::light")
	all=$((heavy + light))
	enough "samples of the Rust program" $all 1000
	share heavy "$heavy" $all 0.6
	share light "$light" $all 0.4
}

rust_shares
