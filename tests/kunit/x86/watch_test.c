// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters are looked at, and sampling begins anew if they are lost.
 */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/timer.h>

#include "suite.h"

#include "core.h"
#include "x86/pmu.h"
#include "x86/reserve.h"
#include "x86/watch.h"

static const char *fake_loss;
static unsigned int nr_refused, nr_tries;
static DECLARE_COMPLETION(restarted);

static const char *seam_lost(void)
{
	return fake_loss;
}

static bool fake_traced;

static bool seam_traced(void)
{
	return fake_traced;
}

/* Refused while it is being started or stopped. */
static bool seam_restart(void)
{
	if (nr_tries++ < nr_refused)
		return false;
	complete(&restarted);
	return true;
}

/* Seams. */
#define op_x86_pmu_lost seam_lost
#define op_x86_traced seam_traced
#define oprofile_restart seam_restart

#include "x86/watch.c"

static void look_now(const char *loss)
{
	fake_loss = loss;
	migrate_disable();
	op_x86_watch_start();
	local_bh_disable();
	look_at_counters(this_cpu_ptr(&watch_timer));
	local_bh_enable();
	op_x86_watch_stop();
	migrate_enable();
}

static void watch_begins_anew(struct kunit *test)
{
	const char *expected = "others use the counters: an overflow was taken on CPU ";
	char text[80];

	look_now(NULL);
	KUNIT_EXPECT_FALSE(test, op_x86_watch_take(text, sizeof(text)));
	KUNIT_EXPECT_EQ(test, nr_tries, 0);

	look_now("an overflow was taken");
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&restarted, 60 * HZ), 0);
	KUNIT_EXPECT_TRUE(test, op_x86_watch_take(text, sizeof(text)));
	KUNIT_EXPECT_TRUE(test, str_has_prefix(text, expected));
	KUNIT_EXPECT_FALSE(test, op_x86_watch_take(text, sizeof(text)));
}

/* A trace begins while counters count: perf's handler of NMIs is awake from now on. */
static void watch_finds_trace(struct kunit *test)
{
	const char *expected = "others use the counters: Intel PT is in use on CPU ";
	char text[80];

	fake_traced = true;
	look_now(NULL);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&restarted, HZ), 0);
	KUNIT_EXPECT_TRUE(test, op_x86_watch_take(text, sizeof(text)));
	KUNIT_EXPECT_TRUE(test, str_has_prefix(text, expected));
}

static void watch_tries_again(struct kunit *test)
{
	nr_refused = 2;
	op_x86_watch_report(0, "a counter is in use");
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&restarted, 60 * HZ), 0);
	KUNIT_EXPECT_EQ(test, nr_tries, 3);
}

/* Only one thing is reported at a time, and nothing is left at the end. */
static void watch_ends(struct kunit *test)
{
	char text[80];

	nr_refused = 1000000;
	op_x86_watch_report(3, "a counter is in use");
	op_x86_watch_report(4, "an overflow was taken");
	op_x86_watch_end();
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&begin_anew));
	KUNIT_EXPECT_FALSE(test, op_x86_watch_take(text, sizeof(text)));
}

static int watch_init(struct kunit *test)
{
	reinit_completion(&restarted);
	fake_traced = false;
	nr_refused = 0;
	nr_tries = 0;
	return 0;
}

static void watch_exit(struct kunit *test)
{
	op_x86_watch_end();
}

TEST_SUITE(oprofile_x86_watch, watch_init, watch_exit,
	   KUNIT_CASE(watch_begins_anew),
	   KUNIT_CASE(watch_finds_trace),
	   KUNIT_CASE(watch_tries_again),
	   KUNIT_CASE(watch_ends));
