// SPDX-License-Identifier: GPL-2.0-or-later
/* Confidence intervals of shares: see intervals.h. */
#include "intervals.h"

#include <math.h>
#include <stdlib.h>

#include "libop/base/memory.h"
#include "pp/select/weights.h"
#include "student.h"

/* Of Wilson's interval, half the width: it is right for no samples of few, too. */
static double margin_by_samples(double p, double n)
{
	const double z = PP_CONFIDENCE_ERRORS;

	return z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
}

static double margin_of(const struct pp_profile *profile, const struct pp_runs *runs,
			const struct pp_row *row, size_t class)
{
	double part = (double)pp_weight(profile->classes, row->counts, class);
	double whole = (double)pp_weight(profile->classes, profile->totals, class);
	double *numbers = op_alloc(runs->n + 1, sizeof(*numbers));
	struct pp_estimate estimate;

	if (whole == 0) {
		free(numbers);
		return 0;
	}
	if (runs->n)
		pp_runs_add_row(runs, row, class, numbers);
	estimate = pp_runs_estimate(runs, profile, class, PP_PER_SAMPLE, numbers,
				    row->counts[class], part);
	free(numbers);
	return fmin(100,
		    100 * (estimate.evidence == PP_FROM_NOTHING
				   ? margin_by_samples(part / whole, (double)profile->totals[class])
				   : pp_estimate_margin(&estimate)));
}

void pp_intervals_find(struct pp_profile *profile, const struct pp_runs *runs)
{
	size_t n = profile->classes->n;

	for (size_t i = 0; i < profile->n_rows; i++) {
		double *margins = pp_profile_keep(profile, n * sizeof(*margins));

		for (size_t k = 0; k < n; k++)
			margins[k] = margin_of(profile, runs, profile->rows[i], k);
		profile->rows[i]->margins = margins;
	}
}

const char *pp_intervals_legend(const struct pp_runs *runs)
{
	static const char *const legends[] = {
		[PP_FROM_NOTHING] = "+- %: of this run alone, at most (95 %); other runs of the "
				    "program may differ by more, which operf --runs=5 shows",
		[PP_FROM_SLICES] = "+- %: of the program, by how much slices of the run differ "
				   "(95 %)",
		[PP_FROM_RUNS] = "+- %: of the program, by how much runs differ (95 %)",
	};

	return legends[runs->evidence];
}
