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
 * Names and numbers come from programs of other users, so keys and tags are made with a secret of
 * the process: nobody can choose names or numbers that meet in one place of a table.  Hashes that
 * are written to files or compared between processes are op_hash_content().
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
#include <string.h>

#define OP_HASH_NONE UINT32_MAX

/* ---- keys ---- */

struct op_siphash_key {
	uint64_t word[2];
};

/*
 * SipHash-2-4 (Aumasson and Bernstein, 2012): without the key, nobody can choose texts whose hashes
 * are equal.  Return: the hash of @length bytes, the same on machines of any byte order.
 */
uint64_t op_siphash(const struct op_siphash_key *key, const void *bytes, size_t length);

/* Drawn before main() begins; constant then. */
struct op_hash_secret {
	struct op_siphash_key text;
	uint64_t number, tag; /* factors: odd */
};

extern struct op_hash_secret op_hash_secret;

/* Spreads each bit of a key over its lower half: a step of MurmurHash3's finalizer. */
static inline uint64_t op_hash_spread(uint64_t key)
{
	key *= UINT64_C(0xff51afd7ed558ccd);
	return key ^ key >> 32;
}

/*
 * Adds a number to a key, for elements that several fields identify.  The number is multiplied
 * first, so that pairs of equal numbers, such as a program that is its own image, have keys of
 * their own.
 */
static inline uint64_t op_hash_mix(uint64_t key, uint64_t number)
{
	return op_hash_spread(key ^ number * op_hash_secret.number);
}

/* Joins @length bytes to a key. */
static inline uint64_t op_hash_bytes(uint64_t key, const void *bytes, size_t length)
{
	return op_hash_mix(key, op_siphash(&op_hash_secret.text, bytes, length));
}

/* Joins a string to a key. */
static inline uint64_t op_hash_text(uint64_t key, const char *text)
{
	return op_hash_bytes(key, text, strlen(text));
}

/*
 * Joins @length bytes to a key without a secret: the same in each process and on each machine, and
 * forgeable.
 */
static inline uint64_t op_hash_content(uint64_t key, const void *bytes, size_t length)
{
	for (const uint8_t *at = (const uint8_t *)bytes; length--; at++)
		key = (key ^ *at) * UINT64_C(0x100000001b3); /* FNV-1a's prime */
	return op_hash_spread(key);
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

/*
 * The factor makes places unknown to others.  It alone would not spread keys that follow each other
 * at equal distances: for one factor in ten, 4,096 of them filled whole stretches of a table.  The
 * steps before and after it, of MurmurHash3's finalizer, leave no such order.
 */
static inline uint32_t op_hash_tag(uint64_t key)
{
	key ^= key >> 32;
	key *= UINT64_C(0xff51afd7ed558ccd);
	key ^= key >> 29;
	key *= op_hash_secret.tag;
	key ^= key >> 32;
	key *= UINT64_C(0xc4ceb9fe1a85ec53);
	return (uint32_t)(key >> 32);
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
