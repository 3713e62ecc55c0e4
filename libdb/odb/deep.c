// SPDX-License-Identifier: GPL-2.0-or-later
#include "deep.h"

#include <stdlib.h>
#include <sys/random.h>

#include "handle.h"

#define FIRST_SLOTS 256

static uint32_t *slot_of(const struct odb_deep *deep, const struct odb_node *nodes, uint64_t key)
{
	uint64_t hash = (key ^ deep->seed) * 0x9e3779b97f4a7c15u;
	uint32_t at;

	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
	at = (uint32_t)(hash >> 32) & deep->mask;
	while (deep->slots[at] && nodes[deep->slots[at]].key != key)
		at = (at + 1) & deep->mask;
	return &deep->slots[at];
}

static int resize(struct odb_deep *deep, const struct odb_node *nodes, uint64_t slots)
{
	struct odb_deep larger = {.seed = deep->seed, .count = deep->count};

	if (slots > (uint64_t)UINT32_MAX + 1)
		return -1;
	larger.slots = calloc(slots, sizeof(*larger.slots));
	if (!larger.slots)
		return -1;
	larger.mask = (uint32_t)(slots - 1);
	for (uint64_t at = 0; deep->slots && at <= deep->mask; at++) {
		uint32_t node = deep->slots[at];

		if (node)
			*slot_of(&larger, nodes, nodes[node].key) = node;
	}
	free(deep->slots);
	*deep = larger;
	return 0;
}

/* The slot for @key, with room for it; NULL when out of memory, and then nothing is left. */
static uint32_t *make_slot(struct odb_deep *deep, const struct odb_node *nodes, uint64_t key)
{
	uint32_t *slot;

	if (deep->count > deep->mask / 2 && resize(deep, nodes, ((uint64_t)deep->mask + 1) * 2)) {
		odb_deep_free(deep);
		return NULL;
	}
	slot = slot_of(deep, nodes, key);
	if (!*slot)
		deep->count++;
	return slot;
}

int odb_deep_build(struct odb_deep *deep, const struct odb_chains *chains)
{
	odb_deep_free(deep);
	/* If there is no entropy yet, at boot, a fixed seed is still right, only guessable. */
	if (getrandom(&deep->seed, sizeof(deep->seed), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(deep->seed))
		deep->seed = 0x243f6a8885a308d3u;
	if (resize(deep, chains->nodes, FIRST_SLOTS))
		return -1;
	for (uint32_t bucket = 0; bucket < chains->size; bucket++) {
		uint32_t node = chains->buckets[bucket], newer = chains->current_size;

		for (uint32_t depth = 0; node && node < newer; depth++) {
			uint32_t *slot;

			newer = node;
			node = chains->nodes[newer].next;
			if (depth < ODB_CHAIN_WALK)
				continue;
			slot = make_slot(deep, chains->nodes, chains->nodes[newer].key);
			if (!slot)
				return -1;
			if (!*slot)
				*slot = newer;
		}
	}
	return 0;
}

int odb_deep_put(struct odb_deep *deep, const struct odb_node *nodes, uint32_t node)
{
	uint32_t *slot = make_slot(deep, nodes, nodes[node].key);

	if (!slot)
		return -1;
	*slot = node;
	return 0;
}

uint32_t odb_deep_find(const struct odb_deep *deep, const struct odb_node *nodes, uint64_t key)
{
	return *slot_of(deep, nodes, key);
}

void odb_deep_free(struct odb_deep *deep)
{
	free(deep->slots);
	deep->slots = NULL;
	deep->mask = 0;
	deep->count = 0;
}
