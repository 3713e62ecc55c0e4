// SPDX-License-Identifier: GPL-2.0-or-later
/* Student's distribution: see student.h. */
#include "student.h"

#include <float.h>
#include <math.h>

/* Terms of the fraction that are ever needed; 60 are for a million degrees. */
#define TERMS	  1000
#define PRECISION 1e-9

/*
 * The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), by
 * Lentz's method: from the first term on, as quotients of successive numerators and denominators.
 */
static double beta_fraction(double x, double a, double b)
{
	double above = 1, below = 0, result = 1;

	for (int i = 0; i < TERMS; i++) {
		int m = i / 2;
		double term, change;

		if (!i)
			term = 1;
		else if (i % 2)
			term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		else
			term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		below = 1 + term * below;
		below = 1 / (below == 0 ? DBL_MIN : below);
		above = 1 + term / above;
		above = above == 0 ? DBL_MIN : above;
		change = above * below;
		result *= change;
		if (i && fabs(change - 1) < DBL_EPSILON)
			break;
	}
	return 1 / (result - 1);
}

/* The part of the beta function of @a and @b that is below @x, from 0 to 1; @y is 1 - @x. */
static double beta_part(double x, double y, double a, double b)
{
	double scale = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));

	/* the fraction ends soon on this side only */
	if (x > (a + 1) / (a + b + 2))
		return 1 - scale / b / beta_fraction(y, b, a);
	return scale / a / beta_fraction(x, a, b);
}

double pp_student_beyond(double t, double freedom)
{
	double square = t * t;

	if (square == 0)
		return 1;
	if (isinf(square))
		return 0;
	return beta_part(freedom / (freedom + square), square / (freedom + square), freedom / 2,
			 0.5);
}

static double student_density(double t, double freedom)
{
	double half = freedom / 2;

	return exp(lgamma(half + 0.5) - lgamma(half) - (half + 0.5) * log1p(t * t / freedom)) /
	       sqrt(freedom * M_PI);
}

double pp_student(double freedom)
{
	/* Newton's method does not go beyond the end from below: the tail is convex */
	double t = PP_CONFIDENCE_ERRORS, step;

	do {
		step = (pp_student_beyond(t, freedom) - (1 - PP_CONFIDENCE)) /
		       (2 * student_density(t, freedom));
		t += step;
	} while (step > PRECISION);
	return t;
}
