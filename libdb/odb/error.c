// SPDX-License-Identifier: GPL-2.0-or-later
#include "error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PATH_SHOWN 240

int odb_fail(struct odb_error *error, int code, const char *path, const char *format, ...)
{
	size_t length = strlen(path);
	va_list args;
	int used;

	if (!error)
		return -1;
	error->code = code;
	if (length > PATH_SHOWN)
		used = snprintf(error->text, sizeof(error->text),
				"...%s: ", path + length - PATH_SHOWN);
	else
		used = snprintf(error->text, sizeof(error->text), "%s: ", path);
	va_start(args, format);
	vsnprintf(error->text + used, sizeof(error->text) - used, format, args);
	va_end(args);
	return -1;
}

int odb_fail_errno(struct odb_error *error, const char *path, const char *what)
{
	int code = errno;

	return odb_fail(error, code, path, "%s: %s", what, strerror(code));
}

int odb_fail_problem(struct odb_error *error, const char *path, const struct odb_problem *problem)
{
	return odb_fail(error, EINVAL, path, "byte %" PRIu64 ": %s", problem->offset,
			problem->text);
}

void odb_problem_set(struct odb_problem *problem, uint64_t offset, const char *format, ...)
{
	va_list args;

	if (!problem)
		return;
	problem->offset = offset;
	va_start(args, format);
	vsnprintf(problem->text, sizeof(problem->text), format, args);
	va_end(args);
}
