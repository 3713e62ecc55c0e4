// SPDX-License-Identifier: GPL-2.0-or-later
/* The shared library of the workload "split". */
#include "spin.h"
#include "split.h"

WORKLOAD_FUNCTION void split_twenty(uint64_t iterations)
{
	spin(iterations);
}
