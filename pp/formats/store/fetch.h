/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wanted of a fleet's store, as a file of its tables (tables.h), added up by the server.
 */
#ifndef PP_FORMATS_STORE_FETCH_H
#define PP_FORMATS_STORE_FETCH_H

#include "libop/base/error.h"
#include "libop/base/strings.h"

/**
 * store_fetch - ask a server for what a URL says
 * @text: the URL, as of url.h
 * @labels: names that samples are to have, beside those of the URL; NULL: none
 *
 * The answers are not looked at here.
 *
 * Return: a descriptor of a file in memory, at its begin, or -1 with @error set: ENODATA, there is
 * no such session; or as store_http_query().
 */
int store_fetch(const char *text, const struct op_strings *labels, struct op_error *error);

#endif
