// SPDX-License-Identifier: GPL-2.0-or-later
/* What chance makes of numbers of samples. */
#include "tests/unit/test.h"

#include <math.h>

#include "pp/report/chance.h"

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

	for (size_t i = 0; i < sizeof(means) / sizeof(means[0]); i++) {
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
