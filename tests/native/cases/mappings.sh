#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: programs that map and unmap code all the time, with a path as long as can be, so that the
# covers: kernel loses most of its records of that: samples are not lost, nor said to be

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

name=$(printf '%0200d' 0)
deep=.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
	mkdir "$deep/$name" && deep=$deep/$name
done
cp "$own/mapper" "$deep/mapper"
cat >storm <<-SH
	cd $deep
	for i in 1 2 3; do
		./mapper "$(lasting 2 1000)" &
	done
	wait
SH
sample -e "$(clock 1000)" sh storm >"$scratch/truth"
cat "$scratch/said"
list
received=$(samples_below '')
enough "samples" "$received" 1000
within "samples / what their time is worth" "$(awk -v n="$received" -v hz="$(rate 1000)" '
	/^[0-9]+[.][0-9]+$/ { sum += $1 }
	END { print n / (sum * hz) }' "$scratch/truth")" 0.8 1.1
at_most "lost" "$(lost)" "$received" 0.01
