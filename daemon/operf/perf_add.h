/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of a command line that are made of a format and a value. */
#ifndef DAEMON_OPERF_PERF_ADD_H
#define DAEMON_OPERF_PERF_ADD_H

#include "libop/base/error.h"
#include "libop/base/strings.h"

/* Adds @format with each "%" replaced by @value to @list.  Return: 0, or -1 with @error set. */
int perf_add(struct op_strings *list, const char *format, const char *value,
	     struct op_error *error);

#endif
