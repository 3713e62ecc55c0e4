/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of a stack file that is written: from nodes, or images, to their units.  It is only in
 * memory.  Of equal nodes the first one of the file is found first.
 */
#ifndef LIBDB_STACKS_TABLE_H
#define LIBDB_STACKS_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "layout.h"
#include "libop/base/hash.h"

static inline uint64_t stacks_frame_key(uint32_t parent, uint32_t image, uint64_t offset)
{
	return op_hash_mix((uint64_t)parent << 16 | image, offset);
}

static inline uint64_t stacks_name_key(const char *name, size_t length)
{
	return op_hash_bytes(length, name, length);
}

/* Adds the unit at @at to the table for its kind.  Return: 0, or -1 when out of memory. */
int stacks_table_add(struct op_hash *table, const struct stacks_unit *units, uint32_t at);

#endif
