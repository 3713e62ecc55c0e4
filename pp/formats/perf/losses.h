/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that had no room in the buffer of a recorder.
 *
 * The kernel tells of them in a record LOST once it has room again.  Since Linux 6.0 it also counts
 * them by event, which perf, from 6.1 on, reads at the end and writes as records LOST_SAMPLES
 * without a time.  So what is told first is a part of what is told at the end, or all of it.
 * Records LOST_SAMPLES with a time are the kernel's own, of what a processor has lost.
 */
#ifndef PP_FORMATS_PERF_LOSSES_H
#define PP_FORMATS_PERF_LOSSES_H

#include <stdint.h>

/* All zero: none. */
struct perf_losses {
	uint64_t meanwhile, at_end; /* sums of LOST and LOST_SAMPLES */
};

/* Adds to one of them. */
static inline void perf_losses_add(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

/* Samples that had no room. */
static inline uint64_t perf_losses_all(const struct perf_losses *losses)
{
	return losses->meanwhile > losses->at_end ? losses->meanwhile : losses->at_end;
}

#endif
