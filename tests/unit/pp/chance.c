// SPDX-License-Identifier: GPL-2.0-or-later
/* What chance makes of numbers of samples. */
#include "tests/unit/test.h"

#include <math.h>

#include "libop/base/array.h"
#include "pp/statistics/chance.h"
#include "pp/statistics/intervals.h"
#include "pp/statistics/student.h"

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

/* Of one run, of which only the number of samples is known. */
static struct pp_estimate one_run(uint64_t samples, double units)
{
	double number = (double)samples;

	return pp_estimate_make(PP_FROM_NOTHING, samples, &number, &units, 1);
}

static enum pp_verdict judge_runs(uint64_t old, uint64_t new, double old_time, double new_time)
{
	struct pp_estimate before = one_run(old, old_time), after = one_run(new, new_time);

	return pp_chance_judge(&before, &after);
}

/* ---- independent samples ---- */

/* The part of pairs that chance does not make, of rates whose quotient is @growth. */
static double beyond_chance(double mean, double growth, double old_time, double new_time)
{
	uint64_t state = 42, n = 0;

	for (int i = 0; i < PAIRS; i++) {
		uint64_t old = draw_samples(mean * old_time, &state);
		uint64_t new = draw_samples(mean * growth * new_time, &state);
		enum pp_verdict verdict = judge_runs(old, new, old_time, new_time);

		assert_int_not_equal(verdict, PP_IS_CHANGE); /* of one run each, none is certain */
		n += verdict == PP_CANNOT_TELL;
	}
	return (double)n / PAIRS;
}

TEST(of_one_run_each_no_row_is_called_a_change_and_few_cannot_be_told)
{
	static const double means[] = {1, 4, 20, 100, 490, 600};

	for (size_t i = 0; i < OP_ARRAY_SIZE(means); i++) {
		double part = beyond_chance(means[i], 1, 1, 1);

		assert_true(part < 0.06);
		if (means[i] >= 100)
			assert_true(part > 0.035);
	}
}

TEST(times_of_different_length_are_taken_into_account)
{
	double part = beyond_chance(50, 1, 1, 10);

	assert_true(part > 0.03 && part < 0.06);
	assert_true(beyond_chance(50, 2, 1, 10) > 0.99);
}

TEST(what_has_doubled_is_more_than_chance_makes)
{
	assert_true(beyond_chance(100, 2, 1, 1) > 0.99);
	assert_true(beyond_chance(600, 1.5, 1, 1) > 0.99);
}

TEST(few_samples_are_judged_exactly)
{
	assert_int_equal(judge_runs(0, 0, 1, 1), PP_MAY_BE_CHANCE);
	assert_int_equal(judge_runs(0, 5, 1, 1), PP_MAY_BE_CHANCE); /* 1 of 32 */
	assert_int_equal(judge_runs(0, 6, 1, 1), PP_CANNOT_TELL);   /* 1 of 64 */
	assert_int_equal(judge_runs(659, 633, 1, 1), PP_MAY_BE_CHANCE);
	assert_int_equal(judge_runs(0, UINT64_MAX / 2, 1, 1), PP_CANNOT_TELL);
}

TEST(runs_that_are_alike_by_chance_show_no_change_of_few_samples)
{
	static const double zeros[5], ones[] = {1, 1, 1, 1, 1}, twos[] = {2, 2, 2, 2, 2};
	struct pp_estimate none = pp_estimate_make(PP_FROM_RUNS, 0, zeros, ones, 5);
	struct pp_estimate five = pp_estimate_make(PP_FROM_RUNS, 5, ones, ones, 5);
	struct pp_estimate ten = pp_estimate_make(PP_FROM_RUNS, 10, twos, ones, 5);

	assert_int_equal(pp_chance_judge(&none, &none), PP_MAY_BE_CHANCE);
	assert_int_equal(pp_chance_judge(&none, &five), PP_MAY_BE_CHANCE);
	assert_int_equal(pp_chance_judge(&none, &ten), PP_IS_CHANGE);
}

/* ---- work in bursts ---- */

enum { FUNCTIONS = 15, RUN_MS = 2000, MOST_PARTS = 64, COMPARISONS = 300 };

/* A program that calls one of its functions after the other by chance, and a profiler that takes a
 * sample of it each ms. */
struct program {
	double burst_ms;
	double first_ms; /* of the first function */
};

/* The samples of each function in a run, by slice of the time. */
struct slices {
	double numbers[FUNCTIONS][MOST_PARTS];
	uint64_t samples[FUNCTIONS];
};

static void run_program(const struct program *program, size_t n, struct slices *slices,
			uint64_t *state)
{
	double end = 0, first = draw(state);
	int function = 0;

	memset(slices, 0, sizeof(*slices));
	for (int ms = 0; ms < RUN_MS; ms++) {
		double time = first + ms;

		while (end <= time) {
			function = (int)(draw(state) * FUNCTIONS);
			end += function ? program->burst_ms : program->first_ms;
		}
		slices->numbers[function][(size_t)ms * n / RUN_MS]++;
		slices->samples[function]++;
	}
}

/* A profile of @n runs, or of one run in @n slices. */
static void profile_program(const struct program *program, enum pp_evidence evidence, size_t n,
			    struct pp_estimate estimates[FUNCTIONS], uint64_t *state)
{
	static struct slices slices, all;
	double units[MOST_PARTS];

	run_program(program, evidence == PP_FROM_SLICES ? n : 1, &all, state);
	for (size_t i = 1; evidence == PP_FROM_RUNS && i < n; i++) {
		run_program(program, 1, &slices, state);
		for (size_t k = 0; k < FUNCTIONS; k++) {
			all.numbers[k][i] = slices.numbers[k][0];
			all.samples[k] += slices.samples[k];
		}
	}
	for (size_t i = 0; i < n; i++)
		units[i] = evidence == PP_FROM_SLICES ? 1.0 / (double)n : 1;
	for (size_t k = 0; k < FUNCTIONS; k++)
		estimates[k] = pp_estimate_make(evidence, all.samples[k], all.numbers[k], units, n);
}

/* The shares of verdicts on functions. */
struct verdicts {
	double changes, unknown;
	double first_changes; /* of the first function alone */
};

static struct verdicts compare_programs(const struct program *old, const struct program *new,
					enum pp_evidence evidence, size_t n)
{
	struct pp_estimate before[FUNCTIONS], after[FUNCTIONS];
	struct verdicts verdicts = {0};
	uint64_t state = 11;

	for (int i = 0; i < COMPARISONS; i++) {
		profile_program(old, evidence, n, before, &state);
		profile_program(new, evidence, n, after, &state);
		for (size_t k = 0; k < FUNCTIONS; k++) {
			enum pp_verdict verdict = pp_chance_judge(&before[k], &after[k]);

			verdicts.changes += verdict == PP_IS_CHANGE;
			verdicts.unknown += verdict == PP_CANNOT_TELL;
			verdicts.first_changes += !k && verdict == PP_IS_CHANGE;
		}
	}
	verdicts.changes /= COMPARISONS * FUNCTIONS;
	verdicts.unknown /= COMPARISONS * FUNCTIONS;
	verdicts.first_changes /= COMPARISONS;
	return verdicts;
}

static const struct program in_bursts = {25, 25}, in_calls = {1, 1};
static const struct program slower_bursts = {25, 100}, slower_calls = {1, 1.5};

TEST(of_one_run_of_work_in_bursts_nothing_is_called_a_change)
{
	struct verdicts verdicts = compare_programs(&in_bursts, &in_bursts, PP_FROM_NOTHING, 1);

	assert_true(verdicts.changes == 0);
	assert_true(verdicts.unknown > 0.5); /* as if samples were independent: changes */
}

TEST(runs_of_work_in_bursts_that_has_not_changed_are_called_a_change_one_time_in_twenty)
{
	static const size_t runs[] = {2, 3, 5, 10};

	for (size_t i = 0; i < OP_ARRAY_SIZE(runs); i++) {
		struct verdicts of_bursts =
			compare_programs(&in_bursts, &in_bursts, PP_FROM_RUNS, runs[i]);
		struct verdicts of_calls =
			compare_programs(&in_calls, &in_calls, PP_FROM_RUNS, runs[i]);

		assert_true(of_bursts.changes < 0.06 && of_calls.changes < 0.06);
		assert_true(of_bursts.unknown == 0);
		if (runs[i] >= 5)
			assert_true(of_bursts.changes > 0.03);
	}
}

TEST(slices_of_work_in_bursts_that_has_not_changed_are_called_a_change_one_time_in_twenty)
{
	static const size_t slices[] = {16, 20, 24};

	for (size_t i = 0; i < OP_ARRAY_SIZE(slices); i++) {
		struct verdicts of_bursts =
			compare_programs(&in_bursts, &in_bursts, PP_FROM_SLICES, slices[i]);
		struct verdicts of_calls =
			compare_programs(&in_calls, &in_calls, PP_FROM_SLICES, slices[i]);

		assert_true(of_bursts.changes > 0.02 && of_bursts.changes < 0.07);
		assert_true(of_calls.changes > 0.01 && of_calls.changes < 0.06);
	}
}

TEST(what_has_changed_is_called_a_change_by_runs_and_by_slices)
{
	static const struct {
		const struct program *old, *new;
		enum pp_evidence evidence;
		size_t n;
		double least;
	} cases[] = {
		{&in_bursts, &slower_bursts, PP_FROM_RUNS, 5, 0.8},
		{&in_calls, &slower_calls, PP_FROM_RUNS, 3, 0.85},
		{&in_calls, &slower_calls, PP_FROM_RUNS, 5, 0.98},
		{&in_bursts, &slower_bursts, PP_FROM_SLICES, 20, 0.4},
		{&in_calls, &slower_calls, PP_FROM_SLICES, 20, 0.75},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++)
		assert_true(
			compare_programs(cases[i].old, cases[i].new, cases[i].evidence, cases[i].n)
				.first_changes > cases[i].least);
}

/* A function that works in the first part of each run. */
TEST(phases_of_a_program_are_not_taken_for_chance)
{
	double numbers[20] = {0}, more[20] = {0}, units[20];
	struct pp_estimate old, new;

	for (int i = 0; i < 20; i++) {
		units[i] = 1.0 / 20;
		if (i < 8) {
			numbers[i] = 100 + i % 3;
			more[i] = 150 + i % 3;
		}
	}
	old = pp_estimate_make(PP_FROM_SLICES, 807, numbers, units, 20);
	new = pp_estimate_make(PP_FROM_SLICES, 1207, more, units, 20);
	assert_int_equal(pp_chance_judge(&old, &new), PP_IS_CHANGE);
	old = pp_estimate_make(PP_FROM_SLICES, 807, numbers, units, 20);
	assert_int_equal(pp_chance_judge(&old, &old), PP_MAY_BE_CHANCE);
}

TEST(one_run_beside_several_varies_as_these_do)
{
	static const double numbers[] = {100, 140, 60, 120, 80}, units[] = {1, 1, 1, 1, 1};
	struct pp_estimate several = pp_estimate_make(PP_FROM_RUNS, 500, numbers, units, 5);
	struct pp_estimate like = one_run(150, 1), unlike = one_run(300, 1);

	assert_int_equal(pp_chance_judge(&several, &like), PP_MAY_BE_CHANCE);
	assert_int_equal(pp_chance_judge(&like, &several), PP_MAY_BE_CHANCE);
	assert_int_equal(pp_chance_judge(&several, &unlike), PP_IS_CHANGE);
	assert_int_equal(pp_chance_judge(&unlike, &several), PP_IS_CHANGE);
}

/* ---- intervals of shares ---- */

enum { RUNS = 6, EXPERIMENTS = 2000 };

/* The margin of @part of @whole samples of one run, in percent. */
static double margin_of_samples(uint64_t part, uint64_t whole)
{
	static struct pp_class class = {.event = "clock", .column = (char *)"clock"};
	static const struct pp_classes classes = {.items = &class, .n = 1, .columns = 2};
	const struct pp_runs none = {0};
	uint64_t counts[] = {part, 0}, totals[] = {whole, 0};
	struct pp_row row = {.symbol = "bursts", .counts = counts}, *rows[] = {&row};
	struct pp_profile profile;
	double margin;

	pp_profile_init(&profile, &classes);
	memcpy(profile.totals, totals, sizeof(totals));
	profile.rows = rows;
	profile.n_rows = 1;
	pp_intervals_find(&profile, &none);
	margin = row.margins[0];
	profile.rows = NULL;
	profile.n_rows = 0;
	pp_profile_free(&profile);
	return margin;
}

/* Whether an interval from @runs has the true share. */
static bool covers(double bursts, double of_burst, double rest, size_t runs, uint64_t *state)
{
	double truth = bursts * of_burst / (bursts * of_burst + rest), margin;
	double parts[RUNS], wholes[RUNS];
	uint64_t part = 0, whole = 0;
	struct pp_estimate estimate;

	for (size_t i = 0; i < runs; i++) {
		uint64_t n = of_burst > 1 ? draw_samples(bursts, state) : 1;
		uint64_t of_bursts =
			draw_samples(of_burst > 1 ? (double)n * of_burst : bursts, state);
		uint64_t all = of_bursts + draw_samples(rest, state);

		parts[i] = (double)of_bursts;
		wholes[i] = (double)all;
		part += of_bursts;
		whole += all;
	}
	estimate = pp_estimate_make(PP_FROM_RUNS, part, parts, wholes, runs);
	margin = runs > 1 ? pp_estimate_margin(&estimate) : margin_of_samples(part, whole) / 100;
	return fabs((double)part / (double)whole - truth) <= margin;
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
	assert_true(samples < 0.7); /* as if samples were independent: the legend says so */
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

/* ---- Student's distribution ---- */

TEST(quantiles_of_student_are_those_of_tables)
{
	static const struct {
		double freedom, quantile;
	} table[] = {{1, 12.7062}, {2, 4.3027},	 {3, 3.1824},  {5, 2.5706},
		     {10, 2.2281}, {30, 2.0423}, {100, 1.9840}};

	for (size_t i = 0; i < OP_ARRAY_SIZE(table); i++)
		assert_true(fabs(pp_student(table[i].freedom) - table[i].quantile) < 0.0001);
	for (int halves = 2; halves < 400; halves++)
		assert_true(pp_student(halves / 2.0) > pp_student((halves + 1) / 2.0));
	assert_true(fabs(pp_student(1e6) - PP_CONFIDENCE_ERRORS) < 0.0001);
}

TEST(probabilities_of_student_are_right_at_both_ends)
{
	assert_true(pp_student_beyond(0, 3) == 1);
	assert_true(pp_student_beyond(INFINITY, 3) == 0);
	assert_true(fabs(pp_student_beyond(1, 1) - 0.5) < 1e-9); /* Cauchy's */
	assert_true(fabs(pp_student_beyond(-1, 1) - 0.5) < 1e-9);
	assert_true(pp_student_beyond(1e150, 5) < 1e-100);
}
