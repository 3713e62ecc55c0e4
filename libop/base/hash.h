/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hash tables.
 *
 * struct op_hash finds 32-bit numbers by 64-bit keys: the numbers are indices of an array that the
 * owner of the table keeps, and a key is what the owner makes of an element with op_hash_mix() and
 * op_hash_text().  The table compares 32 bits of the keys; the owner compares the elements:
 *
 *	op_hash_for_each_possible(&table, key, i)
 *		if (is_same(&array[i], wanted))
 *			return i;
 *	array[n] = *wanted;
 *	return op_hash_add(&table, key, n) ? ... : n++;
 *
 * struct op_hash_map keeps the array, too: it finds pointers by keys that identify them.
 *
 * Open addressing with linear probing, at most three quarters full.  Each slot keeps 32 bits of
 * the mixed key, so that a lookup touches few elements besides those it looks for, and growing
 * touches none.
 */
#ifndef LIBOP_BASE_HASH_H
#define LIBOP_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OP_HASH_NONE UINT32_MAX

/* ---- keys ---- */

/*
 * Adds a number to a key, for elements that several fields identify.  The number is multiplied
 * first, so that pairs of equal numbers, such as a program that is its own image, have keys of
 * their own.
 */
static inline uint64_t op_hash_mix(uint64_t key, uint64_t number)
{
	key ^= number * UINT64_C(0xc4ceb9fe1a85ec53);
	key *= UINT64_C(0xff51afd7ed558ccd); /* both of MurmurHash3's finalizer */
	return key ^ key >> 32;
}

/* Joins @length bytes to a key. */
static inline uint64_t op_hash_bytes(uint64_t key, const void *bytes, size_t length)
{
	for (const uint8_t *at = (const uint8_t *)bytes; length--; at++)
		key = (key ^ *at) * UINT64_C(0x100000001b3); /* FNV-1a's prime */
	return op_hash_mix(key, 0);
}

/* Joins a string to a key. */
static inline uint64_t op_hash_text(uint64_t key, const char *text)
{
	for (; *text; text++)
		key = (key ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return op_hash_mix(key, 0);
}

/* ---- numbers by keys ---- */

struct op_hash_slot {
	uint32_t tag;	 /* upper half of the mixed key; its upper bits are where a search begins */
	uint32_t number; /* + 1; 0: free */
};

/* All zero: empty. */
struct op_hash {
	struct op_hash_slot *slots;
	uint32_t n;
	unsigned int bits; /* there are 1 << bits slots; none if @slots is NULL */
};

struct op_hash_walk {
	const struct op_hash *hash;
	size_t at;
	uint32_t tag;
};

/* All bits of the key count for the upper half of the product (Fibonacci hashing, 2^64/phi). */
static inline uint32_t op_hash_tag(uint64_t key)
{
	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static inline struct op_hash_walk op_hash_walk(const struct op_hash *hash, uint64_t key)
{
	uint32_t tag = op_hash_tag(key);

	return (struct op_hash_walk){hash, hash->slots ? tag >> (32 - hash->bits) : 0, tag};
}

static inline uint32_t op_hash_next(struct op_hash_walk *walk)
{
	const struct op_hash *hash = walk->hash;
	size_t mask = ((size_t)1 << hash->bits) - 1;

	if (!hash->slots)
		return OP_HASH_NONE;
	for (;;) {
		const struct op_hash_slot *slot = &hash->slots[walk->at++ & mask];

		if (!slot->number)
			return OP_HASH_NONE;
		if (slot->tag == walk->tag)
			return slot->number - 1;
	}
}

/*
 * Sets @i to the numbers whose keys may be @key, in the order they were added.  It is
 * OP_HASH_NONE after the last one.  The table must not change meanwhile.
 */
#define op_hash_for_each_possible(hash, key, i)                                                    \
	for (struct op_hash_walk op_hash_walk_ = op_hash_walk(hash, key);                          \
	     ((i) = op_hash_next(&op_hash_walk_)) != OP_HASH_NONE;)

/**
 * op_hash_add - add a number, whether or not the key has numbers already
 * @number: below OP_HASH_NONE
 *
 * Return: 0, or -1 when out of memory; the table is as before then.
 */
int op_hash_add(struct op_hash *hash, uint64_t key, uint32_t number);

/* Makes the next additions succeed, up to @n numbers in all.  Return: as op_hash_add(). */
int op_hash_reserve(struct op_hash *hash, size_t n);

/* Removes a number that was added with this key.  Return: whether there was one. */
bool op_hash_remove(struct op_hash *hash, uint64_t key, uint32_t number);

/* Removes all numbers and keeps the memory. */
void op_hash_clear(struct op_hash *hash);

/* Removes all numbers and frees the memory. */
void op_hash_free(struct op_hash *hash);

/* Bytes that the table has allocated. */
size_t op_hash_memory(const struct op_hash *hash);

/* ---- pointers by keys ---- */

struct op_hash_map_entry {
	uint64_t key;
	void *value;
};

/* All zero: empty.  The entries are there to be read, in any order. */
struct op_hash_map {
	struct op_hash_map_entry *entries;
	size_t n, capacity;
	struct op_hash by_key;
};

/* Return: the value of @key, or NULL. */
static inline void *op_hash_map_find(const struct op_hash_map *map, uint64_t key)
{
	uint32_t i;

	op_hash_for_each_possible (&map->by_key, key, i)
		if (map->entries[i].key == key)
			return map->entries[i].value;
	return NULL;
}

/**
 * op_hash_map_set - set the value of @key, replacing an earlier one
 * @value: not NULL; remains the caller's
 *
 * Return: 0, or -1 when out of memory; the map is as before then.
 */
int op_hash_map_set(struct op_hash_map *map, uint64_t key, void *value);

/* Removes a key, which moves entries.  Return: its value, or NULL. */
void *op_hash_map_remove(struct op_hash_map *map, uint64_t key);

/* Removes all keys and frees the memory of the map, not the values. */
void op_hash_map_free(struct op_hash_map *map);

#endif
