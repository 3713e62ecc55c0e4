/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loose files of a session: which files can be packed, and what is in them. */
#ifndef LIBOP_PACK_LOOSE_H
#define LIBOP_PACK_LOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "libdb/odb/odb.h"
#include "libdb/stacks/stacks.h"

/* What is in a loose file, of either kind. */
struct pack_loose {
	struct odb_header header;  /* of a sample file */
	struct odb_entry *entries; /* sorted by key */
	size_t n;
	struct stacks_content stacks; /* of a stack file */
};

/* Whether a name is a path that leads down only, with no part that is empty. */
bool pack_loose_is_plain(const char *name);
/* Whether a file of this name, below samples/NAME, is one of stacks. */
bool pack_loose_is_stacks(const char *name);
/* Whether it is one of samples or of stacks. */
bool pack_loose_is_name(const char *name);

/**
 * pack_loose_read - read a loose file
 * @loose: filled in; pack_loose_free() frees what it holds
 * @dir: samples/NAME of the session
 *
 * Return: 0, or -1 with @error set: ENOTSUP for sample files that could not be made again as they
 * are, those of another version or machine.
 */
int pack_loose_read(struct pack_loose *loose, const char *dir, const char *name,
		    struct odb_error *error);
/* The same for a file at @path, of stacks or of samples. */
int pack_loose_read_at(struct pack_loose *loose, const char *path, bool is_stacks,
		       struct odb_error *error);
void pack_loose_free(struct pack_loose *loose);

/* Removes the directories of a file that has gone, as far as they are empty. */
void pack_loose_remove_directories(const char *dir, const char *name);

/* Whether the counts of two sample files can be added up. */
bool pack_loose_same_header(const struct odb_header *a, const struct odb_header *b);

#endif
