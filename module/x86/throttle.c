// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doubles the periods of a CPU whose samples take too much of its time, and halves them when that
 * is over.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>

#include "x86/throttle.h"

#define TIMED_BEFORE_JUDGING 32
#define WEIGHT_SHIFT 4 /* of a new value in a mean: 1/16 */
#define OUTLIER 4      /* times the mean: a hypervisor took the CPU away, not the handler */

void op_throttle_begin(struct op_throttle *throttle, unsigned int runs_per_timing, u64 around)
{
	*throttle = (struct op_throttle){ .untimed = runs_per_timing - 1, .around = around };
}

static void add_to_mean(u64 *mean, u64 value)
{
	*mean += (s64)(value - *mean) >> WEIGHT_SHIFT;
}

/* What the periods' shift is to change by. */
static int judge(const struct op_throttle *throttle, unsigned int percent)
{
	u64 busy = (throttle->busy + throttle->around) * (throttle->untimed + 1) * 100;
	u64 limit = throttle->interval * percent;

	if (percent && busy > limit)
		return throttle->shift < OP_THROTTLE_SHIFT_MAX ? 1 : 0;
	/* Half the period takes twice the time, of which a quarter of the limit is to be left. */
	if (throttle->shift && (!percent || 2 * busy <= limit - limit / 4))
		return -1;
	return 0;
}

int op_throttle_account(struct op_throttle *throttle, u64 begin, u64 end, unsigned int percent)
{
	u64 busy = end - begin;
	u64 interval = begin - throttle->last;
	int change;

	throttle->last = begin;
	throttle->timed++;
	if (throttle->timed == 1)
		return 0; /* no interval yet */
	if (throttle->timed == 2) {
		throttle->busy = busy;
		throttle->interval = interval;
		return 0;
	}
	add_to_mean(&throttle->busy, min(busy, OUTLIER * throttle->busy + 1));
	add_to_mean(&throttle->interval, interval);

	if (throttle->timed < TIMED_BEFORE_JUDGING)
		return 0;
	change = judge(throttle, percent);
	if (change) {
		throttle->shift += change;
		throttle->timed = 0;
	}
	return change;
}

NOKPROBE_SYMBOL(op_throttle_account);
