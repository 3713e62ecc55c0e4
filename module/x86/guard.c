// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guard against too many samples.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "x86/guard.h"

#define TIMED_BEFORE_JUDGING 32
#define WEIGHT_SHIFT 4 /* of a new value in a mean: 1/16 */
#define OUTLIER 4      /* times the mean: a hypervisor took the CPU away, not the handler */

static void add_to_mean(u64 *mean, u64 value)
{
	*mean += (s64)(value - *mean) >> WEIGHT_SHIFT;
}

bool op_guard_account(struct op_guard *guard, u64 begin, u64 end, unsigned int percent)
{
	u64 busy = end - begin;
	u64 interval = begin - guard->last;

	guard->last = begin;
	guard->timed++;
	if (guard->timed == 1)
		return false; /* no interval yet */
	if (guard->timed == 2) {
		guard->busy = busy;
		guard->interval = interval;
		return false;
	}
	add_to_mean(&guard->busy, min(busy, OUTLIER * guard->busy + 1));
	add_to_mean(&guard->interval, interval);

	if (!percent || guard->timed < TIMED_BEFORE_JUDGING || guard->shift == OP_GUARD_SHIFT_MAX)
		return false;
	if (guard->busy * OP_GUARD_TURN * 100 <= guard->interval * percent)
		return false;
	guard->shift++;
	guard->timed = 0;
	return true;
}
