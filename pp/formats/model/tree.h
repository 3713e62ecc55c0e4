/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calling-context tree of a profile, and the counts at its nodes.
 *
 * A node is a frame below its caller's node; node 0 is above all roots.  A stack is a node.
 */
#ifndef PP_FORMATS_MODEL_TREE_H
#define PP_FORMATS_MODEL_TREE_H

#include "libop/base/hash.h"
#include "profile.h"

struct prof_node {
	uint32_t parent, image;
	uint64_t offset;
};

struct prof_entry {
	uint32_t node, context, event;
	uint32_t added_as; /* its number before tree_sort() */
	uint64_t count, events;
};

struct prof_tree {
	struct prof_node *nodes;
	size_t n_nodes, nodes_capacity;
	struct op_hash by_node;
	uint32_t nodes_most; /* also of entries */

	struct prof_entry *entries;
	size_t n_entries, entries_capacity;
	struct op_hash by_entry;
	size_t n_stacks; /* entries that differ in more than the event; set by tree_sort() */

	/* The stack before, root first: most samples share the frames near the root with it. */
	uint32_t *path;
	size_t path_length, path_capacity;
};

/* A sum, or what is next to it. */
static inline uint64_t tree_add_up(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

struct prof_tree *tree_new(uint32_t nodes_most);
void tree_free(struct prof_tree *tree);

/* The node of a stack.  Return: 0, or -1 with @error set. */
int tree_stack(struct prof_tree *tree, const struct prof_frame *frames, size_t depth,
	       uint32_t *node, struct op_error *error);
/* Adds to the counts of a node; @entry: where.  Return: 0, or -1 with @error set. */
int tree_add(struct prof_tree *tree, uint32_t node, uint32_t context,
	     const struct prof_value *value, uint32_t *entry, struct op_error *error);

/**
 * tree_sort - number nodes and entries by what they are
 * @image_rank, @context_rank: the new numbers, by the old ones
 */
void tree_sort(struct prof_tree *tree, const uint32_t *image_rank, const uint32_t *context_rank);

#endif
