/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each run has of the rows of a profile: of several sessions each is a run, or a slice of one
 * that the daemon has closed by the clock.
 */
#ifndef PP_STATISTICS_RUNS_H
#define PP_STATISTICS_RUNS_H

#include "chance.h"
#include "libop/base/hash.h"
#include "pp/profile/profile.h"

/* What a number is divided by. */
enum pp_unit { PP_PER_RUN, PP_PER_SECOND, PP_PER_SAMPLE };

/* All zero: of one run. */
struct pp_runs {
	size_t n; /* 0: nothing shows how much runs differ */
	enum pp_evidence evidence;
	struct pp_classes classes; /* those of the profile, of the first run; of the second; ... */
	struct pp_profile profile; /* with these */
	size_t n_classes;	   /* of one run */
	double *seconds;	   /* by run; 0: not known */
	struct op_hash by_name;	   /* rows, or parts if it has no rows */
};

/*
 * What the sessions of a profile are.  Those that a daemon closed by the clock are slices of one
 * run, in the order of their names, which is that of time; so are those beside them, which it works
 * on or which were saved.  The sessions that were made of one profile of another format are one
 * run.
 */
enum pp_evidence pp_sessions_evidence(char *const *samples_dirs, size_t n);

/**
 * pp_runs_find - read the samples of a profile again, by run
 * @runs: filled in; pp_runs_free() frees what it holds
 * @list: of the profile; must live as long as @runs
 * @classes: likewise
 * @request: of the profile; arcs and details are left out
 */
void pp_runs_find(struct pp_runs *runs, struct pp_sample_list *list,
		  const struct pp_classes *classes, const struct pp_profile_request *request);
void pp_runs_free(struct pp_runs *runs);

/* The number of runs that have samples; at least 1, which slices are together. */
size_t pp_runs_count(const struct pp_runs *runs);

/* Adds the weight of a row of the profile, or of its samples of an image, in each run to @numbers,
 * of @runs->n. */
void pp_runs_add_row(const struct pp_runs *runs, const struct pp_row *row, size_t class,
		     double *numbers);
void pp_runs_add_part(const struct pp_runs *runs, const struct pp_part *part, size_t class,
		      double *numbers);

/**
 * pp_runs_estimate - estimate a rate from what each run has
 * @profile: what @runs are of
 * @numbers: of @runs->n; NULL: nothing in any of them
 * @samples, @weight: of all runs together
 *
 * A run that has no sample of the class at all says nothing of how runs differ; a slice does.
 */
struct pp_estimate pp_runs_estimate(const struct pp_runs *runs, const struct pp_profile *profile,
				    size_t class, enum pp_unit unit, const double *numbers,
				    uint64_t samples, double weight);

#endif
