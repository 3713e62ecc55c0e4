// SPDX-License-Identifier: GPL-2.0-or-later
#include "deep.h"

#include "node.h"

#define FIRST_NODES 128

/* Return: 0, or -1 when out of memory, and then nothing is left. */
static int deep_put(struct odb_deep *deep, uint64_t key, uint32_t node)
{
	if (!op_hash_add(&deep->by_key, key, node))
		return 0;
	odb_deep_free(deep);
	return -1;
}

/* Puts a node in unless there is one of its key, which is newer. */
static int put_older(struct odb_deep *deep, const struct odb_node *nodes, uint32_t node)
{
	uint64_t key = nodes[node].key;

	return odb_deep_find(deep, nodes, key) ? 0 : deep_put(deep, key, node);
}

int odb_deep_build(struct odb_deep *deep, const struct odb_chains *chains)
{
	odb_deep_free(deep);
	if (op_hash_reserve(&deep->by_key, FIRST_NODES))
		return -1;
	deep->built = true;
	for (uint32_t bucket = 0; bucket < chains->size; bucket++) {
		uint32_t node = chains->buckets[bucket], newer = chains->current_size;

		for (uint32_t depth = 0; node && node < newer; depth++) {
			newer = node;
			node = chains->nodes[newer].next;
			if (depth < ODB_CHAIN_WALK)
				continue;
			if (put_older(deep, chains->nodes, newer))
				return -1;
		}
	}
	return 0;
}

int odb_deep_put(struct odb_deep *deep, const struct odb_node *nodes, uint32_t node)
{
	uint64_t key = nodes[node].key;
	uint32_t older = odb_deep_find(deep, nodes, key);

	if (older)
		op_hash_remove(&deep->by_key, key, older);
	return deep_put(deep, key, node);
}

uint32_t odb_deep_find(const struct odb_deep *deep, const struct odb_node *nodes, uint64_t key)
{
	uint32_t node;

	op_hash_for_each_possible (&deep->by_key, key, node)
		if (nodes[node].key == key)
			return node;
	return 0;
}

void odb_deep_free(struct odb_deep *deep)
{
	op_hash_free(&deep->by_key);
	deep->built = false;
}
