// SPDX-License-Identifier: GPL-2.0-or-later
/* The shared library of the workload "chain". */
#include "chain.h"
#include "spin.h"

WORKLOAD_FUNCTION void chain_far(uint64_t iterations)
{
	spin(iterations);
	CHAIN_FRAME;
}
