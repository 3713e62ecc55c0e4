// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choosing a backend, among four fakes that have the names of the real ones.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "suite.h"

#include "fake_backend.h"
#include "refusal.h"

static int x86_answer, perf_answer, nmi_timer_answer;

static int x86_probe(void)
{
	return x86_answer;
}

static int perf_probe(void)
{
	return perf_answer;
}

static int nmi_timer_probe(void)
{
	return nmi_timer_answer;
}

static const char *x86_holder_answer;

static const char *x86_holder(void)
{
	return x86_holder_answer;
}

static const char *x86_obstacle_answer;

static const char *x86_obstacle(void)
{
	return x86_obstacle_answer;
}

static const struct oprofile_backend fake_x86 = {
	.name = "x86", .probe = x86_probe, .obstacle = x86_obstacle, .holder = x86_holder,
};

static const struct oprofile_backend fake_perf = { .name = "perf", .probe = perf_probe };
static const struct oprofile_backend fake_nmi = { .name = "nmi_timer", .probe = nmi_timer_probe };
static const struct oprofile_backend fake_timer = { .name = "timer" };

static char refusal[256];

/* Seams: these backends, all four of them, on any architecture. */
#define op_x86_backend fake_x86
#define op_perf_backend fake_perf
#define op_nmi_timer_backend fake_nmi
#define op_timer_backend fake_timer
#undef op_log_refusal
#define op_log_refusal(...) snprintf(refusal, sizeof(refusal), __VA_ARGS__)
#ifndef CONFIG_X86_LOCAL_APIC
#define CONFIG_X86_LOCAL_APIC 1
#endif

#include "backend.c"

void fake_backend_use(const struct oprofile_backend *backend)
{
	choose(backend, NULL);
	passed_over = NULL;
	named = true; /* the mount of a suite is not to choose another one */
}

static const struct choice {
	const char *what;
	const char *name;
	int x86, perf, nmi_timer; /* what the probes say */
	int err;
	const struct oprofile_backend *backend;
} choices[] = {
	{ "best, all work", NULL, 0, 0, 0, 0, &fake_x86 },
	{ "an empty name is none", "", 0, 0, 0, 0, &fake_x86 },
	{ "best, no x86", NULL, -ENODEV, 0, 0, 0, &fake_perf },
	{ "best, no counters", NULL, -EBUSY, -ENOENT, 0, 0, &fake_nmi },
	{ "one without a probe works always", NULL, -ENODEV, -ENODEV, -ENODEV, 0, &fake_timer },
	{ "first of all by name", "x86", 0, 0, 0, 0, &fake_x86 },
	{ "by name, though others are better", "nmi_timer", 0, 0, 0, 0, &fake_nmi },
	{ "last by name", "timer", 0, 0, 0, 0, &fake_timer },
	{ "by name, other probes are not asked", "perf", -EIO, 0, -EIO, 0, &fake_perf },
	{ "what the probe says is passed on", "perf", 0, -ENOENT, 0, -ENOENT, NULL },
	{ "no other one instead", "x86", -EBUSY, 0, 0, -EBUSY, NULL },
	{ "unknown", "pebs", 0, 0, 0, -EINVAL, NULL },
	{ "the beginning of a name", "nmi", 0, 0, 0, -EINVAL, NULL },
	{ "more than a name", "timer ", 0, 0, 0, -EINVAL, NULL },
};

static void choice_describe(const struct choice *choice, char *text)
{
	strscpy(text, choice->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(choice, choices, choice_describe);

static void backend_chosen(struct kunit *test)
{
	const struct choice *choice = test->param_value;

	x86_answer = choice->x86;
	perf_answer = choice->perf;
	nmi_timer_answer = choice->nmi_timer;
	KUNIT_EXPECT_EQ(test, op_backend_choose(choice->name), choice->err);
	KUNIT_EXPECT_PTR_EQ(test, op_backend(), choice->backend);
}

/* The present one stays when another one cannot be had. */
static void backend_kept(struct kunit *test)
{
	perf_answer = -ENOENT;
	fake_backend_use(&fake_timer);
	KUNIT_EXPECT_EQ(test, op_backend_choose("perf"), -ENOENT);
	KUNIT_EXPECT_EQ(test, op_backend_choose("nothing"), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, op_backend(), &fake_timer);
}

static int start_answer, second_answer, nr_starts, nr_stops, nr_set_up;

static int count_set_up(void)
{
	nr_set_up++;
	return 0;
}

static void count_shut_down(void)
{
	nr_set_up--;
}

static int answer_start(void)
{
	return start_answer;
}

static int count_start(void)
{
	nr_starts += !second_answer;
	return second_answer;
}

static void count_stop(void)
{
	nr_stops++;
}

static const char *say_reason(void)
{
	return "a reason";
}

static const struct oprofile_backend first = {
	.name = "first", .setup = count_set_up, .shutdown = count_shut_down,
	.start = answer_start, .reason = say_reason,
};

static const char *say_other_reason(void)
{
	return "another reason";
}

static const struct oprofile_backend second = {
	.name = "second", .setup = count_set_up, .shutdown = count_shut_down,
	.start = count_start, .stop = count_stop, .reason = say_other_reason,
};

/* At each start anew, and only if the counters are in use. */
static void backend_stood_in_for(struct kunit *test)
{
	char why[32];

	nr_set_up = 0;
	nr_starts = 0;
	nr_stops = 0;
	named = false;
	choose(&first, &second);
	KUNIT_EXPECT_EQ(test, op_backend_set_up(), 0);
	KUNIT_EXPECT_EQ(test, nr_set_up, 2);

	start_answer = -EBUSY;
	KUNIT_EXPECT_EQ(test, op_backend_start(), 0);
	KUNIT_EXPECT_PTR_EQ(test, op_backend(), &second);
	op_backend_why(why, sizeof(why));
	KUNIT_EXPECT_STREQ(test, why, "a reason");
	op_backend_stop();
	KUNIT_EXPECT_EQ(test, nr_starts, 1);
	KUNIT_EXPECT_EQ(test, nr_stops, 1);

	start_answer = 0;
	KUNIT_EXPECT_EQ(test, op_backend_start(), 0);
	KUNIT_EXPECT_PTR_EQ(test, op_backend(), &first);
	op_backend_stop();
	start_answer = -ENOMEM;
	KUNIT_EXPECT_EQ(test, op_backend_start(), -ENOMEM);
	KUNIT_EXPECT_PTR_EQ(test, op_backend(), &first);
	KUNIT_EXPECT_EQ(test, nr_starts, 1);
	KUNIT_EXPECT_EQ(test, nr_stops, 1);
	op_backend_shut_down();
	KUNIT_EXPECT_EQ(test, nr_set_up, 0);

	/* One that was asked for by name has nobody. */
	choose(&first, NULL);
	start_answer = -EBUSY;
	KUNIT_EXPECT_EQ(test, op_backend_set_up(), 0);
	KUNIT_EXPECT_EQ(test, op_backend_start(), -EBUSY);
	op_backend_shut_down();
}

/* No clock stands in for counters: the start fails, and a message says why and what works. */
static void backend_without_counters(struct kunit *test)
{
	named = false;
	choose(&first, &second);
	KUNIT_ASSERT_EQ(test, op_backend_set_up(), 0);
	start_answer = -EBUSY;
	second_answer = -ENOENT;
	refusal[0] = '\0';
	KUNIT_EXPECT_EQ(test, op_backend_start(), -ENOENT);
	KUNIT_EXPECT_STREQ(test, refusal,
			   "a reason; another reason; "
			   "\"opcontrol --start --backend=nmi_timer\" samples by time\n");
	second_answer = 0;
	refusal[0] = '\0';
	KUNIT_EXPECT_EQ(test, op_backend_start(), 0);
	KUNIT_EXPECT_STREQ(test, refusal, "");
	op_backend_stop();
	op_backend_shut_down();
}

/* Only perf, for x86, and only if it was not asked for by name. */
static void backend_stand_ins(struct kunit *test)
{
	x86_answer = 0;
	perf_answer = 0;
	nmi_timer_answer = 0;
	KUNIT_EXPECT_EQ(test, op_backend_choose(NULL), 0);
	KUNIT_EXPECT_TRUE(test, op_backend_has_stand_in());
	KUNIT_EXPECT_PTR_EQ(test, stand_in, &fake_perf);
	KUNIT_EXPECT_EQ(test, op_backend_choose("x86"), 0);
	KUNIT_EXPECT_FALSE(test, op_backend_has_stand_in());
	perf_answer = -ENOENT;
	KUNIT_EXPECT_EQ(test, op_backend_choose(NULL), 0);
	KUNIT_EXPECT_FALSE(test, op_backend_has_stand_in());
	x86_answer = -ENODEV;
	perf_answer = 0;
	KUNIT_EXPECT_EQ(test, op_backend_choose(NULL), 0);
	KUNIT_EXPECT_FALSE(test, op_backend_has_stand_in());
}

/* Others hold all counters, then do not, then do again: each mount looks anew. */
static void backend_chosen_anew(struct kunit *test)
{
	char why[64];

	x86_answer = 0;
	perf_answer = -EBUSY;
	nmi_timer_answer = 0;
	x86_holder_answer = "a holder";
	KUNIT_EXPECT_EQ(test, op_backend_choose(NULL), 0);
	KUNIT_EXPECT_PTR_EQ(test, op_backend(), &fake_nmi);
	KUNIT_EXPECT_STREQ(test, op_backend_chosen(), "nmi_timer");
	op_backend_why(why, sizeof(why));
	KUNIT_EXPECT_STREQ(test, why, "a holder");

	nmi_timer_answer = -ENODEV;
	KUNIT_EXPECT_EQ(test, op_backend_choose_anew(), 0);
	KUNIT_EXPECT_PTR_EQ(test, op_backend(), &fake_timer);

	x86_holder_answer = NULL;
	KUNIT_EXPECT_EQ(test, op_backend_choose_anew(), 0);
	KUNIT_EXPECT_PTR_EQ(test, op_backend(), &fake_x86);
	KUNIT_EXPECT_FALSE(test, op_backend_has_stand_in());
	op_backend_why(why, sizeof(why));
	KUNIT_EXPECT_STREQ(test, why, "the best one");

	/* perf gets counters from its own: x86 is kept, and is tried at each start. */
	x86_holder_answer = "a holder";
	perf_answer = 0;
	KUNIT_EXPECT_EQ(test, op_backend_choose_anew(), 0);
	KUNIT_EXPECT_PTR_EQ(test, op_backend(), &fake_x86);
	KUNIT_EXPECT_TRUE(test, op_backend_has_stand_in());
}

/* Why the best one cannot be used is the reason for another one, if it can say. */
static void backend_obstacle_told(struct kunit *test)
{
	char why[64];

	x86_answer = -ENODEV;
	x86_obstacle_answer = "an obstacle";
	perf_answer = 0;
	nmi_timer_answer = 0;
	KUNIT_EXPECT_EQ(test, op_backend_choose(NULL), 0);
	KUNIT_EXPECT_PTR_EQ(test, op_backend(), &fake_perf);
	op_backend_why(why, sizeof(why));
	KUNIT_EXPECT_STREQ(test, why, "an obstacle");

	x86_obstacle_answer = NULL;
	KUNIT_EXPECT_EQ(test, op_backend_choose(NULL), 0);
	op_backend_why(why, sizeof(why));
	KUNIT_EXPECT_STREQ(test, why, "the best one that this machine can use");
}

/* What was asked for by name stays, whoever holds counters. */
static void backend_named_stays(struct kunit *test)
{
	char why[64];

	x86_answer = 0;
	perf_answer = -EBUSY;
	nmi_timer_answer = 0;
	x86_holder_answer = "a holder";
	KUNIT_EXPECT_EQ(test, op_backend_choose("x86"), 0);
	KUNIT_EXPECT_EQ(test, op_backend_choose_anew(), 0);
	KUNIT_EXPECT_PTR_EQ(test, op_backend(), &fake_x86);
	x86_holder_answer = NULL;
	KUNIT_EXPECT_EQ(test, op_backend_choose("timer"), 0);
	KUNIT_EXPECT_EQ(test, op_backend_choose_anew(), 0);
	KUNIT_EXPECT_PTR_EQ(test, op_backend(), &fake_timer);
	op_backend_why(why, sizeof(why));
	KUNIT_EXPECT_STREQ(test, why, "asked for");
}

static int backend_init(struct kunit *test)
{
	x86_holder_answer = NULL;
	x86_obstacle_answer = NULL;
	second_answer = 0;
	fake_backend_use(NULL);
	return 0;
}

static void backend_exit(struct kunit *test)
{
	fake_backend_use(NULL);
}

TEST_SUITE(oprofile_backend, backend_init, backend_exit,
	   KUNIT_CASE_PARAM(backend_chosen, choice_gen_params),
	   KUNIT_CASE(backend_kept),
	   KUNIT_CASE(backend_chosen_anew),
	   KUNIT_CASE(backend_obstacle_told),
	   KUNIT_CASE(backend_named_stays),
	   KUNIT_CASE(backend_stood_in_for),
	   KUNIT_CASE(backend_without_counters),
	   KUNIT_CASE(backend_stand_ins));
