// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains in memory: see call_chains.h.
 *
 * Most chains share all but their last frames with one shortly before.  So each node remembers the
 * callee that was used last, and the hash table is consulted only for other callees.
 */
#include "call_chains.h"

#include <errno.h>
#include <stdlib.h>

int call_chains_init(struct call_chains *chains, struct op_error *error)
{
	*chains = (struct call_chains){
		.frame = calloc(CHAIN_FRAMES_MOST, sizeof(*chains->frame)),
		.node = calloc(CHAIN_NODES_MOST, sizeof(*chains->node)),
		.weight = calloc(CHAIN_NODES_MOST, sizeof(*chains->weight)),
		.root = calloc(CHAIN_ROOTS_MOST, sizeof(*chains->root)),
		.unknown[1].is_kernel = true,
	};
	if (chains->frame && chains->node && chains->weight && chains->root &&
	    !op_hash_reserve(&chains->by_node, CHAIN_NODES_MOST) &&
	    !op_hash_reserve(&chains->by_root, CHAIN_ROOTS_MOST))
		return 0;
	call_chains_free(chains);
	return op_error_memory(error);
}

void call_chains_free(struct call_chains *chains)
{
	free(chains->frame);
	free(chains->node);
	free(chains->weight);
	free(chains->root);
	op_hash_free(&chains->by_node);
	op_hash_free(&chains->by_root);
	*chains = (struct call_chains){0};
}

void call_chains_clear(struct call_chains *chains)
{
	op_hash_clear(&chains->by_node);
	op_hash_clear(&chains->by_root);
	chains->nodes = chains->roots = chains->last_root = 0;
}

/* ---- roots ---- */

static bool is_root(const struct chain_root *a, const struct chain_root *b)
{
	return a->program == b->program && a->key.app == b->key.app &&
	       a->key.event == b->key.event && a->key.tid == b->key.tid &&
	       a->key.tgid == b->key.tgid && a->key.cpu == b->key.cpu;
}

static uint64_t root_key(const struct chain_root *root)
{
	uint64_t hash = op_hash_mix((uintptr_t)root->program, (uintptr_t)root->key.app);

	hash = op_hash_mix(hash, (uint64_t)root->key.event << 32 | (uint32_t)root->key.cpu);
	return op_hash_mix(hash,
			   (uint64_t)(uint32_t)root->key.tgid << 32 | (uint32_t)root->key.tid);
}

/* Return: the index of the root, which is added if it is new; the tree has a free one. */
static uint32_t get_root(struct call_chains *chains, const struct chain_root *wanted)
{
	uint64_t key = root_key(wanted);
	uint32_t i;

	op_hash_for_each_possible (&chains->by_root, key, i)
		if (is_root(&chains->root[i], wanted))
			return i;
	chains->root[chains->roots] = *wanted;
	chains->root[chains->roots].newest = CHAIN_NO_NODE;
	op_hash_add(&chains->by_root, key, chains->roots);
	return chains->roots++;
}

/* ---- nodes ---- */

static inline bool is_frame(const struct chain_node *node, const struct chain_frame *frame)
{
	return node->offset == frame->offset && node->image == frame->image;
}

/* Return: the index of the node, which is added if it is new; the tree has a free one. */
static uint32_t get_node(struct call_chains *chains, uint32_t caller,
			 const struct chain_frame *frame)
{
	/* callees of one frame differ in their offsets; images are compared */
	uint64_t key = op_hash_mix(caller, frame->offset);
	uint32_t i;

	op_hash_for_each_possible (&chains->by_node, key, i) {
		const struct chain_node *node = &chains->node[i];

		if (node->caller == caller && is_frame(node, frame))
			return i;
	}
	chains->node[chains->nodes] = (struct chain_node){
		.image = frame->image,
		.offset = frame->offset,
		.caller = caller,
		.newest = CHAIN_NO_NODE,
	};
	chains->weight[chains->nodes] = 0;
	op_hash_add(&chains->by_node, key, chains->nodes);
	return chains->nodes++;
}

void call_chains_end(struct call_chains *chains)
{
	uint32_t caller, *newest;

	if (!chains->roots || !is_root(&chains->root[chains->last_root], &chains->begun))
		chains->last_root = get_root(chains, &chains->begun);
	chains->root[chains->last_root].samples++;
	chains->root[chains->last_root].is_weighted |= chains->begun_weight != 0;
	caller = CHAIN_IS_ROOT | chains->last_root;
	newest = &chains->root[chains->last_root].newest;
	for (const struct chain_frame *frame = chains->frame + chains->depth;
	     frame-- > chains->frame;) {
		uint32_t callee = *newest;

		if (callee == CHAIN_NO_NODE || !is_frame(&chains->node[callee], frame)) {
			callee = get_node(chains, caller, frame);
			*newest = callee;
		}
		caller = callee;
		newest = &chains->node[callee].newest;
	}
	chains->node[caller].count++;
	chains->weight[caller] += chains->begun_weight;
	chains->depth = 0;
}
