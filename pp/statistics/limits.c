// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits of symbols' shares: see limits.h. */
#include "limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/number.h"
#include "libop/text/cells.h"
#include "pp/select/weights.h"

static int limit_take(const struct op_option *option, void *field, const char *text,
		      struct op_error *error)
{
	struct pp_limits *limits = field;
	const char *equals = strrchr(text, '=');
	double percent;
	char *name;
	int added;

	if (!equals || equals == text)
		return op_option_refuse(option, text, error, "not NAME=PERCENT");
	if (!op_percent_all(equals + 1, &percent))
		return op_option_refuse(option, text, error,
					"'%s' is not a percentage from 0 to 100", equals + 1);
	if (limits->names.count == PP_LIMITS_MOST)
		return op_option_refuse(option, text, error, "more than %d limits", PP_LIMITS_MOST);
	name = strndup(text, (size_t)(equals - text));
	added = name ? op_strings_add(&limits->names, name) : -1;
	free(name);
	if (added)
		return op_error_memory(error);
	limits->percents[limits->names.count - 1] = percent;
	return 0;
}

static void limits_release(void *field)
{
	op_strings_free(&((struct pp_limits *)field)->names);
}

const struct op_option_type pp_option_limit = {.take = limit_take, .release = limits_release};

static double share_of(const struct pp_profile *profile, size_t limit)
{
	const size_t columns = profile->classes->columns;
	uint64_t sum = pp_weight(profile->classes, profile->left_out + limit * columns, 0);

	for (size_t i = 0; i < profile->n_rows; i++)
		if (profile->rows[i]->limits >> limit & 1)
			sum += pp_weight(profile->classes, profile->rows[i]->counts, 0);
	return op_percent(sum, pp_weight(profile->classes, profile->totals, 0));
}

int pp_limits_check(const struct pp_limits *limits, const struct pp_profile *profile,
		    struct op_error *error)
{
	int result = 0;

	for (size_t i = 0; i < limits->names.count; i++) {
		double share = share_of(profile, i);

		if (share <= limits->percents[i])
			continue;
		if (result)
			op_complain("%s", error->text);
		result = op_error_set(error, ERANGE,
				      "%s: a share of %.4f %%, above the limit of %.6g %%",
				      limits->names.item[i], share, limits->percents[i]);
	}
	return result;
}
