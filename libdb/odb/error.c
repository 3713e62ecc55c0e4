// SPDX-License-Identifier: GPL-2.0-or-later
#include "error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PATH_SHOWN 240

/* "PATH: FORMAT", and ": REASON" unless @reason is NULL. */
static int error_fail(struct odb_error *error, int code, const char *path, const char *reason,
		      const char *format, va_list args)
{
	size_t length = strlen(path), used;
	const char *start = length > PATH_SHOWN ? path + length - PATH_SHOWN : path;

	if (!error)
		return -1;
	error->code = code;
	snprintf(error->text, sizeof(error->text), "%s%s: ", start == path ? "" : "...", start);
	used = strlen(error->text);
	vsnprintf(error->text + used, sizeof(error->text) - used, format, args);
	used = strlen(error->text);
	if (reason)
		snprintf(error->text + used, sizeof(error->text) - used, ": %s", reason);
	return -1;
}

int odb_fail(struct odb_error *error, int code, const char *path, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_fail(error, code, path, NULL, format, args);
	va_end(args);
	return -1;
}

int odb_fail_errno(struct odb_error *error, const char *path, const char *format, ...)
{
	int code = errno;
	va_list args;

	va_start(args, format);
	error_fail(error, code, path, strerror(code), format, args);
	va_end(args);
	return -1;
}

int odb_fail_code(struct odb_error *error, int code, const char *path, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_fail(error, code, path, strerror(code), format, args);
	va_end(args);
	return -1;
}

int odb_fail_memory(struct odb_error *error, const char *path)
{
	return odb_fail(error, ENOMEM, path, "out of memory");
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
	problem->harmless = false;
	va_start(args, format);
	vsnprintf(problem->text, sizeof(problem->text), format, args);
	va_end(args);
}
