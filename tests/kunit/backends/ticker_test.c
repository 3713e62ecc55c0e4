// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer on each CPU: its intervals, and its beginning and end.
 */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "suite.h"

#include "backends/ticker.c"

#define TICKS 20

static DECLARE_COMPLETION(ticked);
static unsigned int nr_ticks;

static void tick(void)
{
	if (++nr_ticks == TICKS)
		complete(&ticked);
}

static void ticker_ticks(struct kunit *test)
{
	unsigned int at_stop;

	migrate_disable(); /* a CPU's ticker is started and stopped on that CPU */
	nr_ticks = 0;
	reinit_completion(&ticked);
	op_ticker_prepare(tick);
	op_ticker_start();
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&ticked, 60 * HZ), 0);
	op_ticker_stop();
	at_stop = nr_ticks;
	KUNIT_EXPECT_GE(test, at_stop, TICKS);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&this_cpu_ptr(&ticker)->timer));
	KUNIT_EXPECT_EQ(test, nr_ticks, at_stop);

	/* And once more. */
	reinit_completion(&ticked);
	nr_ticks = 0;
	op_ticker_start();
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&ticked, 60 * HZ), 0);
	op_ticker_stop();
	migrate_enable();
}

static void ticker_period(struct kunit *test)
{
	static const struct {
		unsigned long frequency;
		u64 period;
	} rates[] = {
		{ 1, NSEC_PER_SEC }, { 1000, 1000000 }, { 3, 333333333 }, { 20000, 50000 },
	};
	unsigned long saved = frequency;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		frequency = rates[i].frequency;
		op_ticker_prepare(tick);
		KUNIT_EXPECT_EQ(test, period_ns, rates[i].period);
	}
	frequency = saved;
}

/* Within an eighth to both sides, all of it, and on the mean as wanted. */
static void ticker_spread(struct kunit *test)
{
	const u64 mean = 1000000;
	u64 sum = 0, least = U64_MAX, most = 0;
	u32 random = 1;
	int i;

	KUNIT_EXPECT_NE(test, op_spread_begin(), 0);
	for (i = 0; i < 100000; i++) {
		u64 interval = ktime_to_ns(op_spread(mean, &random));

		sum += interval;
		least = min(least, interval);
		most = max(most, interval);
	}
	KUNIT_EXPECT_GE(test, least, mean * 7 / 8);
	KUNIT_EXPECT_LT(test, most, mean * 9 / 8);
	KUNIT_EXPECT_LT(test, least, mean * 7 / 8 + mean / 1000);
	KUNIT_EXPECT_GT(test, most, mean * 9 / 8 - mean / 1000);
	KUNIT_EXPECT_GT(test, div_u64(sum, 100000), mean - mean / 500);
	KUNIT_EXPECT_LT(test, div_u64(sum, 100000), mean + mean / 500);
	KUNIT_EXPECT_EQ(test, ktime_to_ns(op_spread(1, &random)), 1);
}

TEST_SUITE(oprofile_ticker, NULL, NULL,
	   KUNIT_CASE(ticker_ticks),
	   KUNIT_CASE(ticker_period),
	   KUNIT_CASE(ticker_spread));
