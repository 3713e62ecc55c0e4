// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From 64-bit numbers to pointers: see map.h.
 */
#include "map.h"

#include <stdlib.h>

#define FIRST_BITS 6

static void place(struct map *map, uint64_t key, void *value)
{
	size_t mask = ((size_t)1 << map->bits) - 1, at = map_home(map, key);

	while (map->slot[at].value && map->slot[at].key != key)
		at = (at + 1) & mask;
	if (!map->slot[at].value)
		map->count++;
	map->slot[at] = (struct map_slot){key, value};
}

static int grow(struct map *map)
{
	struct map larger = {.bits = map->slot ? map->bits + 1 : FIRST_BITS};

	larger.slot = calloc((size_t)1 << larger.bits, sizeof(*larger.slot));
	if (!larger.slot)
		return -1;
	for (size_t i = 0; map->slot && i < (size_t)1 << map->bits; i++) {
		if (map->slot[i].value)
			place(&larger, map->slot[i].key, map->slot[i].value);
	}
	free(map->slot);
	*map = larger;
	return 0;
}

int map_set(struct map *map, uint64_t key, void *value)
{
	/* half full at most */
	if ((!map->slot || map->count >= (size_t)1 << (map->bits - 1)) && grow(map))
		return -1;
	place(map, key, value);
	return 0;
}

void map_clear(struct map *map)
{
	free(map->slot);
	*map = (struct map){0};
}

uint64_t map_hash(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}
