// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer on each CPU: its intervals, and its beginning and end.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "suite.h"

#include "backends/busy.h"

/* Seams: what a CPU has to do is said by the test. */
static void (*busy_change)(bool busy);

static int seam_busy_set_up(void (*fn)(bool busy))
{
	busy_change = fn;
	return 0;
}

static void seam_busy_tear_down(void)
{
	busy_change = NULL;
}

#define op_busy_set_up seam_busy_set_up
#define op_busy_tear_down seam_busy_tear_down

#include "backends/ticker.c"

#define TICKS 20

static DECLARE_COMPLETION(ticked);
static unsigned int nr_ticks;

static bool keep_on;
static bool was_whole;

static bool tick(bool whole)
{
	was_whole = whole;
	if (++nr_ticks == TICKS)
		complete(&ticked);
	return keep_on;
}

static bool keep_it(void)
{
	return true;
}

static void say_busy(bool busy)
{
	local_irq_disable();
	busy_change(busy);
	local_irq_enable();
}

/* A CPU that has nothing to do has no ticks, and the rest of its interval afterwards. */
static void ticker_stands_still(struct kunit *test)
{
	struct ticker *t;
	ktime_t left;

	migrate_disable();
	t = this_cpu_ptr(&ticker);
	nr_ticks = 0;
	keep_on = false;
	op_ticker_prepare(tick, NULL);
	op_ticker_start();
	KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(smp_processor_id(), op_ticker_busy()));
	while (!nr_ticks)
		cpu_relax();
	say_busy(false);
	KUNIT_EXPECT_FALSE(test, op_ticker_ticks(smp_processor_id()));
	KUNIT_EXPECT_FALSE(test, cpumask_test_cpu(smp_processor_id(), op_ticker_busy()));
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&t->timer));
	left = t->left;
	/* No interval is shorter than the resolution, which is a clock tick on user-mode Linux. */
	KUNIT_EXPECT_LE(test, left, max_t(u64, period_ns * 9 / 8, hrtimer_resolution));
	nr_ticks = 0;
	msleep(50);
	KUNIT_EXPECT_EQ(test, nr_ticks, 0);

	local_irq_disable();
	busy_change(true);
	left -= hrtimer_get_remaining(&t->timer);
	local_irq_enable();
	KUNIT_EXPECT_GE(test, left, 0);
	while (nr_ticks < 2)
		cpu_relax();
	KUNIT_EXPECT_TRUE(test, was_whole);
	op_ticker_stop();
	say_busy(true); /* changes nothing any more */
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&t->timer));
	op_ticker_end();
	migrate_enable();
}

/* One that has nothing to do ticks if it is kept, until its tick says no. */
static void ticker_kept(struct kunit *test)
{
	struct ticker *t;

	migrate_disable();
	t = this_cpu_ptr(&ticker);
	keep_on = true;
	op_ticker_prepare(tick, keep_it);
	op_ticker_start();
	say_busy(false);
	KUNIT_EXPECT_TRUE(test, op_ticker_ticks(smp_processor_id()));
	say_busy(true);
	keep_fn = NULL;
	say_busy(false);
	KUNIT_EXPECT_FALSE(test, op_ticker_ticks(smp_processor_id()));
	nr_ticks = 0;
	local_irq_disable();
	op_ticker_keep();
	local_irq_enable();
	while (nr_ticks < 3)
		cpu_relax();
	KUNIT_EXPECT_TRUE(test, op_ticker_ticks(smp_processor_id()));
	keep_on = false;
	while (op_ticker_ticks(smp_processor_id()))
		cpu_relax();
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&t->timer));
	op_ticker_stop();
	op_ticker_end();
	migrate_enable();
}

static void ticker_ticks(struct kunit *test)
{
	unsigned int at_stop;

	migrate_disable(); /* a CPU's ticker is started and stopped on that CPU */
	nr_ticks = 0;
	reinit_completion(&ticked);
	op_ticker_prepare(tick, NULL);
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
	op_ticker_end();
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
		op_ticker_prepare(tick, NULL);
		KUNIT_EXPECT_EQ(test, period_ns, rates[i].period);
		op_ticker_end();
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
	   KUNIT_CASE(ticker_stands_still),
	   KUNIT_CASE(ticker_kept),
	   KUNIT_CASE(ticker_period),
	   KUNIT_CASE(ticker_spread));
