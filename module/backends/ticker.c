// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timer on each CPU.
 */
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/percpu.h>

#include "oprofilefs.h"
#include "backends/spread.h"
#include "backends/ticker.h"

struct ticker {
	struct hrtimer timer;
	u32 random;
};

static DEFINE_PER_CPU(struct ticker, ticker);
static unsigned long frequency = OP_FREQUENCY_DEFAULT; /* Hz */
static u64 period_ns;
static void (*tick_fn)(void);

static const struct oprofilefs_number frequency_number = {
	.value = &frequency,
	.min = OP_FREQUENCY_MIN,
	.max = OP_FREQUENCY_MAX,
};

int op_ticker_create_files(struct dentry *root)
{
	return oprofilefs_create_number(root, "frequency", &frequency_number);
}

void op_ticker_prepare(void (*tick)(void))
{
	tick_fn = tick;
	period_ns = div_u64(NSEC_PER_SEC, frequency);
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct ticker *t = container_of(timer, struct ticker, timer);

	tick_fn();
	hrtimer_forward_now(timer, op_spread(period_ns, &t->random));
	return HRTIMER_RESTART;
}

void op_ticker_start(void)
{
	struct ticker *t = this_cpu_ptr(&ticker);

	t->random = op_spread_begin();
	hrtimer_setup(&t->timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&t->timer, op_spread(period_ns, &t->random), HRTIMER_MODE_REL_PINNED_HARD);
}

void op_ticker_stop(void)
{
	hrtimer_cancel(&this_cpu_ptr(&ticker)->timer);
}
