// SPDX-License-Identifier: GPL-2.0-or-later
/* What chance makes of numbers of samples: see chance.h. */
#include "chance.h"

#include <math.h>

#include "libop/base/memory.h"
#include "student.h"

/* ---- independent samples ---- */

/* The probability of @k of @n, each with probability @p. */
static double binomial(uint64_t n, uint64_t k, double p)
{
	double ways = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);

	return exp(ways + (double)k * log(p) + (double)(n - k) * log1p(-p));
}

/* Of so many or more, and of so many or fewer: the smaller probability. */
static double binomial_tail(uint64_t n, uint64_t k, double p)
{
	bool is_upper = (double)k > (double)n * p;
	double one = binomial(n, k, p), odds = p / (1 - p), sum = 0;

	/* each is a part of the one before: those that are left out do not count */
	while (sum + one > sum) {
		sum += one;
		one *= is_upper ? (double)(n - k) / (double)(k + 1) * odds
				: (double)k / (double)(n - k + 1) / odds;
		k += is_upper ? 1 : -1;
	}
	return sum;
}

static bool are_few(const struct pp_estimate *old, const struct pp_estimate *new)
{
	return (double)old->samples + (double)new->samples < PP_SAMPLES_FEW;
}

/* Whether both rates may be the same, if samples are independent of each other: then the new ones
 * are a binomial part of all.  The test is exact for few samples and normal for many. */
static bool may_be_of_independent(const struct pp_estimate *old, const struct pp_estimate *new)
{
	double p = new->units / (old->units + new->units), error;
	double n = (double)old->samples + (double)new->samples;

	if (are_few(old, new))
		return binomial_tail(old->samples + new->samples, new->samples, p) >
		       (1 - PP_CONFIDENCE) / 2;
	error = sqrt(n * p * (1 - p));
	return fabs((double)new->samples - n *p) <= PP_CONFIDENCE_ERRORS * error;
}

/* ---- estimates ---- */

/* What a part has beyond the rate of all. */
static double residual(const struct pp_estimate *estimate, double number, double units)
{
	return number - estimate->value * units;
}

/* Runs are alike but for chance: the variance of a ratio of sums (Cochran, Sampling Techniques,
 * 6.4). */
static void vary_by_runs(struct pp_estimate *estimate, const double *numbers, const double *units,
			 size_t n)
{
	double squares = 0, count = (double)n;

	for (size_t i = 0; i < n; i++)
		squares += pow(residual(estimate, numbers[i], units[i]), 2);
	estimate->variance = squares * count / (count - 1) / pow(estimate->units, 2);
	estimate->freedom = count - 1;
}

/* A program has phases, which are in each run: only what differs from one slice to the next is
 * chance (von Neumann's mean square successive difference, and its degrees of freedom). */
static void vary_by_slices(struct pp_estimate *estimate, const double *numbers, const double *units,
			   size_t n)
{
	double squares = 0, count = (double)n;

	for (size_t i = 1; i < n; i++)
		squares += pow(residual(estimate, numbers[i], units[i]) -
				       residual(estimate, numbers[i - 1], units[i - 1]),
			       2);
	estimate->variance = squares / 2 * count / (count - 1) / pow(estimate->units, 2);
	estimate->freedom = 2 * pow(count - 1, 2) / (3 * count - 4);
}

struct pp_estimate pp_estimate_make(enum pp_evidence evidence, uint64_t samples,
				    const double *numbers, const double *units, size_t n)
{
	struct pp_estimate estimate = {.samples = samples};
	double all = 0;

	for (size_t i = 0; i < n; i++) {
		all += numbers[i];
		estimate.units += units[i];
	}
	estimate.value = all / estimate.units;
	estimate.evidence = n < 2 ? PP_FROM_NOTHING : evidence;
	if (estimate.evidence == PP_FROM_RUNS)
		vary_by_runs(&estimate, numbers, units, n);
	else if (estimate.evidence == PP_FROM_SLICES)
		vary_by_slices(&estimate, numbers, units, n);
	return estimate;
}

double pp_estimate_margin(const struct pp_estimate *estimate)
{
	return pp_student(estimate->freedom) * sqrt(estimate->variance);
}

/* ---- verdicts ---- */

/* The other rate varies as this one does, in its units. */
static void lend_variance(const struct pp_estimate *from, struct pp_estimate *to)
{
	to->variance = from->variance * from->units / to->units;
}

/* Satterthwaite's degrees of freedom of a sum of both variances. */
static double freedom_of_both(const struct pp_estimate *old, const struct pp_estimate *new)
{
	double sum = old->variance + new->variance;

	return pow(sum, 2) /
	       (pow(old->variance, 2) / old->freedom + pow(new->variance, 2) / new->freedom);
}

/* Of two rates that vary by what is known. */
static bool differ_by_more(struct pp_estimate old, struct pp_estimate new)
{
	double difference = new.value - old.value, error, freedom;

	if (old.evidence == PP_FROM_NOTHING)
		lend_variance(&new, &old);
	else if (new.evidence == PP_FROM_NOTHING)
		lend_variance(&old, &new);
	error = sqrt(old.variance + new.variance);
	if (error == 0)
		return difference != 0;
	freedom = old.evidence == PP_FROM_NOTHING   ? new.freedom
		  : new.evidence == PP_FROM_NOTHING ? old.freedom
						    : freedom_of_both(&old, &new);
	return pp_student_beyond(difference / error, freedom) <= 1 - PP_CONFIDENCE;
}

enum pp_verdict pp_chance_judge(const struct pp_estimate *old, const struct pp_estimate *new)
{
	bool is_known = old->evidence != PP_FROM_NOTHING || new->evidence != PP_FROM_NOTHING;

	if ((!is_known || are_few(old, new)) && may_be_of_independent(old, new))
		return PP_MAY_BE_CHANCE;
	if (!is_known)
		return PP_CANNOT_TELL;
	return differ_by_more(*old, *new) ? PP_IS_CHANGE : PP_MAY_BE_CHANCE;
}

char *pp_chance_legend(enum pp_evidence old, enum pp_evidence new)
{
	static const char *const parts[] = {[PP_FROM_SLICES] = "slices", [PP_FROM_RUNS] = "runs"};

	if (old == PP_FROM_NOTHING && new == PP_FROM_NOTHING)
		return op_copy("~: may be chance; ?: cannot tell: nothing says how much runs "
			       "differ; compare several (operf --runs=5)");
	if (old == new)
		return op_format("~: may be chance, by how much %s of each profile differ (95 %%)",
				 parts[old]);
	if (old == PP_FROM_NOTHING || new == PP_FROM_NOTHING)
		return op_format(
			"~: may be chance, by how much %s of the %s profile differ (95 %%)",
			parts[old == PP_FROM_NOTHING ? new : old],
			old == PP_FROM_NOTHING ? "new" : "old");
	return op_format("~: may be chance, by how much %s of the old profile and %s of the new "
			 "one differ (95 %%)",
			 parts[old], parts[new]);
}
