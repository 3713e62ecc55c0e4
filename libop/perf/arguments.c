// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Command lines: see arguments.h.
 */
#include "arguments.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "libop/base/number.h"

static int no_memory(struct op_error *error)
{
	return op_error_set(error, ENOMEM, "out of memory");
}

int arguments_read(poptContext context, arguments_take *take, void *request, struct op_error *error)
{
	int option, result = 0;

	while (!result && (option = poptGetNextOpt(context)) > 0) {
		char *value = poptGetOptArg(context);

		result = take(request, option, value, error);
		free(value);
	}
	if (!result && option < -1)
		result = op_error_set(error, EINVAL, "%s: %s",
				      poptBadOption(context, POPT_BADOPTION_NOALIAS),
				      poptStrerror(option));
	return result;
}

char **arguments_command(poptContext context, int argc, const char **argv)
{
	const char **rest = poptGetArgs(context);
	int count = 0;

	while (rest && rest[count])
		count++;
	return count ? (char **)argv + argc - count : NULL;
}

int arguments_events(const char *text, struct op_strings *events, struct op_error *error)
{
	struct op_strings list = {0};
	int result = op_strings_split(&list, text, ',') ? -1 : 0;

	for (size_t i = 0; !result && i < list.count; i++)
		result = op_strings_add(events, list.item[i]);
	op_strings_free(&list);
	return result ? no_memory(error) : 0;
}

int arguments_pids(const char *text, const char *option, pid_t **pids, size_t *count,
		   struct op_error *error)
{
	struct op_strings list = {0};
	int result = op_strings_split(&list, text, ',') ? no_memory(error) : 0;

	for (size_t i = 0; !result && i < list.count; i++) {
		pid_t *larger = reallocarray(*pids, *count + 1, sizeof(*larger));
		uint64_t pid;

		if (!larger) {
			result = no_memory(error);
			break;
		}
		*pids = larger;
		result = op_number_parse(list.item[i], option, 1, INT_MAX, &pid, error);
		if (!result)
			larger[(*count)++] = (pid_t)pid;
	}
	op_strings_free(&list);
	return result;
}
