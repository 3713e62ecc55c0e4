// SPDX-License-Identifier: GPL-2.0-or-later
/* What chance makes of numbers of samples. */
#include "tests/unit/test.h"

#include <math.h>

#include "libop/base/array.h"
#include "pp/statistics/chance.h"
#include "pp/statistics/intervals.h"

enum { PAIRS = 5000 };

/* xorshift64*: the same numbers on each machine. */
static double draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (double)(*state * UINT64_C(0x2545f4914f6cdd1d) >> 11) / 9007199254740992.0;
}

/* Samples of a rate of @mean: times between them are exponential. */
static uint64_t draw_samples(double mean, uint64_t *state)
{
	double time = -log1p(-draw(state));
	uint64_t n = 0;

	for (; time < mean; n++)
		time -= log1p(-draw(state));
	return n;
}

/* The part of pairs that are called a change, of rates whose quotient is @growth. */
static double called_changes(double mean, double growth, double old_time, double new_time)
{
	uint64_t state = 42, n = 0;

	for (int i = 0; i < PAIRS; i++) {
		uint64_t old = draw_samples(mean * old_time, &state);
		uint64_t new = draw_samples(mean * growth * new_time, &state);

		n += !pp_may_be_chance(old, new, old_time, new_time);
	}
	return (double)n / PAIRS;
}

TEST(what_has_not_changed_is_called_a_change_about_one_time_in_twenty_at_most)
{
	static const double means[] = {1, 4, 20, 100, 490, 600};

	for (size_t i = 0; i < OP_ARRAY_SIZE(means); i++) {
		double part = called_changes(means[i], 1, 1, 1);

		assert_true(part < 0.06);
		if (means[i] >= 100)
			assert_true(part > 0.035);
	}
}

TEST(times_of_different_length_are_taken_into_account)
{
	double part = called_changes(50, 1, 1, 10);

	assert_true(part > 0.03 && part < 0.06);
	assert_true(called_changes(50, 2, 1, 10) > 0.99);
}

TEST(what_has_doubled_is_called_a_change)
{
	assert_true(called_changes(100, 2, 1, 1) > 0.99);
	assert_true(called_changes(600, 1.5, 1, 1) > 0.99);
}

TEST(few_samples_are_judged_exactly)
{
	assert_true(pp_may_be_chance(0, 0, 1, 1));
	assert_true(pp_may_be_chance(0, 5, 1, 1));  /* 1 of 32 */
	assert_false(pp_may_be_chance(0, 6, 1, 1)); /* 1 of 64 */
	assert_true(pp_may_be_chance(659, 633, 1, 1));
	assert_false(pp_may_be_chance(0, UINT64_MAX / 2, 1, 1));
}

/* ---- intervals of shares ---- */

enum { RUNS = 6, EXPERIMENTS = 2000 };

/* A profile of one class and two rows. */
struct two_rows {
	struct pp_profile profile;
	struct pp_row rows[2];
	struct pp_row *pointers[2];
	uint64_t counts[3]; /* of each row, and of both */
};

static struct pp_class class = {.event = "clock", .column = (char *)"clock"};
static const struct pp_classes classes = {.items = &class, .n = 1, .columns = 2};
static const struct pp_image image = {.full = (char *)"/bin/prog"};

static void two_rows_begin(struct two_rows *two)
{
	static const char *const names[] = {"bursts", "rest"};

	memset(two, 0, sizeof(*two));
	pp_profile_init(&two->profile, &classes);
	free(two->profile.totals);
	for (int i = 0; i < 2; i++) {
		two->rows[i] = (struct pp_row){.app = &image,
					       .image = &image,
					       .symbol = names[i],
					       .counts = &two->counts[i]};
		two->pointers[i] = &two->rows[i];
	}
	two->profile.rows = two->pointers;
	two->profile.n_rows = 2;
	two->profile.totals = &two->counts[2];
}

static void two_rows_end(struct two_rows *two)
{
	two->profile.rows = NULL;
	two->profile.n_rows = 0;
	two->profile.totals = NULL;
	pp_profile_free(&two->profile);
}

static void two_rows_set(struct two_rows *two, uint64_t bursts, uint64_t rest)
{
	two->counts[0] = bursts;
	two->counts[1] = rest;
	two->counts[2] = bursts + rest;
}

/* Whether an interval from @runs has the true share. */
static bool covers(double bursts, double of_burst, double rest, size_t runs, uint64_t *state)
{
	struct two_rows all, run;
	struct pp_intervals intervals;
	uint64_t sums[2] = {0};
	double truth = 100 * bursts * of_burst / (bursts * of_burst + rest), share;
	bool result;

	two_rows_begin(&all);
	two_rows_begin(&run);
	pp_intervals_begin(&intervals, &all.profile);
	for (size_t i = 0; i < runs; i++) {
		uint64_t n = of_burst > 1 ? draw_samples(bursts, state) : 1;
		uint64_t of_bursts =
			draw_samples(of_burst > 1 ? (double)n * of_burst : bursts, state);

		two_rows_set(&run, of_bursts, draw_samples(rest, state));
		sums[0] += run.counts[0];
		sums[1] += run.counts[1];
		if (runs > 1)
			pp_intervals_add(&intervals, &run.profile);
	}
	two_rows_set(&all, sums[0], sums[1]);
	pp_intervals_finish(&intervals);
	share = 100 * (double)sums[0] / (double)(sums[0] + sums[1]);
	result = fabs(share - truth) <= all.rows[0].margins[0];
	two_rows_end(&run);
	two_rows_end(&all);
	return result;
}

static double coverage(double bursts, double of_burst, double rest, size_t runs)
{
	uint64_t state = 7, n = 0;

	for (int i = 0; i < EXPERIMENTS; i++)
		n += covers(bursts, of_burst, rest, runs, &state);
	return (double)n / EXPERIMENTS;
}

TEST(intervals_of_runs_have_the_true_share_of_work_in_bursts)
{
	double runs = coverage(20, 10, 400, RUNS), samples = coverage(20, 10, 400, 1);

	assert_true(runs > 0.92 && runs < 0.98);
	assert_true(samples < 0.7); /* as if samples were independent */
}

TEST(intervals_of_independent_samples_have_the_true_share)
{
	static const double rest[] = {20, 80, 400};

	for (size_t i = 0; i < OP_ARRAY_SIZE(rest); i++) {
		double samples = coverage(20, 1, rest[i], 1), runs = coverage(20, 1, rest[i], RUNS);

		assert_true(samples > 0.92 && samples < 0.98);
		assert_true(runs > 0.92 && runs < 0.98);
	}
}

TEST(quantiles_of_student_go_over_to_those_of_the_normal_distribution)
{
	for (size_t freedom = 1; freedom < 200; freedom++)
		assert_true(pp_student(freedom) > pp_student(freedom + 1));
	assert_true(fabs(pp_student(31) - 2.0395) < 0.0003);
	assert_true(fabs(pp_student(100000) - PP_CONFIDENCE_ERRORS) < 0.001);
}
