// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doubles the periods of a CPU whose samples take too much of its time.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "x86/throttle.h"

#define TIMED_BEFORE_JUDGING 32
#define WEIGHT_SHIFT 4 /* of a new value in a mean: 1/16 */
#define OUTLIER 4      /* times the mean: a hypervisor took the CPU away, not the handler */

static void add_to_mean(u64 *mean, u64 value)
{
	*mean += (s64)(value - *mean) >> WEIGHT_SHIFT;
}

bool op_throttle_account(struct op_throttle *throttle, u64 begin, u64 end, unsigned int percent)
{
	u64 busy = end - begin;
	u64 interval = begin - throttle->last;

	throttle->last = begin;
	throttle->timed++;
	if (throttle->timed == 1)
		return false; /* no interval yet */
	if (throttle->timed == 2) {
		throttle->busy = busy;
		throttle->interval = interval;
		return false;
	}
	add_to_mean(&throttle->busy, min(busy, OUTLIER * throttle->busy + 1));
	add_to_mean(&throttle->interval, interval);

	if (!percent || throttle->timed < TIMED_BEFORE_JUDGING ||
	    throttle->shift == OP_THROTTLE_SHIFT_MAX)
		return false;
	if (throttle->busy * OP_THROTTLE_RUNS_PER_TIMING * 100 <= throttle->interval * percent)
		return false;
	throttle->shift++;
	throttle->timed = 0;
	return true;
}
