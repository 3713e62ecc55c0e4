/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Confidence intervals of shares (--intervals): by how much the share of a row may differ from what
 * many runs would show.
 *
 * Where runs or slices of a run show how much shares differ, the interval is that of the program:
 * work in bursts, other input and other addresses are in it.  Of the number of samples alone, it is
 * that of the one run, and no wider than what independent samples would have.
 */
#ifndef PP_STATISTICS_INTERVALS_H
#define PP_STATISTICS_INTERVALS_H

#include "pp/profile/profile.h"
#include "runs.h"

/* Sets the margins of all rows of a profile; @runs: of it. */
void pp_intervals_find(struct pp_profile *profile, const struct pp_runs *runs);

/* What the intervals are of: a line without its end. */
const char *pp_intervals_legend(const struct pp_runs *runs);

#endif
