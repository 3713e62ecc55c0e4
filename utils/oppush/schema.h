/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of the store: files N-NAME.sql, each of which is applied once. */
#ifndef UTILS_OPPUSH_SCHEMA_H
#define UTILS_OPPUSH_SCHEMA_H

#include "libop/base/error.h"
#include "pp/formats/store/http.h"

/**
 * schema_install - make the database, and apply what it has not yet
 * @dir: where the files are
 * @cluster: of servers that have it all; NULL: one server.  What it is called there.
 *
 * Prints the name of each file that is applied.  The server must let the user make databases and
 * tables.
 *
 * Return: 0, or -1 with @error set: files before the one that failed are applied.
 */
int schema_install(const struct store_url *url, const char *dir, const char *cluster,
		   struct op_error *error);

#endif
