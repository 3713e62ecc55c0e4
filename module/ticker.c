// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timer on each CPU.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/random.h>

#include "oprofilefs.h"
#include "ticker.h"

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

/* Marsaglia, "Xorshift RNGs", 2003: 13, 17, 5 has the full period of 2^32 - 1. */
static u32 next_random(struct ticker *t)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 17;
	t->random ^= t->random << 5;
	return t->random;
}

/* period_ns * [7/8, 9/8) */
static ktime_t next_interval(struct ticker *t)
{
	u64 spread = mul_u64_u32_shr(period_ns >> 2, next_random(t), 32);

	return ns_to_ktime(period_ns - (period_ns >> 3) + spread);
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct ticker *t = container_of(timer, struct ticker, timer);

	tick_fn();
	hrtimer_forward_now(timer, next_interval(t));
	return HRTIMER_RESTART;
}

void op_ticker_start(void)
{
	struct ticker *t = this_cpu_ptr(&ticker);

	t->random = get_random_u32() | 1; /* never zero */
	hrtimer_setup(&t->timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&t->timer, next_interval(t), HRTIMER_MODE_REL_PINNED_HARD);
}

void op_ticker_stop(void)
{
	hrtimer_cancel(&this_cpu_ptr(&ticker)->timer);
}
