/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wanted of a fleet's store, as a file of its tables (tables.h), added up by the server.
 */
#ifndef PP_FORMATS_STORE_FETCH_H
#define PP_FORMATS_STORE_FETCH_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"

/* What of a store is of interest, beside what a URL says. */
struct store_wanted {
	const struct op_strings *labels; /* names that samples are to have */
	/* Samples of a program are added up, whatever their stacks, where the program is known. */
	bool programs_only;
};

/**
 * store_fetch - ask a server for what a URL says
 * @text: the URL, as of url.h
 * @wanted: NULL: nothing more
 *
 * The answers are not looked at here.
 *
 * Return: a descriptor of a file in memory, at its begin, or -1 with @error set: ENODATA, there is
 * no such session; or as store_http_query().
 */
int store_fetch(const char *text, const struct store_wanted *wanted, struct op_error *error);

#endif
