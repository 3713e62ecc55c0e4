// SPDX-License-Identifier: GPL-2.0-or-later
/* The calling-context tree: see tree.h. */
#include "tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

struct prof_tree *tree_new(uint32_t nodes_most)
{
	struct prof_tree *tree = op_alloc(1, sizeof(*tree));

	tree->nodes_most = nodes_most ? nodes_most : PROF_NODES_MOST;
	tree->nodes = op_grow(NULL, &tree->nodes_capacity, 1024, sizeof(*tree->nodes));
	tree->nodes[0] = (struct prof_node){0};
	tree->n_nodes = 1;
	return tree;
}

void tree_free(struct prof_tree *tree)
{
	if (!tree)
		return;
	free(tree->nodes);
	free(tree->entries);
	free(tree->path);
	op_hash_free(&tree->by_node);
	op_hash_free(&tree->by_entry);
	free(tree);
}

static int fail_full(const struct prof_tree *tree, struct op_error *error)
{
	return op_error_set(error, ENOSPC, "there are more than %u distinct stacks",
			    tree->nodes_most);
}

/* ---- nodes ---- */

static uint64_t hash_node(uint32_t parent, uint32_t image, uint64_t offset)
{
	return op_hash_mix((uint64_t)parent << 32 | image, offset);
}

static bool is_node(const struct prof_node *node, uint32_t parent, const struct prof_frame *frame)
{
	return node->parent == parent && node->offset == frame->offset &&
	       node->image == frame->image;
}

/* The node of @frame below @parent, or OP_HASH_NONE: there is no room. */
static uint32_t find_node(struct prof_tree *tree, uint32_t parent, const struct prof_frame *frame)
{
	uint64_t hash = hash_node(parent, frame->image, frame->offset);
	uint32_t id;

	op_hash_for_each_possible (&tree->by_node, hash, id)
		if (is_node(&tree->nodes[id], parent, frame))
			return id;
	if (tree->n_nodes > tree->nodes_most)
		return OP_HASH_NONE;
	id = (uint32_t)tree->n_nodes++;
	tree->nodes =
		op_grow(tree->nodes, &tree->nodes_capacity, tree->n_nodes, sizeof(*tree->nodes));
	tree->nodes[id] = (struct prof_node){parent, frame->image, frame->offset};
	op_hash_add_or_exit(&tree->by_node, hash, id);
	return id;
}

int tree_stack(struct prof_tree *tree, const struct prof_frame *frames, size_t depth,
	       uint32_t *node, struct op_error *error)
{
	size_t level = 0, limit = depth < tree->path_length ? depth : tree->path_length;
	uint32_t at = 0;

	while (level < limit &&
	       is_node(&tree->nodes[tree->path[level]], at, &frames[depth - 1 - level]))
		at = tree->path[level++];
	tree->path = op_grow(tree->path, &tree->path_capacity, depth, sizeof(*tree->path));
	for (; level < depth; level++) {
		at = find_node(tree, at, &frames[depth - 1 - level]);
		if (at == OP_HASH_NONE) {
			tree->path_length = level;
			return fail_full(tree, error);
		}
		tree->path[level] = at;
	}
	tree->path_length = depth;
	*node = at;
	return 0;
}

/* ---- counts ---- */

static uint64_t hash_entry(uint32_t node, uint32_t context, uint32_t event)
{
	return op_hash_mix((uint64_t)node << 32 | context, event);
}

int tree_add(struct prof_tree *tree, uint32_t node, uint32_t context,
	     const struct prof_value *value, uint32_t *number, struct op_error *error)
{
	uint64_t hash = hash_entry(node, context, value->event);
	struct prof_entry *entry;
	uint32_t id;

	op_hash_for_each_possible (&tree->by_entry, hash, id) {
		entry = &tree->entries[id];
		if (entry->node == node && entry->context == context &&
		    entry->event == value->event) {
			entry->count = tree_add_up(entry->count, value->count);
			entry->events = tree_add_up(entry->events, value->events);
			*number = id;
			return 0;
		}
	}
	if (tree->n_entries >= tree->nodes_most)
		return fail_full(tree, error);
	id = (uint32_t)tree->n_entries++;
	tree->entries = op_grow(tree->entries, &tree->entries_capacity, tree->n_entries,
				sizeof(*tree->entries));
	tree->entries[id] = (struct prof_entry){.node = node,
						.context = context,
						.event = value->event,
						.added_as = id,
						.count = value->count,
						.events = value->events};
	*number = id;
	op_hash_add_or_exit(&tree->by_entry, hash, id);
	return 0;
}

/* ---- order ---- */

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct prof_node *nodes = context;
	const struct prof_node *x = &nodes[*(const uint32_t *)a], *y = &nodes[*(const uint32_t *)b];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int compare_entries(const void *a, const void *b)
{
	const struct prof_entry *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

/*
 * Numbers the nodes as a walk from the root meets them; returns the new numbers.  @sorted has
 * all nodes but 0 in the order of compare_nodes(), so children stand together.
 */
static uint32_t *walk(const struct prof_tree *tree, const uint32_t *sorted)
{
	size_t n = tree->n_nodes;
	uint32_t *first = op_alloc(n + 1, sizeof(*first)); /* child in @sorted, then the next */
	uint32_t *number = op_alloc(n, sizeof(*number));
	uint32_t *stack = op_alloc(n, sizeof(*stack));
	size_t depth = 0;
	uint32_t next = 1;

	for (size_t i = 1; i < n; i++)
		first[tree->nodes[i].parent + 1]++;
	for (size_t i = 1; i <= n; i++)
		first[i] += first[i - 1];
	/* first[p] is where p's children begin, but the last entry of first[] is not needed */
	stack[depth++] = 0;
	while (depth) {
		uint32_t parent = stack[depth - 1], at = first[parent], child;

		if (at >= n - 1 || tree->nodes[sorted[at]].parent != parent) {
			depth--;
			continue;
		}
		first[parent]++;
		child = sorted[at];
		number[child] = next++;
		stack[depth++] = child;
	}
	free(first);
	free(stack);
	return number;
}

static void sort_nodes(struct prof_tree *tree)
{
	size_t n = tree->n_nodes;
	uint32_t *sorted = op_alloc(n, sizeof(*sorted)), *number;
	struct prof_node *nodes = op_alloc(n, sizeof(*nodes));

	for (size_t i = 1; i < n; i++)
		sorted[i - 1] = (uint32_t)i;
	qsort_r(sorted, n - 1, sizeof(*sorted), compare_nodes, tree->nodes);
	number = walk(tree, sorted);
	for (size_t i = 1; i < n; i++) {
		nodes[number[i]] = tree->nodes[i];
		nodes[number[i]].parent = number[tree->nodes[i].parent];
	}
	for (size_t i = 0; i < tree->n_entries; i++)
		tree->entries[i].node = number[tree->entries[i].node];
	free(sorted);
	free(number);
	free(tree->nodes);
	tree->nodes = nodes;
	tree->nodes_capacity = n;
}

void tree_sort(struct prof_tree *tree, const uint32_t *image_rank, const uint32_t *context_rank)
{
	struct prof_entry *entry = tree->entries;

	op_hash_free(&tree->by_node);
	op_hash_free(&tree->by_entry);
	for (size_t i = 1; i < tree->n_nodes; i++)
		tree->nodes[i].image = image_rank[tree->nodes[i].image];
	for (size_t i = 0; i < tree->n_entries; i++)
		entry[i].context = context_rank[entry[i].context];
	sort_nodes(tree);
	if (tree->n_entries)
		qsort(entry, tree->n_entries, sizeof(*entry), compare_entries);
	tree->n_stacks = 0;
	for (size_t i = 0; i < tree->n_entries; i++)
		tree->n_stacks += !i || entry[i].context != entry[i - 1].context ||
				  entry[i].node != entry[i - 1].node;
}
