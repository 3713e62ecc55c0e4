// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers by pairs: see pair_table.h. */
#include "pair_table.h"

#include <stdlib.h>

#include "libop/base/memory.h"

/* Mixed one by one: small numbers have few differences. */
static uint64_t hash_pair(uint64_t first, uint64_t second)
{
	return op_hash_mix(op_hash_mix(0, first), second);
}

uint64_t *op_pair_table_find(const struct op_pair_table *table, uint64_t first, uint64_t second)
{
	uint32_t i;

	op_hash_for_each_possible (&table->by_pair, hash_pair(first, second), i) {
		struct op_pair *pair = &table->items[i];

		if (pair->first == first && pair->second == second)
			return &pair->value;
	}
	return NULL;
}

uint64_t *op_pair_table_get(struct op_pair_table *table, uint64_t first, uint64_t second)
{
	uint64_t *value = op_pair_table_find(table, first, second);

	if (value)
		return value;
	table->items = op_grow(table->items, &table->capacity, table->n + 1, sizeof(*table->items));
	table->items[table->n] = (struct op_pair){first, second, 0};
	op_hash_add_or_exit(&table->by_pair, hash_pair(first, second), (uint32_t)table->n);
	return &table->items[table->n++].value;
}

void op_pair_table_clear(struct op_pair_table *table)
{
	table->n = 0;
	op_hash_clear(&table->by_pair);
}

void op_pair_table_free(struct op_pair_table *table)
{
	free(table->items);
	op_hash_free(&table->by_pair);
	*table = (struct op_pair_table){0};
}
