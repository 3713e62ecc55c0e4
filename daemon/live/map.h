/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From 64-bit numbers to pointers: a hash table with open addressing, for lookups that come
 * with almost every sample.  Single entries are never removed.
 */
#ifndef DAEMON_MAP_H
#define DAEMON_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	void *value; /* NULL: free */
};

/* All zero is an empty map. */
struct map {
	struct map_slot *slot;
	size_t count;
	unsigned int bits; /* there are 1 << bits slots; none if @slot is NULL */
};

/* The upper bits of the product depend on all bits of the key (Fibonacci hashing, 2^64/phi). */
static inline size_t map_home(const struct map *map, uint64_t key)
{
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - map->bits));
}

/* The value of @key, or NULL. */
static inline void *map_find(const struct map *map, uint64_t key)
{
	size_t mask, at;

	if (!map->slot)
		return NULL;
	mask = ((size_t)1 << map->bits) - 1;
	for (at = map_home(map, key); map->slot[at].value; at = (at + 1) & mask) {
		if (map->slot[at].key == key)
			return map->slot[at].value;
	}
	return NULL;
}

/* Gives @key the value @value, not NULL.  Return: 0, or -1 when out of memory. */
int map_set(struct map *map, uint64_t key, void *value);

/* Removes all and frees the slots; the values are the caller's. */
void map_clear(struct map *map);

/* Joins a number to a hash, for keys of several numbers. */
static inline uint64_t map_mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0xff51afd7ed558ccd); /* of MurmurHash3's finalizer */
	return hash ^ hash >> 32;
}

/* A hash of a string. */
uint64_t map_hash(const char *text);

#endif
