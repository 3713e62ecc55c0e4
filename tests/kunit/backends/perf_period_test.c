// SPDX-License-Identifier: GPL-2.0-only
/*
 * Weights and periods of perf events, with a perf that stops them at a limit.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "suite.h"

#include "backends/perf_period.c"

#define PERIOD 1000

/* What was counted at overflows, and what their samples weigh. */
static void weights_add_up(struct kunit *test)
{
	static const struct {
		u64 counted, weight;
	} overflows[] = {
		{ PERIOD, PERIOD },
		{ 2 * PERIOD + 20, PERIOD },	  /* a late NMI */
		{ 3 * PERIOD, PERIOD },
		{ 5 * PERIOD, 2 * PERIOD },	  /* a doubled period */
		{ 8 * PERIOD - 1, 2 * PERIOD },	  /* so late that another one is nearly over */
		{ 9 * PERIOD, 2 * PERIOD },
		{ 1033 * PERIOD, 1024 * PERIOD },
		{ 1033 * PERIOD + 1, PERIOD },	  /* early: no sample without weight */
		{ 1035 * PERIOD, PERIOD },
	};
	struct op_perf_period of = {};
	u64 sum = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(overflows); i++) {
		KUNIT_EXPECT_EQ(test, op_perf_period_weigh(&of, PERIOD, overflows[i].counted),
				overflows[i].weight);
		sum += overflows[i].weight;
	}
	KUNIT_EXPECT_EQ(test, sum, 1035 * PERIOD);
}

static struct {
	struct op_perf_period of;
	u64 tick;
	u64 counted; /* what the event has counted */
	u64 missed;  /* what it would have counted while it was stopped */
	u64 weighed;
	unsigned int stops;
} fake;

/*
 * Events of a tick, evenly.  The counter is set to the period of the overflow before, as perf's is
 * before it calls the handler.
 */
static void pass_tick(unsigned int events, unsigned int limit)
{
	static u64 left = PERIOD;
	unsigned int samples = 0;

	if (!fake.tick++)
		left = PERIOD;
	while (events >= left) {
		u64 next = (u64)PERIOD << fake.of.shift;
		bool stopped = ++samples >= limit;

		events -= left;
		fake.counted += left;
		left = next;
		fake.weighed += op_perf_period_weigh(&fake.of, PERIOD, fake.counted);
		op_perf_period_adjust(&fake.of, fake.tick, stopped);
		if (stopped) {
			fake.stops++;
			fake.missed += events;
			return;
		}
	}
	fake.counted += events;
	left -= events;
}

static void pass_ticks(unsigned int nr, unsigned int events, unsigned int limit)
{
	while (nr--)
		pass_tick(events, limit);
}

static const struct load {
	const char *what;
	unsigned int events;
	unsigned int limit;
	unsigned int stops; /* at most, in 1000 ticks */
} loads[] = {
	{ "below the limit", 399 * PERIOD, 400, 0 },
	{ "just over it", 401 * PERIOD, 400, 1 },
	{ "more than twice", 1000 * PERIOD, 400, 1 },
	{ "a hundred times", 40000 * PERIOD, 400, 2 },
	{ "a small limit", 1000 * PERIOD, 8, 5 },
	{ "a smaller one", 40 * PERIOD, 4, 5 },
};

static void load_describe(const struct load *load, char *text)
{
	strscpy(text, load->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(load, loads, load_describe);

/* All but what is missed in the few ticks that tell the limit. */
static void stops_are_few(struct kunit *test)
{
	const struct load *load = test->param_value;

	pass_ticks(1000, load->events, load->limit);
	KUNIT_EXPECT_LE(test, fake.stops, load->stops);
	KUNIT_EXPECT_LE(test, fake.missed, (u64)load->stops * load->events);
	KUNIT_EXPECT_LE(test, fake.weighed, fake.counted);
	KUNIT_EXPECT_LE(test, fake.counted - fake.weighed, (u64)PERIOD << fake.of.shift);
}

/* As perf_period.c draws it. */
static void period_settles(struct kunit *test)
{
	pass_tick(700 * PERIOD, 400);
	KUNIT_EXPECT_EQ(test, fake.of.shift, 3);
	pass_ticks(CALM_TICKS + 1, 700 * PERIOD, 400);
	KUNIT_EXPECT_EQ(test, fake.of.shift, 2);
	pass_ticks(1000, 700 * PERIOD, 400);
	KUNIT_EXPECT_EQ(test, fake.of.shift, 2);
	KUNIT_EXPECT_EQ(test, fake.of.in_tick, 175);
	KUNIT_EXPECT_EQ(test, fake.stops, 1);
}

/* And where it is quiet again, so are the samples as many as were asked for. */
static void period_comes_back(struct kunit *test)
{
	pass_ticks(100, 40000 * PERIOD, 400);
	KUNIT_EXPECT_GE(test, fake.of.shift, 7);
	pass_ticks(CALM_TICKS * 11 * 11, 90 * PERIOD, 400);
	KUNIT_EXPECT_EQ(test, fake.of.shift, 0);

	/* Something that happens now and then, too. */
	pass_ticks(100, 40000 * PERIOD, 400);
	pass_ticks(CALM_WITHOUT_SAMPLE * 1024 * 11, PERIOD, 400);
	KUNIT_EXPECT_EQ(test, fake.of.shift, 0);
}

/* Each sample stops it: they become so rare that little is missed. */
static void limit_of_one(struct kunit *test)
{
	pass_ticks(20000, 40 * PERIOD, 1);
	KUNIT_EXPECT_GT(test, fake.counted, 9 * fake.missed);
	KUNIT_EXPECT_EQ(test, fake.of.shift, SHIFT_MAX);
}

static int perf_period_init(struct kunit *test)
{
	memset(&fake, 0, sizeof(fake));
	return 0;
}

TEST_SUITE(oprofile_perf_period, perf_period_init, NULL,
	   KUNIT_CASE(weights_add_up),
	   KUNIT_CASE_PARAM(stops_are_few, load_gen_params),
	   KUNIT_CASE(period_settles),
	   KUNIT_CASE(period_comes_back),
	   KUNIT_CASE(limit_of_one));
