// SPDX-License-Identifier: GPL-2.0-or-later
/* The shared libraries of the workloads "reload" and "remap": see there. */
#include "pad.h"
#include "spin.h"

void reload_spin(uint64_t iterations);

/* Needs no relocation and calls nothing, so that it runs wherever its page is mapped. */
WORKLOAD_FUNCTION void reload_spin(uint64_t iterations)
{
	spin(iterations);
}
