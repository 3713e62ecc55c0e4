// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits of symbols' shares: see limits.h. */
#include "limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/number.h"
#include "libop/base/similar.h"
#include "libop/text/cells.h"
#include "pp/select/weights.h"

enum { OF_SELF, OF_INCLUSIVE, OF_NEITHER };
static const char *const shares[] = {[OF_SELF] = "self", [OF_INCLUSIVE] = "inclusive", NULL};

/* The share that a word behind a percentage is of. */
static int share_named(const char *word)
{
	int share = OF_SELF;

	while (share != OF_NEITHER && strcmp(word, shares[share]) != 0)
		share++;
	return share;
}

static int limit_take(const struct op_option *option, void *field, const char *text,
		      struct op_error *error)
{
	struct pp_limits *limits = field;
	const char *equals = strrchr(text, '=');
	const char *colon = equals ? strchr(equals, ':') : NULL;
	int share = colon ? share_named(colon + 1) : OF_SELF;
	char *name, *number;
	bool is_percent;
	double percent;
	int added;

	if (!equals || equals == text)
		return op_option_refuse(option, text, error, "not NAME=PERCENT");
	if (share == OF_NEITHER) {
		struct op_similar similar = op_similar_of(colon + 1, shares);

		return op_option_refuse(option, text, error,
					"'%s' is neither self nor inclusive" OP_SIMILAR_FORMAT,
					colon + 1, OP_SIMILAR_ARGUMENTS(similar, ""));
	}
	number = strndup(equals + 1, colon ? (size_t)(colon - equals - 1) : strlen(equals + 1));
	if (!number)
		return op_error_memory(error);
	is_percent = op_percent_all(number, &percent);
	if (!is_percent)
		op_option_refuse(option, text, error, "'%s' is not a percentage from 0 to 100",
				 number);
	free(number);
	if (!is_percent)
		return -1;
	if (limits->names.count == PP_LIMITS_MOST)
		return op_option_refuse(option, text, error, "more than %d limits", PP_LIMITS_MOST);
	name = strndup(text, (size_t)(equals - text));
	added = name ? op_strings_add(&limits->names, name) : -1;
	free(name);
	if (added)
		return op_error_memory(error);
	limits->limits[limits->names.count - 1].percent = percent;
	limits->limits[limits->names.count - 1].is_inclusive = share == OF_INCLUSIVE;
	limits->any_inclusive |= share == OF_INCLUSIVE;
	return 0;
}

static void limits_release(void *field)
{
	op_strings_free(&((struct pp_limits *)field)->names);
}

const struct op_option_type pp_option_limit = {.take = limit_take, .release = limits_release};

static double share_of(const struct pp_profile *profile, size_t limit, bool is_inclusive)
{
	const uint64_t *counts = is_inclusive ? profile->limited_inclusive : profile->limited;

	counts += limit * profile->classes->columns;
	return op_percent(pp_weight(profile->classes, counts, 0),
			  pp_weight(profile->classes, profile->totals, 0));
}

int pp_limits_check(const struct pp_limits *limits, const struct pp_profile *profile,
		    struct op_error *error)
{
	int result = 0;

	if (limits->any_inclusive && !profile->has_stacks && !profile->has_calls)
		op_warn("--fail-above: there are no whole call chains, so inclusive shares are too "
			"small");
	for (size_t i = 0; i < limits->names.count; i++) {
		bool is_inclusive = limits->limits[i].is_inclusive;
		double share = share_of(profile, i, is_inclusive);

		if (share <= limits->limits[i].percent)
			continue;
		if (result)
			op_complain("%s", error->text);
		result = op_error_set(error, ERANGE,
				      "%s: %s share of %.4f %%, above the limit of %.6g %%",
				      limits->names.item[i], is_inclusive ? "an inclusive" : "a",
				      share, limits->limits[i].percent);
	}
	return result;
}
