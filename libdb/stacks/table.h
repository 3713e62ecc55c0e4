/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of a stack file that is written: from nodes, or images, to their units.  It is only in
 * memory.  Open addressing, at most three quarters full.
 */
#ifndef LIBDB_STACKS_TABLE_H
#define LIBDB_STACKS_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "layout.h"

/* All zero: empty. */
struct stacks_table {
	uint32_t *slot; /* number of a unit; 0 is free: the root is in no table */
	uint32_t n;
	unsigned int bits;
};

static inline uint64_t stacks_hash_mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0xff51afd7ed558ccd); /* of MurmurHash3's finalizer */
	return hash ^ hash >> 32;
}

static inline uint64_t stacks_hash_frame(uint32_t parent, uint32_t image, uint64_t offset)
{
	return stacks_hash_mix((uint64_t)parent << 16 | image, offset);
}

uint64_t stacks_hash_name(const char *name, size_t length);

/* Where to look first, and then; a table that has slots. */
static inline size_t stacks_table_home(const struct stacks_table *table, uint64_t hash)
{
	return (size_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - table->bits));
}

static inline size_t stacks_table_next(const struct stacks_table *table, size_t at)
{
	return (at + 1) & (((size_t)1 << table->bits) - 1);
}

/* Puts a unit in, for which there is room. */
static inline void stacks_table_put(struct stacks_table *table, uint64_t hash, uint32_t unit)
{
	size_t at = stacks_table_home(table, hash);

	while (table->slot[at])
		at = stacks_table_next(table, at);
	table->slot[at] = unit;
	table->n++;
}

/* Makes room for one more of these units.  Return: 0, or -1 when out of memory. */
int stacks_table_widen(struct stacks_table *table, const struct stacks_unit *units);

/* Puts a unit in, for which there is room. */
void stacks_table_put_unit(struct stacks_table *table, const struct stacks_unit *units,
			   uint32_t at);

/* Bytes that it takes. */
size_t stacks_table_memory(const struct stacks_table *table);

#endif
