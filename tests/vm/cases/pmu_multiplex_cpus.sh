#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: turns of more events than counters on two CPUs, one of which goes away and comes back
# pmu: model=core2@6.1
# limit: 400

# shellcheck source=pmu_multiplex.sh
. /vm/cases/pmu_multiplex
