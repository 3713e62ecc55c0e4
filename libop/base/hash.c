// SPDX-License-Identifier: GPL-2.0-or-later
#include "hash.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "array.h"

#define BITS_LEAST 6
#define BITS_MOST  31

struct op_hash_secret op_hash_secret = {
	.number = UINT64_C(0xc4ceb9fe1a85ec53), /* of MurmurHash3's finalizer */
	.tag = UINT64_C(0x9e3779b97f4a7c15),	/* 2^64/phi */
};

/*
 * The first constructor: tables are made everywhere, and none before it.  If there is no entropy
 * yet, at boot, the tables work as well and their places can be guessed.
 */
__attribute__((constructor(101))) static void draw_secret(void)
{
	struct op_hash_secret drawn;

	if (getrandom(&drawn, sizeof(drawn), GRND_NONBLOCK) != (ssize_t)sizeof(drawn))
		return;
	drawn.number |= 1;
	drawn.tag |= 1;
	op_hash_secret = drawn;
}

/* ---- SipHash ---- */

struct sip_state {
	uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t word, unsigned int bits)
{
	return word << bits | word >> (64 - bits);
}

static void round_once(struct sip_state *state)
{
	state->a += state->b;
	state->b = rotate(state->b, 13) ^ state->a;
	state->a = rotate(state->a, 32);
	state->c += state->d;
	state->d = rotate(state->d, 16) ^ state->c;
	state->a += state->d;
	state->d = rotate(state->d, 21) ^ state->a;
	state->c += state->b;
	state->b = rotate(state->b, 17) ^ state->c;
	state->c = rotate(state->c, 32);
}

static void sip_state_join(struct sip_state *state, uint64_t word)
{
	state->d ^= word;
	round_once(state);
	round_once(state);
	state->a ^= word;
}

/* The last word: what is left of the bytes, and their number's lowest byte on top. */
static uint64_t last_word(const uint8_t *rest, size_t length)
{
	uint64_t word = (uint64_t)length << 56;

	for (size_t i = 0; i < length % 8; i++)
		word |= (uint64_t)rest[i] << 8 * i;
	return word;
}

uint64_t op_siphash(const struct op_siphash_key *key, const void *bytes, size_t length)
{
	/* the words are "somepseudorandomlygeneratedbytes" */
	struct sip_state state = {
		.a = key->word[0] ^ UINT64_C(0x736f6d6570736575),
		.b = key->word[1] ^ UINT64_C(0x646f72616e646f6d),
		.c = key->word[0] ^ UINT64_C(0x6c7967656e657261),
		.d = key->word[1] ^ UINT64_C(0x7465646279746573),
	};
	const uint8_t *at = bytes;

	for (size_t left = length; left >= 8; left -= 8, at += 8) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		sip_state_join(&state, le64toh(word));
	}
	sip_state_join(&state, last_word(at, length));
	state.c ^= 0xff;
	for (int i = 0; i < 4; i++)
		round_once(&state);
	return state.a ^ state.b ^ state.c ^ state.d;
}

/* ---- numbers by keys ---- */

static size_t slots_of(const struct op_hash *hash)
{
	return hash->slots ? (size_t)1 << hash->bits : 0;
}

static size_t home_of(const struct op_hash *hash, uint32_t tag)
{
	return tag >> (32 - hash->bits);
}

/* Inserts a slot after those with the same tag; the table has a free one. */
static void hash_put(struct op_hash *hash, struct op_hash_slot slot)
{
	size_t mask = slots_of(hash) - 1, at = home_of(hash, slot.tag);

	while (hash->slots[at].number)
		at = (at + 1) & mask;
	hash->slots[at] = slot;
}

/* Starts after a free slot, so that numbers of one key keep their order. */
static void hash_put_all(struct op_hash *to, const struct op_hash *from)
{
	size_t n = slots_of(from), begin = 0;

	while (begin < n && from->slots[begin].number)
		begin++;
	for (size_t i = 0; i < n; i++) {
		struct op_hash_slot slot = from->slots[(begin + i) & (n - 1)];

		if (slot.number)
			hash_put(to, slot);
	}
}

int op_hash_reserve(struct op_hash *hash, size_t n)
{
	struct op_hash larger = {.n = hash->n, .bits = hash->slots ? hash->bits : BITS_LEAST};

	if (n > ((size_t)1 << BITS_MOST) / 4 * 3)
		return -1;
	while (((size_t)1 << larger.bits) / 4 * 3 < n)
		larger.bits++;
	if (hash->slots && larger.bits == hash->bits)
		return 0;
	larger.slots = calloc((size_t)1 << larger.bits, sizeof(*larger.slots));
	if (!larger.slots)
		return -1;
	hash_put_all(&larger, hash);
	free(hash->slots);
	*hash = larger;
	return 0;
}

int op_hash_add(struct op_hash *hash, uint64_t key, uint32_t number)
{
	if (op_hash_reserve(hash, (size_t)hash->n + 1))
		return -1;
	hash_put(hash, (struct op_hash_slot){op_hash_tag(key), number + 1});
	hash->n++;
	return 0;
}

/* Moves slots that follow to the free one at @hole, where a search for them must find them. */
static void close_hole(struct op_hash *hash, size_t hole)
{
	size_t mask = slots_of(hash) - 1;

	for (size_t at = (hole + 1) & mask; hash->slots[at].number; at = (at + 1) & mask) {
		size_t home = home_of(hash, hash->slots[at].tag);

		if (((at - home) & mask) < ((at - hole) & mask))
			continue; /* its search starts after the hole */
		hash->slots[hole] = hash->slots[at];
		hash->slots[at].number = 0;
		hole = at;
	}
}

bool op_hash_remove(struct op_hash *hash, uint64_t key, uint32_t number)
{
	struct op_hash_walk walk = op_hash_walk(hash, key);
	size_t at;
	uint32_t i;

	while ((i = op_hash_next(&walk)) != number)
		if (i == OP_HASH_NONE)
			return false;
	at = (walk.at - 1) & (slots_of(hash) - 1);
	hash->slots[at].number = 0;
	hash->n--;
	close_hole(hash, at);
	return true;
}

void op_hash_clear(struct op_hash *hash)
{
	if (hash->slots)
		memset(hash->slots, 0, op_hash_memory(hash));
	hash->n = 0;
}

void op_hash_free(struct op_hash *hash)
{
	free(hash->slots);
	*hash = (struct op_hash){0};
}

size_t op_hash_memory(const struct op_hash *hash)
{
	return slots_of(hash) * sizeof(*hash->slots);
}

/* ---- pointers by keys ---- */

static uint32_t find_entry(const struct op_hash_map *map, uint64_t key)
{
	uint32_t i;

	op_hash_for_each_possible (&map->by_key, key, i)
		if (map->entries[i].key == key)
			return i;
	return OP_HASH_NONE;
}

int op_hash_map_set(struct op_hash_map *map, uint64_t key, void *value)
{
	uint32_t i = find_entry(map, key);

	if (i == OP_HASH_NONE) {
		i = (uint32_t)map->n;
		if (op_array_fit(map->entries, map->capacity, map->n + 1) ||
		    op_hash_add(&map->by_key, key, i))
			return -1;
		map->n++;
	}
	map->entries[i] = (struct op_hash_map_entry){key, value};
	return 0;
}

void *op_hash_map_remove(struct op_hash_map *map, uint64_t key)
{
	uint32_t i = find_entry(map, key), last = (uint32_t)map->n - 1;
	void *value;

	if (i == OP_HASH_NONE)
		return NULL;
	value = map->entries[i].value;
	op_hash_remove(&map->by_key, key, i);
	map->n--;
	if (i != last) {
		op_hash_remove(&map->by_key, map->entries[last].key, last);
		/* two are out: there is a slot for one */
		op_hash_add(&map->by_key, map->entries[last].key, i);
		map->entries[i] = map->entries[last];
	}
	return value;
}

void op_hash_map_free(struct op_hash_map *map)
{
	free(map->entries);
	op_hash_free(&map->by_key);
	*map = (struct op_hash_map){0};
}
