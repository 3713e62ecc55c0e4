#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a program that is replaced by another one while it runs, which then runs under the same
# covers: path: offsets of the two are never counted together

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

cp "$workloads/brief1" "$scratch/program"
cat >"$scratch/both" <<-END
	"$scratch/program" 400 &
	sleep 0.1
	cp "$workloads/brief8" "$scratch/new"
	mv "$scratch/new" "$scratch/program"
	"$scratch/program" 400
	wait
END
sample --freq=4000 sh "$scratch/both"
find "$samples" -type f -path "*{dep}*$scratch/program/*" ! -path '*{cg}*' | sort
report
same "samples in code that never runs" "$(symbol_samples pad_never_run)" 0
old=$(samples_below "{root}/[[]deleted *[]]$scratch/program/")
new=$(samples_below "{root}$scratch/program/")
enough "samples of the new program" "$new" 200
enough "samples of the old program" "$old" 200
