#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: call chains of code without frame pointers, also through the C library, by call frame
# covers: information: callers have the shares that they have by construction; also through code
# covers: in memory of which nothing is said, of this user and, for root, of another one;
# covers: information: callers have the shares that they have by construction; without options,
# covers: chains of the distribution's own programs lead to where these begin

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

[ "$(uname -m)" = x86_64 ] || skip "call frame information is unwound on x86-64 only"

unwound_shares()
{
	# user code only, so that each sample is in a chain from its leaf to main()
	sample --call-graph=dwarf -e "$(clock 1000):0:0:1" "$own/no_frames" "$(lasting 2 1000)"
	report
	need opreport --session-dir="$session" -c >"$scratch/graph"
	leaf=$(symbol_samples frames_leaf)
	enough "samples in the leaf" "$leaf" 1000
	middle=$(calls_by frames_middle frames_leaf)
	compare=$(calls_by frames_compare frames_leaf)
	within "calls of the leaf of 1000" $((1000 * (middle + compare) / leaf)) 990 1000
	share "frames_middle calls frames_leaf" "$middle" $((middle + compare)) 0.6
	within "frames_top calls frames_middle, of 1000" \
		$((1000 * $(calls_by frames_top frames_middle) / middle)) 990 1010
	within "main calls frames_top, of 1000" \
		$((1000 * $(calls_by main frames_top) / middle)) 990 1010
	# through the library, which takes time itself, and back into the program
	others=$(($(line_samples " ") - leaf))
	within "main calls frames_sort" "$(calls_by main frames_sort)" $((98 * compare / 100)) \
		$((compare + others))
}

# memory_shares [WORD...] - by what these words run
memory_shares()
{
	sample --call-graph=dwarf -e "$(clock 1000):0:0:1" "$@" "$own/trampoline" \
		"$(lasting 2 1000)" >"$scratch/pid"
	map=/tmp/perf-$(grep -x '[0-9]*' "$scratch/pid").map
	[ -s "$map" ] || fail "the workload has left no $map"
	need opreport --session-dir="$session" -c >"$scratch/graph"
	rm -f "$map"
	heavy=$(calls_by called_heavy trampoline_leaf)
	light=$(calls_by called_light trampoline_leaf)
	all=$((heavy + light))
	enough "samples below the trampolines" $all 1000
	share "called_heavy calls the leaf" "$heavy" $all 0.6
	within "interpreted calls called_heavy, of 1000" \
		$((1000 * $(calls_by interpreted called_heavy) / heavy)) 990 1010
	within "interpreted calls called_light, of 1000" \
		$((1000 * $(calls_by interpreted called_light) / light)) 990 1010
	within "main calls called_outer, of 1000" \
		$((1000 * $(calls_by main called_outer) / all)) 990 1010
}

# reaches PROGRAM COMMAND... - the chains of 98 % of the samples of stock programs reach the start
reaches()
{
	_program=$1
	shift
	if [ -z "$(command -v "$1")" ]; then
		echo "skip: there is no $1"
		return 0
	fi
	sample -e "$(clock 1000)" "$@" >"$scratch/output"
	need opexport --to=folded --session-dir="$session" -o "$scratch/folded"
	# the second frame is where the program, or a thread, began; stripped ones have no _start
	awk -v program="$_program" '{
		samples = $NF
		sub(/ [0-9]*$/, "")
		frames = split($0, frame, ";")
		if (frame[1] != program || frames < 2)
			next
		all += samples
		whole = 0
		for (i = 2; i <= 4 && i <= frames; i++)
			whole += frame[i] ~ /^(_start|_dl_start|clone3|__libc_start_.*)$/
		early += whole ? 0 : samples
	} END { print early + 0, all + 0 }' "$scratch/folded" >"$scratch/ends"
	read -r _early _all <"$scratch/ends"
	enough "samples of $_program" "$_all" 150
	at_most "chains of $_program that end early" "$_early" "$_all" 0.02
}

stock_programs()
{
	head -c 6000000 /dev/urandom >"$scratch/random"
	cat >"$scratch/work.py" <<-'PYTHON'
		import json, re
		text = json.dumps([{"key": i, "half": i / 2, "name": str(i)} for i in range(300)])
		for i in range(900):
		    json.dumps(json.loads(text), indent=1 if i % 8 == 0 else None)
		    re.sub("name", lambda m: m.group(0).upper(), text)
	PYTHON
	for i in $(seq 300); do
		echo "double f$i(double *a, int n) { double s = $i;" \
			"for (int i = 0; i < n; i++) s += a[i] / (s + $i) + (n > $i ? a[n - i - 1] : s);" \
			"switch (n % 7) { case 0: s *= 2; case 1: s -= n; break; case 5: s /= 3; } return s; }"
	done >"$scratch/many.c"
	# what is called python3 may be a script
	_python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))' || echo none)
	reaches "${_python##*/}" "$_python" "$scratch/work.py"
	# shellcheck disable=SC2016 # perl's variables
	reaches perl perl -e 'my %h; for my $i (1 .. 700000) {
		$h{$i % 999} .= join(",", sort { $a <=> $b } map { $_ * 7 % 13 } 1 .. 3);
		$h{$i % 999} = "" if $i % 9 == 0 }'
	reaches xz xz -3 --keep --stdout "$scratch/random"
	reaches openssl openssl speed -seconds 1 -bytes 1024 sha256 rsa2048
	reaches cc1 gcc -O2 -c "$scratch/many.c" -o "$scratch/many.o"
}

stock_programs
same "lost" "$(lost)" 0
unwound_shares
same "lost" "$(lost)" 0
memory_shares
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
# shellcheck disable=SC2086 # words
! is_root || ! $nobody test -x "$own/trampoline" 2>/dev/null || memory_shares $nobody
