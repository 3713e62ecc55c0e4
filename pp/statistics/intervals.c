// SPDX-License-Identifier: GPL-2.0-or-later
/* Confidence intervals of shares: see intervals.h. */
#include "intervals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "pp/select/weights.h"

/* Of a row in all runs: x is its weight in a run, n that of the whole run. */
struct pp_interval_sums {
	double xx, xn;
};

/* ---- Student's distribution ---- */

/* The 0.975 quantiles for 1 to 30 degrees of freedom, as tables of statistics have them. */
static const double student[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
				 2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
				 2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
				 2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};

double pp_student(size_t freedom)
{
	const size_t known = OP_ARRAY_SIZE(student);
	const double z = PP_CONFIDENCE_ERRORS, n = (double)freedom;

	if (freedom <= known)
		return student[freedom - 1];
	/* Cornish and Fisher's expansion; what is left out is below 0.0002 here */
	return z + (pow(z, 3) + z) / (4 * n) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n);
}

/* ---- rows by name ---- */

static uint64_t row_key_of(const struct pp_row *row)
{
	uint64_t key = op_hash_text(op_hash_text(0, row->app->full), row->image->full);

	key = op_hash_text(op_hash_mix(key, (uint64_t)row->place.line), row->symbol);
	return op_hash_text(key, row->place.file ? row->place.file : "");
}

static bool row_is_same(const struct pp_row *a, const struct pp_row *b)
{
	const char *file_a = a->place.file ? a->place.file : "";
	const char *file_b = b->place.file ? b->place.file : "";

	return !strcmp(a->symbol, b->symbol) && !strcmp(a->image->full, b->image->full) &&
	       !strcmp(a->app->full, b->app->full) && a->place.line == b->place.line &&
	       !strcmp(file_a, file_b);
}

void pp_intervals_begin(struct pp_intervals *intervals, struct pp_profile *profile)
{
	size_t n = profile->classes->n;

	*intervals = (struct pp_intervals){
		.profile = profile,
		.rows = op_alloc(profile->n_rows * n + 1, sizeof(*intervals->rows)),
		.wholes = op_alloc(n, sizeof(*intervals->wholes))};
	for (size_t i = 0; i < profile->n_rows; i++)
		op_hash_add_or_exit(&intervals->by_name, row_key_of(profile->rows[i]), (uint32_t)i);
}

/* The index of a row of a run in the profile; n_rows: it is not there. */
static size_t find_row(const struct pp_intervals *intervals, const struct pp_row *row)
{
	const struct pp_profile *profile = intervals->profile;
	uint32_t i;

	op_hash_for_each_possible (&intervals->by_name, row_key_of(row), i)
		if (row_is_same(profile->rows[i], row))
			return i;
	return profile->n_rows;
}

/* ---- sums ---- */

/* The class of a run with the column of class @i of all runs; n: it has no samples there. */
static size_t class_of_run(const struct pp_classes *classes, size_t i, const struct pp_classes *run)
{
	size_t k = 0;

	while (k < run->n && strcmp(classes->items[i].column, run->items[k].column) != 0)
		k++;
	return k;
}

static void add_class(struct pp_intervals *intervals, const struct pp_profile *run, size_t class,
		      size_t of_run)
{
	const struct pp_profile *profile = intervals->profile;
	double whole = (double)pp_weight(run->classes, run->totals, of_run);

	intervals->wholes[class] += whole * whole;
	for (size_t i = 0; i < run->n_rows; i++) {
		size_t row = find_row(intervals, run->rows[i]);
		double weight = (double)pp_weight(run->classes, run->rows[i]->counts, of_run);
		struct pp_interval_sums *sums;

		if (row == profile->n_rows)
			continue;
		sums = &intervals->rows[row * profile->classes->n + class];
		sums->xx += weight * weight;
		sums->xn += weight * whole;
	}
}

void pp_intervals_add(struct pp_intervals *intervals, const struct pp_profile *run)
{
	const struct pp_classes *classes = intervals->profile->classes;

	intervals->n_runs++;
	for (size_t i = 0; i < classes->n; i++) {
		size_t k = class_of_run(classes, i, run->classes);

		if (k < run->classes->n)
			add_class(intervals, run, i, k);
	}
}

/* ---- margins ---- */

/* Of a ratio of sums over runs: the residuals are x - p n (Cochran, Sampling Techniques, 6.4). */
static double margin_by_runs(const struct pp_intervals *intervals, size_t row, size_t class,
			     double part, double whole)
{
	const struct pp_profile *profile = intervals->profile;
	const struct pp_interval_sums *sums = &intervals->rows[row * profile->classes->n + class];
	double n = (double)intervals->n_runs, p = part / whole, squares;

	squares = sums->xx - 2 * p * sums->xn + p * p * intervals->wholes[class];
	if (squares < 0) /* rounded */
		squares = 0;
	return pp_student(intervals->n_runs - 1) * sqrt(squares * n / (n - 1)) / whole;
}

/* Of Wilson's interval, half the width: it is right for no samples of few, too. */
static double margin_by_samples(double p, double n)
{
	const double z = PP_CONFIDENCE_ERRORS;

	return z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
}

static double margin_of(const struct pp_intervals *intervals, size_t row, size_t class)
{
	const struct pp_profile *profile = intervals->profile;
	double part = (double)pp_weight(profile->classes, profile->rows[row]->counts, class);
	double whole = (double)pp_weight(profile->classes, profile->totals, class);

	if (whole == 0)
		return 0;
	return fmin(100, 100 * (intervals->n_runs > 1
					? margin_by_runs(intervals, row, class, part, whole)
					: margin_by_samples(part / whole,
							    (double)profile->totals[class])));
}

void pp_intervals_finish(struct pp_intervals *intervals)
{
	struct pp_profile *profile = intervals->profile;
	size_t n = profile->classes->n;

	for (size_t i = 0; i < profile->n_rows; i++) {
		double *margins = pp_profile_keep(profile, n * sizeof(*margins));

		for (size_t k = 0; k < n; k++)
			margins[k] = margin_of(intervals, i, k);
		profile->rows[i]->margins = margins;
	}
	free(intervals->rows);
	free(intervals->wholes);
	op_hash_free(&intervals->by_name);
}
