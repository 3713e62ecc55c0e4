/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers by pairs of numbers, such as counts by file and key.  For commands: out of memory ends
 * the program, as with the functions of memory.h.
 */
#ifndef LIBOP_TABLES_PAIR_TABLE_H
#define LIBOP_TABLES_PAIR_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/hash.h"

struct op_pair {
	uint64_t first, second, value;
};

/* All zero: empty.  The entries are there to be read, in the order they were added. */
struct op_pair_table {
	struct op_pair *items;
	size_t n, capacity;
	struct op_hash by_pair;
};

/* Return: the value of a pair, good until the next op_pair_table_get(), or NULL. */
uint64_t *op_pair_table_find(const struct op_pair_table *table, uint64_t first, uint64_t second);

/* The same; a pair that is not there is added, with the value 0. */
uint64_t *op_pair_table_get(struct op_pair_table *table, uint64_t first, uint64_t second);

/* Removes all pairs and keeps the memory of the entries. */
void op_pair_table_clear(struct op_pair_table *table);

void op_pair_table_free(struct op_pair_table *table);

#endif
