#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: random operations of several processes on oprofilefs, mounts and the module, beside
# covers: storms and CPU hotplug, get documented errors, keep the accounts and leave nothing
# limit: 600
# sanitised: check-kernel fuzzes there with many more operations
# check: 7.2

# shellcheck source=../guest/fuzz_case.sh
. /vm/fuzz_case.sh

fuzz_run 60000 1
