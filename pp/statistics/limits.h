/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of symbols' shares, for tests of programs: opreport
 * --fail-above=NAME=PERCENT[:self|:inclusive].
 *
 * What has a limit is matched as by --include-symbols (pp/profile/symbol_filter.h): all symbols
 * that a limit's pattern matches count together.  A share is that of their own code, or with what
 * they call, in all samples of the first column, also in those that are not listed.
 */
#ifndef PP_STATISTICS_LIMITS_H
#define PP_STATISTICS_LIMITS_H

#include "libop/base/option.h"
#include "pp/profile/profile.h"

#define PP_LIMITS_MOST 64

/* All zero is none. */
struct pp_limits {
	struct op_strings names;
	struct {
		double percent;
		bool is_inclusive;
	} limits[PP_LIMITS_MOST]; /* by name */
	bool any_inclusive;
};

/* struct pp_limits: NAME=PERCENT, with ":self" or ":inclusive" behind it, where the last "="
 * separates them; repeated, one more. */
extern const struct op_option_type pp_option_limit;

/**
 * pp_limits_check - compare the shares of symbols with their limits
 * @profile: made with pp_profile_request.limits of @limits->names; with arcs, if any is inclusive
 *
 * Tells of each symbol above its limit; the last one is left to the caller.
 *
 * Return: 0, or -1 with @error set: there are such symbols.
 */
int pp_limits_check(const struct pp_limits *limits, const struct pp_profile *profile,
		    struct op_error *error);

#endif
