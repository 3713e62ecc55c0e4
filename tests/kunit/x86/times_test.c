// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times of counters.
 */
#include <linux/cpumask.h>

#include "suite.h"

#include "x86/times_sums.h"

#include "x86/times.c"

u64 times_enabled(unsigned int cpu, unsigned int number)
{
	return per_cpu(cpu_times, cpu).enabled[number];
}

u64 times_running(unsigned int cpu, unsigned int number)
{
	return per_cpu(cpu_times, cpu).running[number];
}

static unsigned int refreshed;

/* What the backend perf does: adds what has gone by since it was last asked. */
static void refresh(void)
{
	refreshed++;
	op_x86_times_add(0, 3, 10, 1);
}

static void times_add_up(struct kunit *test)
{
	unsigned int last = cpumask_last(cpu_possible_mask);

	op_x86_times_reset();
	op_x86_times_add(0, 3, 1000, 400);
	op_x86_times_add(0, 3, 500, 500);
	op_x86_times_add(0, 4, 7, 0);
	op_x86_times_add(last, OP_X86_NUMBERS_MAX - 1, 9, 8);
	op_x86_times_add(last, 4, 70, 1);

	refresh_fn = NULL;
	KUNIT_EXPECT_EQ(test, sum_enabled(3), 1500);
	KUNIT_EXPECT_EQ(test, sum_running(3), 900);
	KUNIT_EXPECT_EQ(test, sum_enabled(4), 77);
	KUNIT_EXPECT_EQ(test, sum_running(4), 1);
	KUNIT_EXPECT_EQ(test, sum_enabled(OP_X86_NUMBERS_MAX - 1), 9);
	KUNIT_EXPECT_EQ(test, sum_enabled(0), 0);

	op_x86_times_reset();
	KUNIT_EXPECT_EQ(test, sum_enabled(3), 0);
	KUNIT_EXPECT_EQ(test, sum_running(OP_X86_NUMBERS_MAX - 1), 0);
}

/* Asked just before each read, so that what is read is up to date. */
static void times_refreshed(struct kunit *test)
{
	op_x86_times_reset();
	refreshed = 0;
	refresh_fn = refresh;
	KUNIT_EXPECT_EQ(test, sum_enabled(3), 10);
	KUNIT_EXPECT_EQ(test, sum_running(3), 2);
	KUNIT_EXPECT_EQ(test, refreshed, 2);
}

static void times_exit(struct kunit *test)
{
	refresh_fn = NULL;
	op_x86_times_reset();
}

TEST_SUITE(oprofile_x86_times, NULL, times_exit,
	   KUNIT_CASE(times_add_up),
	   KUNIT_CASE(times_refreshed));
