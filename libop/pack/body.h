/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The content of a sample file or a stack file as bytes of a pack: columns of small numbers. */
#ifndef LIBOP_PACK_BODY_H
#define LIBOP_PACK_BODY_H

#include "libop/base/buffer.h"
#include "libop/base/reader.h"
#include "libdb/odb/odb.h"
#include "libdb/stacks/stacks.h"

/* Entries sorted by key, each key once: keys as differences, then counts. */
void pack_body_put_samples(struct op_buffer *body, const struct odb_entry *entries, size_t n);

/**
 * pack_body_get_samples - the reverse
 * @body: all of it, for @n entries
 * @entries: set to an array that the caller frees; NULL if there are none
 *
 * Return: NULL, or what is wrong.
 */
const char *pack_body_get_samples(struct op_reader body, size_t n, struct odb_entry **entries);

/**
 * pack_body_put_stacks - images, distinct frames, then the tree, callers before their callees
 * @contents: of one stack file or of several, which become one
 * @n_nodes: set to the nodes that it has, with the root
 *
 * Return: 0, or -1 when out of memory, or when all of them have more images than one file may.
 */
int pack_body_put_stacks(struct op_buffer *body, const struct stacks_content *contents,
			 size_t n_contents, size_t *n_nodes);

/**
 * pack_body_get_stacks - the reverse
 * @content: filled in but for merged; stacks_content_free() frees what it holds
 *
 * Return: NULL, or what is wrong; then @content holds nothing.
 */
const char *pack_body_get_stacks(struct op_reader body, size_t n_nodes,
				 struct stacks_content *content);

#endif
