#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a program that is only in a mount namespace of its own, at a path that names another
# covers: program outside of it: its samples say so, and are never those of the other one

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

is_root || skip "only root makes a mount namespace"
unshare -m true 2>/dev/null || skip "this machine allows no mount namespace"

mkdir "$scratch/place"
cp "$workloads/brief8" "$scratch/place/program"
cat >"$scratch/inside" <<-END
	mount -t tmpfs tmpfs "$scratch/place" || exit 1
	cp "$workloads/brief1" "$scratch/place/program"
	"$scratch/place/program" 700
	umount "$scratch/place"
END
sample -e "$(clock 2000)" unshare -m sh "$scratch/inside"
inside=$(samples_below "{root}/[[]mount namespace *[]]$scratch/place/program/")
outside=$(samples_below "{root}$scratch/place/program/")
enough "samples of the program inside" "$inside" 500
same "samples of the one outside" "$outside" 0
