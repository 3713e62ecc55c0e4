#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a module whose handler does not unmask LVTPC does not pass the test of counts
# pmu: model=nehalem@6.1
# sanitised: it proves that the other cases can fail, which is no matter of the kernel
# limit: 200

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

right=/lib/modules/$(uname -r)/extra/oprofile.ko
need mv "$right" /tmp/right.ko
need cp /vm/modules/mutant.ko "$right"
/vm/cases/pmu_counts >/tmp/out 2>&1
status=$?
cat /tmp/out
/vm/clean
need mv /tmp/right.ko "$right"
[ $status -ne 0 ] || fail "the test of counts passes"
tail -n 1 /tmp/out | grep -q "^samples of INST_RETIRED.10007, of [0-9]* is [0-9], not from" ||
	fail "the test of counts fails, but not since there are too few samples"
