// SPDX-License-Identifier: GPL-2.0-only
/*
 * When periods are doubled.
 */
#include <linux/string.h>

#include "suite.h"

#include "x86/throttle.c"

#define PERCENT 25
#define RUNS_PER_TIMING 8

static struct op_throttle begun(u64 around)
{
	struct op_throttle throttle;

	op_throttle_begin(&throttle, RUNS_PER_TIMING, around);
	return throttle;
}

/*
 * Timed runs that take @busy each, and begin @interval after the one before, until periods are
 * doubled or halved.  Return: how many that took; @at_most + 1: they never were.
 */
static int runs_until_changed(struct op_throttle *throttle, u64 *now, u64 busy, u64 interval,
			      int at_most, unsigned int percent)
{
	int run;

	for (run = 1; run <= at_most; run++) {
		int change = op_throttle_account(throttle, *now, *now + busy, percent);

		*now += interval;
		if (change)
			break;
	}
	return run;
}

/* One in RUNS_PER_TIMING runs is timed, so the share is 8 * busy / interval. */
static const struct share {
	const char *what;
	u64 busy, interval;
	unsigned int percent;
	int runs; /* of at most 200 */
} shares[] = {
	{ "just at the limit", 1000, 32000, PERCENT, 201 },
	{ "a little more", 1000, 31990, PERCENT, 32 },
	{ "all of the time", 1000, 8000, PERCENT, 32 },
	{ "idle", 1000, 10000000, PERCENT, 201 },
	{ "no limit", 1000, 8000, 0, 201 },
	{ "a limit of all", 1000, 8000, 100, 201 },
	{ "a clock that stands still", 0, 0, PERCENT, 201 },
};

static void share_describe(const struct share *share, char *text)
{
	strscpy(text, share->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(share, shares, share_describe);

static void throttle_doubles(struct kunit *test)
{
	const struct share *share = test->param_value;
	struct op_throttle throttle = begun(0);
	u64 now = 1ULL << 40;

	KUNIT_EXPECT_EQ(test, runs_until_changed(&throttle, &now, share->busy, share->interval, 200,
						 share->percent), share->runs);
	KUNIT_EXPECT_EQ(test, throttle.shift, share->runs <= 200);
}

/* It goes on while it is too much, each time after new means, and ends at the limit. */
static void throttle_doubles_again(struct kunit *test)
{
	struct op_throttle throttle = begun(0);
	u64 now = 1;
	int i;

	for (i = 1; i <= OP_THROTTLE_SHIFT_MAX; i++) {
		KUNIT_EXPECT_EQ(test, runs_until_changed(&throttle, &now, 1000, 8000, 200, PERCENT),
				32);
		KUNIT_EXPECT_EQ(test, throttle.shift, i);
	}
	KUNIT_EXPECT_EQ(test, runs_until_changed(&throttle, &now, 1000, 8000, 200, PERCENT), 201);
	KUNIT_EXPECT_EQ(test, throttle.shift, 12);
}

/* What the handler does not see counts, too. */
static void throttle_counts_the_way_in_and_out(struct kunit *test)
{
	struct op_throttle throttle = begun(3000);
	u64 now = 1;

	KUNIT_EXPECT_EQ(test, runs_until_changed(&throttle, &now, 1000, 128000, 200, PERCENT), 201);
	KUNIT_EXPECT_EQ(test, runs_until_changed(&throttle, &now, 1000, 127000, 200, PERCENT) > 200,
			false);
	KUNIT_EXPECT_EQ(test, throttle.shift, 1);
}

/* The load is over: back, step by step, and not while it would be too much. */
static void throttle_comes_back(struct kunit *test)
{
	struct op_throttle throttle = begun(0);
	u64 now = 1;
	int shift;

	for (shift = 1; shift <= 3; shift++)
		KUNIT_EXPECT_EQ(test, runs_until_changed(&throttle, &now, 1000, 8000, 200, PERCENT),
				32);
	/* 12.5 %: half the period would take all of the limit. */
	KUNIT_EXPECT_EQ(test, runs_until_changed(&throttle, &now, 1000, 64000, 200, PERCENT), 201);
	KUNIT_EXPECT_EQ(test, throttle.shift, 3);
	for (shift = 2; shift >= 0; shift--) {
		KUNIT_EXPECT_LE(test,
				runs_until_changed(&throttle, &now, 1000, 200000, 200, PERCENT),
				200);
		KUNIT_EXPECT_EQ(test, throttle.shift, shift);
	}
	KUNIT_EXPECT_EQ(test, runs_until_changed(&throttle, &now, 1000, 200000, 200, PERCENT), 201);
	KUNIT_EXPECT_EQ(test, throttle.shift, 0);

	/* The limit is taken away. */
	throttle.shift = 1;
	KUNIT_EXPECT_EQ(test, runs_until_changed(&throttle, &now, 1000, 8000, 200, 0), 1);
	KUNIT_EXPECT_EQ(test, throttle.shift, 0);
}

/* A hypervisor that takes the CPU away in the midst of a run now and then is not the handler. */
static void throttle_leaves_outliers_out(struct kunit *test)
{
	struct op_throttle throttle = begun(0);
	u64 now = 1;
	int i;

	for (i = 0; i < 500; i++) {
		u64 busy = i % 20 == 10 ? 10000000 : 1000;

		KUNIT_ASSERT_EQ(test, op_throttle_account(&throttle, now, now + busy, PERCENT), 0);
		now += 100000;
	}
	/* 4000 * 1/16 above the mean at most */
	KUNIT_EXPECT_LT(test, throttle.busy, 1300ULL);
}

static void throttle_times_some_runs(struct kunit *test)
{
	struct op_throttle throttle = begun(0);
	int i, timed = 0;

	for (i = 1; i <= 80; i++) {
		if (op_throttle_times_run(&throttle))
			timed++;
		KUNIT_EXPECT_EQ(test, timed, i / 8);
	}
	op_throttle_begin(&throttle, 1, 0);
	for (i = 1; i <= 80; i++)
		KUNIT_EXPECT_TRUE(test, op_throttle_times_run(&throttle));
}

TEST_SUITE(oprofile_x86_throttle, NULL, NULL,
	   KUNIT_CASE_PARAM(throttle_doubles, share_gen_params),
	   KUNIT_CASE(throttle_doubles_again),
	   KUNIT_CASE(throttle_counts_the_way_in_and_out),
	   KUNIT_CASE(throttle_comes_back),
	   KUNIT_CASE(throttle_leaves_outliers_out),
	   KUNIT_CASE(throttle_times_some_runs));
