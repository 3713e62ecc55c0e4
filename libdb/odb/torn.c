// SPDX-License-Identifier: GPL-2.0-or-later
#include "torn.h"

#include <string.h>

#include "header.h"

#define WORDS (ODB_NODE_LENGTH / ODB_BUCKET_LENGTH)
#define PAGE  4096

/* Nodes that are named: those behind them may be holes, and are not looked at. */
struct named {
	const uint8_t *nodes;
	uint32_t current_size;
	bool swapped;
};

static const uint8_t *node_of(const struct named *named, uint64_t node)
{
	return named->nodes + node * ODB_NODE_LENGTH;
}

/* The size whose buckets were where @node is, or 0. */
static uint32_t size_before(uint32_t node)
{
	uint32_t size;

	if (node < ODB_FIRST_SIZE)
		return 0;
	size = UINT32_C(1) << (31 - __builtin_clz(node));
	return node - size < size / WORDS ? size : 0;
}

/* Whether a node whose key is 0 may have been lost: with the page that the key is in, or to old
 * buckets, of which the first two were empty.  Key 0 is as good as any other. */
static bool may_be_lost(const struct named *named, uint32_t node)
{
	uint64_t start = odb_nodes_offset(odb_layout_written) + (uint64_t)node * ODB_NODE_LENGTH;
	uint32_t size = size_before(node);

	if (start % PAGE + ODB_NODE_LENGTH > PAGE)
		return true;
	for (size_t i = 0; i < WORDS; i++)
		if (odb_get32(node_of(named, node) + i * ODB_BUCKET_LENGTH, named->swapped) >= size)
			return false;
	return true;
}

/* Whether @word can be bucket @bucket of a file of @size slots. */
static bool is_bucket(const struct named *named, uint32_t word, uint32_t bucket, uint32_t size)
{
	const uint8_t *node = node_of(named, word);
	uint64_t key;

	if (!word)
		return true;
	if (word >= size)
		return false;
	if (word >= named->current_size)
		return true;
	key = odb_get64(node, named->swapped);
	/* A node that is not on the disk either belongs to any bucket. */
	if (!odb_get32(node + 8, named->swapped) || (!key && may_be_lost(named, word)))
		return true;
	return odb_bucket(key, size) == bucket;
}

/* Whether @words, which are node number @node, are old buckets of a file of @size slots. */
static bool is_old_buckets(const struct named *named, const uint8_t *words, uint32_t node,
			   uint32_t size)
{
	for (uint32_t i = 0; i < WORDS; i++) {
		uint32_t word = odb_get32(words + (size_t)i * ODB_BUCKET_LENGTH, named->swapped);

		if (!is_bucket(named, word, (node - size) * WORDS + i, size))
			return false;
	}
	return true;
}

static bool is_zero(const uint8_t *words)
{
	static const uint8_t zeros[ODB_NODE_LENGTH];

	return !memcmp(words, zeros, sizeof(zeros));
}

uint32_t odb_torn_clear(uint8_t *nodes, uint32_t current_size, bool swapped)
{
	const struct named named = {nodes, current_size, swapped};
	uint32_t cleared = 0;

	/* Upwards: what leads to a node that is cleared is then seen, too. */
	for (uint64_t size = ODB_FIRST_SIZE; size < current_size; size *= 2) {
		uint64_t end = size + size / WORDS;

		for (uint64_t node = size; node < end && node < current_size; node++) {
			uint8_t *words = nodes + node * ODB_NODE_LENGTH;

			if (is_zero(words) ||
			    !is_old_buckets(&named, words, (uint32_t)node, (uint32_t)size))
				continue;
			memset(words, 0, ODB_NODE_LENGTH);
			cleared++;
		}
	}
	return cleared;
}

static bool is_old_buckets_here(const struct named *named, const uint8_t *words, uint32_t node)
{
	uint32_t size = size_before(node);

	return size && is_old_buckets(named, words, node, size);
}

bool odb_torn_any(const uint8_t *nodes, uint32_t current_size)
{
	const struct named named = {nodes, current_size, false};

	for (uint32_t node = 1; node < current_size; node++) {
		const uint8_t *words = node_of(&named, node);

		if (!odb_get32(words + 8, false) || is_old_buckets_here(&named, words, node))
			return true;
	}
	return false;
}

bool odb_torn_unnamed(const uint8_t *nodes, uint32_t current_size, const uint8_t *bytes,
		      uint32_t node)
{
	const struct named named = {nodes, current_size, false};

	return !is_zero(bytes) && !is_old_buckets_here(&named, bytes, node);
}
