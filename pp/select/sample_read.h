/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads files of a list, loose or packed. */
#ifndef PP_SELECT_SAMPLE_READ_H
#define PP_SELECT_SAMPLE_READ_H

#include "libdb/stacks/stacks.h"
#include "sample_list.h"

/* Reads its header.  Return: 0, or -1 with @error set. */
int pp_sample_header(const struct pp_sample_file *file, struct odb_header *header,
		     struct op_error *error);

/**
 * pp_sample_read - read its header and its entries, sorted by key, each key once
 * @entries: set to @n entries that the caller frees; NULL if there are none
 *
 * Return: 0, or -1 with @error set.
 */
int pp_sample_read(const struct pp_sample_file *file, struct odb_header *header,
		   struct odb_entry **entries, size_t *n, struct op_error *error);

/* Reads a stack file; stacks_content_free() frees what @content holds.  Return: as above. */
int pp_stacks_read(const struct pp_sample_file *file, struct stacks_content *content,
		   struct op_error *error);

#endif
