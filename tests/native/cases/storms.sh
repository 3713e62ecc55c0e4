#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: threads in great number and processes that execute nothing: all their time is seen,
# covers: at the right place

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

life=$(periods 8 4000 2)
number=$((1000 / life > 200 ? 1000 / life : 200))
for kind in threads forks; do
	hz=$(rate 4000)
	sample -e "$(clock 4000)" "$own/storm" $kind "$number" "$life" >"$scratch/truth"
	cat "$scratch/said"
	report
	spin=$(symbol_samples storm_spin)
	enough "samples of $kind" "$spin" 1000
	within "$kind: samples / what their time is worth" "$(awk -v n="$spin" -v hz="$hz" \
		'$1 ~ /^[0-9.]+$/ { print n / ($1 * hz); exit }' "$scratch/truth")" 0.8 1.1
	same "$kind: lost" "$(lost)" 0
done
