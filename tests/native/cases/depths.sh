#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: call chains by call frame information, live and of perf record --call-graph=dwarf, reach
# covers: the first function of process and thread, at the depth that the program counts itself,
# covers: also where several recorded programs have a library at different addresses

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

[ "$(uname -m)" = x86_64 ] || skip "call frame information is unwound on x86-64 only"

# by_depth - "DEPTH SAMPLES" of the session's stacks of the program
by_depth()
{
	need opdb dump "$samples" >"$scratch/dump"
	awk '
		/^file: / { is_ours = /stacks.*\/depths\// }
		is_ours && NF == 5 && $3 ~ /^[0-9]+$/ && $4 ~ /^0x/ {
			depth[$1] = $1 ? depth[$2] + 1 : 0
			samples[depth[$1]] += $5
		}
		END { for (d in samples) if (samples[d]) print d, samples[d] }' "$scratch/dump"
}

# ends LEAF OWN START - the chains of the leaf, of which START is the first function (":": any),
# and OWN frames, the last, are the program's
ends()
{
	awk -F';' -v leaf="$1" -v own="$2" -v start="$3" '
		{
			sub(" [0-9]+$", "")
			last = $NF == "spin" ? NF - 1 : NF
			if ($1 != "depths" || $last != leaf)
				next
			seen++
			for (n = 0; $(last - n) ~ /^depths_|^main$/; n++)
				;
			if (n != own || (start != ":" && $2 != start)) {
				print
				bad = 1
			}
		}
		END { exit bad || !seen }' "$scratch/folded" || fail "chains of $1 are others"
}

# Two in a hundred samples may be outside of the leaves, in the program's start and in system calls.
judge()
{
	need opexport --session-dir="$session" --to=folded --value=samples -o "$scratch/folded"
	by_depth >"$scratch/depths"
	all=$(awk '{ n += $2 } END { print n + 0 }' "$scratch/depths")
	enough "samples" "$all" 500
	in_leaves=0
	while read -r leaf frames _; do
		n=$(awk -v depth="$frames" '$1 == depth { print $2 }' "$scratch/depths")
		echo "$leaf: $frames frames, ${n:-0} samples"
		enough "samples of $leaf at its depth" "${n:-0}" 40
		in_leaves=$((in_leaves + n))
	done <"$scratch/truth"
	cat "$scratch/depths"
	within "samples at the depths of the leaves, of 1000" $((1000 * in_leaves / all)) 980 1000
	ends depths_main_leaf "$(awk '$1 == "depths_main_leaf" { print $3 }' "$scratch/truth")" _start
	ends depths_thread_leaf "$(awk '$1 == "depths_thread_leaf" { print $3 }' "$scratch/truth")" :
	ends depths_library_leaf 2 _start
}

"$own/depths" 0.01 >"$scratch/truth"
sample --call-graph=dwarf -e "$(clock 1000):0:0:1" "$own/depths" "$(lasting 1.5 1000)" \
	>"$scratch/program"
judge

# each shell and program has the C library elsewhere
perf record -q -N -B --call-graph=dwarf -e cpu-clock:u -F "$(rate 999)" -o "$scratch/data" sh -c \
	"'$own/depths' $(lasting 0.7 999); '$own/depths' $(lasting 0.7 999)" >"$scratch/program" \
	2>&1 || {
	cat "$scratch/program"
	skip "no perf record here, so that imports were not judged"
}
rm -rf "$session"
need opimport -o "$session" "$scratch/data"
judge
# What perf itself makes of it depends on its version: to see, not to judge.
perf script --no-inline -i "$scratch/data" -F ip,sym 2>/dev/null | awk '
	/depths_.*_leaf/ { is_ours = 1 }
	NF { n++ }
	!NF { if (is_ours) samples[n]++; n = is_ours = 0 }
	END { for (n in samples) print "perf script:", n, "frames,", samples[n], "samples" }' || :
