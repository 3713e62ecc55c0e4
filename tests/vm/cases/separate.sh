#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: every kind of --separate gives the sample files that its name says
# limit: 120
# check: 7.2 6.1-kcsan

# shellcheck source=../guest/case.sh
. /vm/case.sh

split="{root}$workloads/split"
library="{root}$workloads/libsplit.so"
kernel="{kern}/kallsyms"

# The pid of the workload and the CPU that it runs on, from which file names are made.
cpu=1
there() { [ -f "$1" ] || fail "--separate=$kind: no file $1"; }
absent() { [ ! -f "$1" ] || fail "--separate=$kind: there should be no file $1"; }

# With sanitisers, a second is mostly that of starting the program.
seconds=1
! sanitised || seconds=5

need opcontrol --init --backend nmi_timer
for kind in none lib kernel thread cpu all lib,cpu; do
	profile_begin --separate=$kind
	taskset $((1 << cpu)) $workloads/split $seconds >/dev/null &
	pid=$!
	wait $pid || fail "the workload failed"
	profile_end
	case $kind in
	none)
		there "$(sample_file "$split" "$split")"
		there "$(sample_file "$library" "$library")"
		there "$(sample_file "$kernel" "$kernel")"
		absent "$(sample_file "$split" "$library")"
		;;
	lib)
		there "$(sample_file "$split" "$split")"
		there "$(sample_file "$split" "$library")"
		there "$(sample_file "$kernel" "$kernel")"
		absent "$(sample_file "$library" "$library")"
		;;
	kernel)
		there "$(sample_file "$split" "$library")"
		there "$(sample_file "$split" "$kernel")"
		;;
	thread)
		there "$(sample_file "$split" "$split" $pid.$pid.all)"
		absent "$(sample_file "$split" "$split")"
		;;
	cpu)
		there "$(sample_file "$split" "$split" all.all.$cpu)"
		there "$(sample_file "$library" "$library" all.all.$cpu)"
		absent "$(sample_file "$split" "$split")"
		;;
	lib,cpu)
		there "$(sample_file "$split" "$library" all.all.$cpu)"
		;;
	all)
		there "$(sample_file "$split" "$library" $pid.$pid.$cpu)"
		there "$(sample_file "$split" "$kernel" $pid.$pid.$cpu)"
		;;
	esac
	rm -rf $session
done
