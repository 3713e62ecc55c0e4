/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names, each once, with small numbers.
 */
#ifndef LIBOP_TABLES_NAME_INDEX_H
#define LIBOP_TABLES_NAME_INDEX_H

#include <stddef.h>

#include "libop/base/hash.h"

struct op_names {
	const char **names; /* by number */
	size_t n, capacity;
	struct op_hash by_name;
};

/* The number of a name, which is added if it is not there; @name must live as long. */
size_t op_names_index(struct op_names *names, const char *name);
void op_names_free(struct op_names *names); /* not the names themselves */

/* The copy of @name in @names, which is made if it is not there; op_names_free_kept() frees it. */
const char *op_names_keep(struct op_names *names, const char *name);
/* For names that were all added by op_names_keep(). */
void op_names_free_kept(struct op_names *names);

#endif
