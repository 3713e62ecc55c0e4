#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a profile of JavaScript known by construction, as node compiles it and names it in
# covers: /tmp/perf-PID.map

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

node --version >/dev/null 2>&1 || skip "no node"

# The names are those of all compilers that a function went through: "JS:*heavy split.js:8:15".
node_shares()
{
	sample -e "$(clock 2000)" node --perf-basic-prof --no-turbo-inlining \
		"$TESTS/native/workloads/split.js" "$(lasting 2 2000)" >"$scratch/pid"
	report_by_map node
	heavy=$(line_samples "heavy $TESTS/native/workloads/split.js:")
	light=$(line_samples "light $TESTS/native/workloads/split.js:")
	all=$((heavy + light))
	enough "samples of the functions" $all 1000
	share heavy "$heavy" $all 0.6
	share light "$light" $all 0.4
}

node_shares
