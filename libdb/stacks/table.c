// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of units: see stacks_table.h. */
#include "table.h"

#include <stdlib.h>

#include "stacks.h"

uint64_t stacks_hash_name(const char *name, size_t length)
{
	uint64_t hash = length;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3); /* FNV-1a's prime */
	return stacks_hash_mix(hash, 0);
}

static uint64_t hash_unit(const struct stacks_unit *unit)
{
	if (unit->parent == STACKS_IS_IMAGE)
		return stacks_hash_name((const char *)(unit + 1), unit->offset_low & 0xffff);
	return stacks_hash_frame(unit->parent, unit->image, stacks_offset(unit));
}

void stacks_table_put_unit(struct stacks_table *table, const struct stacks_unit *units, uint32_t at)
{
	stacks_table_put(table, hash_unit(&units[at]), at);
}

static int compare_units(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int stacks_table_widen(struct stacks_table *table, const struct stacks_unit *units)
{
	size_t slots = table->slot ? (size_t)1 << table->bits : 0, n = 0;
	uint32_t *old = table->slot, *larger;

	if ((size_t)(table->n + 1) * 4 <= slots * 3)
		return 0;
	larger = calloc(slots ? slots * 2 : 64, sizeof(*larger));
	if (!larger)
		return -1;
	table->bits = slots ? table->bits + 1 : 6;
	table->slot = larger;
	table->n = 0;
	/* in the order of the file: of equal nodes the first is to be found first */
	for (size_t i = 0; i < slots; i++)
		if (old[i])
			old[n++] = old[i];
	if (n)
		qsort(old, n, sizeof(*old), compare_units);
	for (size_t i = 0; i < n; i++)
		stacks_table_put_unit(table, units, old[i]);
	free(old);
	return 0;
}

size_t stacks_table_memory(const struct stacks_table *table)
{
	return table->slot ? sizeof(*table->slot) << table->bits : 0;
}
