/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Error texts of the library: file, place, cause. */
#ifndef LIBDB_ODB_ERROR_H
#define LIBDB_ODB_ERROR_H

#include <stdarg.h>

#include "odb.h"

/**
 * odb_fail - fill in an error as "PATH: TEXT"
 * @error: may be NULL
 * @code: an errno value
 *
 * Of a path too long for the text its end is kept, so that the cause always fits.
 *
 * Return: -1.
 */
int odb_fail(struct odb_error *error, int code, const char *path, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* As odb_fail(), with errno as the code and ": strerror(errno)" after TEXT. */
int odb_fail_errno(struct odb_error *error, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for @code, an errno value that a function returned. */
int odb_fail_code(struct odb_error *error, int code, const char *path, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* As odb_fail(), with ENOMEM. */
int odb_fail_memory(struct odb_error *error, const char *path);

/* As odb_fail(), for @problem: EINVAL and "PATH: byte N: TEXT". */
int odb_fail_problem(struct odb_error *error, const char *path, const struct odb_problem *problem);

/* Fills in @problem; @problem may be NULL. */
void odb_problem_set(struct odb_problem *problem, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
