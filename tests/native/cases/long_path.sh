#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a program at a path of 3,824 characters keeps its samples, packed and in loose files

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

name=$(printf '%0200d' 0)
deep=$scratch
while [ $((${#deep} + 208)) -lt 3824 ]; do deep=$deep/$name; done
deep=$deep/$(printf "%0$((3824 - ${#deep} - 6))d" 0)
mkdir -p "$deep"
cp "$own/no_frames" "$deep/prog" || skip "no path here can be that long"
same "the length of the path" "$(printf %s "$deep/prog" | wc -c)" 3824

for option in "" --no-pack; do
	rm -rf "$session"
	# shellcheck disable=SC2086 # none or one word
	sample $option -e "$(clock 1000):0:0:1" "$deep/prog" "$(lasting 0.5 1000)"
	report
	enough "samples of the program" "$(symbol_samples frames_leaf)" 200
	same "lost" "$(lost)" 0
done
