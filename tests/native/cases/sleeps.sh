#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: operf sleeps between two looks at full rings: long call chains at a high rate cost it
# covers: little CPU time

sampling=1
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

deep=$BUILD/tests/vm/pmu/guest/deep # 70 frames
[ -x "$deep" ] || skip "no $deep, which is for x86-64"
"$deep" 600000000000 &
deep=$!
operf --quiet --freq="$(rate 4000)" --duration=6 --session-dir="$session" --pid=$deep \
	2>"$scratch/said" &
operf=$!
cpu_ms() { awk '{ printf "%d\n", $1 / 1e6 }' "/proc/$operf/schedstat"; }

usleep 2000000 # symbols are read at first
before=$(cpu_ms)
usleep 3000000
after=$(cpu_ms)
kill $deep
wait $operf || fail "operf failed: $(cat "$scratch/said")"
enough "samples" "$(stored)" 1000
within "ms of CPU time in 3 s" $((after - before)) 0 150
