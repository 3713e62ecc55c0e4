/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding nodes that lie deep in a chain.
 *
 * The hash of the format spreads the offsets of an image well, but sends all recursive arcs
 * (both halves of the key equal) to one chain; a search along it takes as long as the chain.
 * So a search gives up after ODB_CHAIN_WALK nodes and asks this table, in memory, which has
 * every node that lies deeper.  Most files never need it.
 *
 * New nodes come to the head of a chain, so the one they push below the limit has to be put
 * here; nodes never rise except by growth, which leaves some here that need not be.
 * Its hash has a secret: no prepared set of keys makes it slow.
 */
#ifndef LIBDB_ODB_DEEP_H
#define LIBDB_ODB_DEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/hash.h"

#define ODB_CHAIN_WALK 12 /* with a good hash, one chain in 10^10 is longer */

struct odb_node;

struct odb_deep {
	struct op_hash by_key; /* numbers of nodes */
	bool built;
};

/* What a table is built of; the links of a chain must descend, or the chain ends there. */
struct odb_chains {
	const struct odb_node *nodes;
	const uint32_t *buckets;
	uint32_t size;
	uint32_t current_size;
};

/* Puts all nodes in that lie deep.  Return: 0, or -1 when out of memory, and not built. */
int odb_deep_build(struct odb_deep *deep, const struct odb_chains *chains);

/* Puts @node in, in the place of an older one of its key.  Return: as odb_deep_build(). */
int odb_deep_put(struct odb_deep *deep, const struct odb_node *nodes, uint32_t node);

/* The newest of the nodes of @key that were put in, or 0. */
uint32_t odb_deep_find(const struct odb_deep *deep, const struct odb_node *nodes, uint64_t key);

void odb_deep_free(struct odb_deep *deep);

#endif
