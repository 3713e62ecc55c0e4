#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: processes in great number that live 2 ms, each of a file of its own, also one that
# covers: is deleted at once: at least 99 % of their samples are on their file, none is on a wrong
# covers: one

in_memory=yes
sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# lives of eight periods, and 2000 samples in all
life=$(periods 8 4000 2)
lives=$((2000 / life > 200 ? 2000 / life : 200))
mkdir "$scratch/lives" "$scratch/deaths"
sample -e "$(clock 4000)" "$workloads/spawn" "$lives" "$life" "$scratch/lives" "$workloads"/brief?
report
right=$(symbol_samples brief_spin)
all=$(line_samples "$scratch/lives/brief")
unknown=$(samples_below '{anon:' '*[[]*[]]*')
lost=$(lost)
echo "$right samples in brief_spin, $all in all, in no file $unknown, lost $lost"
same "samples in code that never runs" "$(symbol_samples pad_never_run)" 0
enough "samples of the files" "$right" 1000
within "per thousand lost or in no file" \
	$((1000 * (lost + unknown) / (all + lost + unknown))) 0 10

# The file is gone when its samples are looked at: its build-id tells what they were in.
sample -e "$(clock 4000)" "$workloads/spawn" -d 200 "$(periods 8 4000 5)" "$scratch/deaths" "$workloads"/brief?
gone=$(samples_below "{root}/[[]deleted *[]]$scratch/deaths/brief")
there=$(samples_below "{root}$scratch/deaths/brief")
echo "samples of files that are gone: $gone, of files that were there when asked: $there"
enough "samples of the files" $((gone + there)) 1000
lost=$(lost)
within "per thousand lost" $((1000 * lost / (gone + there + lost))) 0 10

# Lives of a fifth of a period bring hardly a sample, which is said, to users, too.
need operf --session-dir="$scratch/none" -e cpu-clock:10000000 "$workloads/spawn" 300 2 \
	"$scratch/lives" "$workloads"/brief? 2>"$scratch/said"
grep -q "of the CPU time .* brought no sample" "$scratch/said" ||
	fail "nothing tells that short lives have no samples"
