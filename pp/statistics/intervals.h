/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Confidence intervals of shares: by how much the share of a row may differ from what many runs
 * would show (--intervals).
 *
 * Of several sessions each is a run, and the interval is that of their weighted mean by how much
 * they differ from it, with Student's t: work in bursts, other input and other addresses are in it.
 * Of one session only the number of samples is known, as if these were independent of each other;
 * work in bursts varies more.
 */
#ifndef PP_STATISTICS_INTERVALS_H
#define PP_STATISTICS_INTERVALS_H

#include "libop/base/hash.h"
#include "pp/profile/profile.h"

struct pp_interval_sums;

struct pp_intervals {
	struct pp_profile *profile; /* of all runs */
	size_t n_runs;
	struct pp_interval_sums *rows; /* by row of @profile and class */
	double *wholes;		       /* by class: the sum of squares of the runs' totals */
	struct op_hash by_name;	       /* rows */
};

/* Begins with no runs.  pp_intervals_finish() frees what @intervals holds. */
void pp_intervals_begin(struct pp_intervals *intervals, struct pp_profile *profile);

/* Adds a run; rows of profiles are one if their names and places are equal, classes if their
 * columns are. */
void pp_intervals_add(struct pp_intervals *intervals, const struct pp_profile *run);

/* Sets the margins of all rows of the profile: by runs if there are two at least. */
void pp_intervals_finish(struct pp_intervals *intervals);

/* The number of standard errors to each side that have PP_CONFIDENCE of Student's distribution with
 * @freedom degrees of freedom, 1 or more. */
double pp_student(size_t freedom);

#endif
