/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several packs as one. */
#ifndef LIBOP_PACK_MERGE_H
#define LIBOP_PACK_MERGE_H

#include <stdatomic.h>

#include "pack.h"

/**
 * pack_merge_to_file - write what several packs have to a new one
 * @path: must not exist; what is left of it on error is for the caller to remove
 *
 * Counts of files that have one name are added up.  When @stop, which may be NULL, is set, the rest
 * is left out: that is the error ECANCELED.
 *
 * Return: 0, or -1 with @error set.
 */
int pack_merge_to_file(const char *path, struct op_pack *const *packs, size_t n,
		       const atomic_bool *stop, struct op_error *error);

/* The same in memory, open to read.  @path: what op_pack_path() says of it. */
int pack_merge_to_memory(struct op_pack **out, const char *path, struct op_pack *const *packs,
			 size_t n, struct op_error *error);

#endif
