#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a program that is replaced by another one, while it runs or after, which then runs under
# covers: the same path: offsets of the two are never counted together

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
sample -e "$(clock 4000)" sh "$scratch/both"
list
matching "*{dep}*$scratch/program/*"
# Which of the two the path stands for depends on when its samples were looked at first.
path=$(samples_below "{root}$scratch/program/")
other=$(samples_below "{root}/[[][cd]*[]]$scratch/program/")
within "samples at the path / of the other program" \
	"$(awk -v a="$path" -v b="$other" 'BEGIN { print b ? a / b : 0 }')" 0.7 1.4

# The first one was there when its samples were looked at.
cat >"$scratch/sequence" <<-END
	"$scratch/program" 700
	cp "$workloads/brief2" "$scratch/new"
	mv "$scratch/new" "$scratch/program"
	"$scratch/program" 400
END
sample -e "$(clock 4000)" sh "$scratch/sequence"
first=$(samples_below "{root}$scratch/program/")
second=$(samples_below "{root}/[[]changed *[]]$scratch/program/")
within "samples of the first program / of the second" \
	"$(awk -v a="$first" -v b="$second" 'BEGIN { print b ? a / b : 0 }')" 1.4 2.1

# What an earlier run has counted and packed tells versions apart, too.
sample -e "$(clock 4000)" "$scratch/program" 400
[ -s "$samples/pack" ] || fail "the session is not packed"
cp "$workloads/brief4" "$scratch/new"
mv "$scratch/new" "$scratch/program"
need operf --append --session-dir="$session" -e "$(clock 4000)" "$scratch/program" 400
need opdb check "$samples"
first=$(samples_below "{root}$scratch/program/")
second=$(samples_below "{root}/[[]changed *[]]$scratch/program/")
within "samples of the first run / of the second" \
	"$(awk -v a="$first" -v b="$second" 'BEGIN { print b ? a / b : 0 }')" 0.7 1.4
need operf --append --session-dir="$session" -e "$(clock 4000)" "$scratch/program" 400
second=$(samples_below "{root}/[[]changed *[]]$scratch/program/")
within "samples of the second and third run / of the first" \
	"$(awk -v a="$second" -v b="$first" 'BEGIN { print b ? a / b : 0 }')" 1.4 2.8
