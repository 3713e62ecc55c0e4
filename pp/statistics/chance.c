// SPDX-License-Identifier: GPL-2.0-or-later
/* What chance makes of numbers of samples. */
#include "chance.h"

#include <math.h>

/* From here on the normal distribution is as good: its error is below 0.2 % of probability. */
#define MANY 1000

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
	uint64_t first = is_upper ? k : 0, last = is_upper ? n : k;
	double sum = 0;

	for (uint64_t i = first; i <= last; i++)
		sum += binomial(n, i, p);
	return sum;
}

bool pp_may_be_chance(uint64_t old, uint64_t new, double old_time, double new_time)
{
	double p = new_time / (old_time + new_time), n = (double)old + (double)new, error;

	if (n < MANY)
		return binomial_tail(old + new, new, p) > (1 - PP_CONFIDENCE) / 2;
	error = sqrt(n * p * (1 - p));
	return fabs((double)new - n *p) <= PP_CONFIDENCE_ERRORS * error;
}
