/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what something is to its number: a hash table over an array that its owner keeps.
 * Entries are never removed.
 */
#ifndef PP_FORMATS_INDEX_H
#define PP_FORMATS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "libop/base/memory.h"

#define INDEX_NONE UINT32_MAX

/* All zero is an empty one. */
struct index {
	uint32_t *slot; /* number + 1; 0: free */
	size_t n;
	unsigned int bits; /* there are 1 << bits slots */
};

/* Joins a number to a hash (the steps of MurmurHash3's finalizer). */
static inline uint64_t index_mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0xff51afd7ed558ccd);
	return hash ^ hash >> 32;
}

static inline uint64_t index_mix_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3); /* FNV-1a's prime */
	return index_mix(hash, 0);
}

static inline size_t index_home(const struct index *index, uint64_t hash)
{
	return (size_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - index->bits));
}

/*
 * Goes through the entries whose hash may be @hash:
 *
 *	for (at = index_first(index, hash); (id = index_at(index, at)) != INDEX_NONE;
 *	     at = index_next(index, at))
 *		if (array[id] is it)
 *			return id;
 *	index_add(index, hash, n++, rehash, array);
 */
static inline size_t index_first(const struct index *index, uint64_t hash)
{
	return index->slot ? index_home(index, hash) : 0;
}

static inline uint32_t index_at(const struct index *index, size_t at)
{
	return index->slot ? index->slot[at] - 1 : INDEX_NONE;
}

static inline size_t index_next(const struct index *index, size_t at)
{
	return (at + 1) & (((size_t)1 << index->bits) - 1);
}

static inline void index_put(struct index *index, uint64_t hash, uint32_t id)
{
	size_t at = index_home(index, hash);

	while (index->slot[at])
		at = index_next(index, at);
	index->slot[at] = id + 1;
}

/* Adds entry @id; @rehash gives the hash of an entry when the table grows. */
static inline void index_add(struct index *index, uint64_t hash, uint32_t id,
			     uint64_t (*rehash)(const void *context, uint32_t id),
			     const void *context)
{
	size_t slots = index->slot ? (size_t)1 << index->bits : 0;
	uint32_t *old = index->slot;

	if ((index->n + 1) * 4 > slots * 3) {
		index->bits = slots ? index->bits + 1 : 6;
		index->slot = pp_alloc((size_t)1 << index->bits, sizeof(*index->slot));
		for (size_t i = 0; i < slots; i++)
			if (old[i])
				index_put(index, rehash(context, old[i] - 1), old[i] - 1);
		free(old);
	}
	index_put(index, hash, id);
	index->n++;
}

static inline void index_free(struct index *index)
{
	free(index->slot);
	*index = (struct index){0};
}

#endif
