// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees of functions. */
#include "call_tree.h"

#include <stdlib.h>

#include "libop/base/memory.h"
#include "libop/tables/pair_table.h"
#include "pp/select/weights.h"

struct making {
	struct pp_profile *profile;
	struct pp_call_tree *tree;
	struct op_pair_table below; /* by node and row: the node of the row below it */
	struct op_pair_table known; /* by row and class: its samples that have a stack */
};

static uint32_t add_node(struct making *making, uint32_t above, struct pp_row *row)
{
	struct pp_call_tree *tree = making->tree;
	size_t columns = making->profile->classes->columns;
	uint64_t *counts = pp_profile_keep(making->profile, 2 * columns * sizeof(*counts));

	tree->nodes = op_grow(tree->nodes, &tree->capacity, tree->n + 1, sizeof(*tree->nodes));
	tree->nodes[tree->n] = (struct pp_call_node){
		.row = row, .above = above, .counts = counts, .ends = counts + columns};
	return (uint32_t)tree->n++;
}

static uint32_t node_below(struct making *making, uint32_t above, struct pp_row *row)
{
	uint64_t *number = op_pair_table_get(&making->below, above, (uintptr_t)row);

	if (!*number)
		*number = add_node(making, above, row);
	return (uint32_t)*number;
}

static struct pp_row *row_of(const struct pp_tree *tree, size_t node)
{
	uint32_t place = tree->nodes[node].place;

	return place == PP_NO_PLACE ? NULL : tree->rows[place];
}

/* Whether samples of a listed row end at a node.  Those of unknown leaves are lone samples. */
static bool is_leaf(const struct pp_tree *tree, size_t node)
{
	const struct pp_row *row = row_of(tree, node);

	return tree->nodes[node].count && row && !row->is_hidden &&
	       tree->nodes[node].place != tree->other;
}

static void add_known(struct making *making, const struct pp_tree *tree, size_t leaf)
{
	*op_pair_table_get(&making->known, (uintptr_t)row_of(tree, leaf), tree->class) +=
		tree->nodes[leaf].count;
}

/* Callers are before their callees, in the file and here. */
static void add_from_callers(struct making *making, const struct pp_tree *tree)
{
	bool *used = op_alloc(tree->n, sizeof(*used));
	uint32_t *nodes = op_alloc(tree->n, sizeof(*nodes));

	for (size_t i = tree->n; i-- > 1;) {
		used[i] |= is_leaf(tree, i);
		used[tree->nodes[i].caller] |= used[i];
	}
	for (size_t i = 1; i < tree->n; i++) {
		struct pp_row *row = row_of(tree, i);
		uint32_t above = nodes[tree->nodes[i].caller];

		if (!used[i])
			continue;
		nodes[i] = row ? node_below(making, above, row) : above;
		if (is_leaf(tree, i))
			making->tree->nodes[nodes[i]].ends[tree->class] += tree->nodes[i].count;
	}
	free(used);
	free(nodes);
}

static void add_from_callees(struct making *making, const struct pp_tree *tree)
{
	for (size_t leaf = 1; leaf < tree->n; leaf++) {
		uint32_t node = 0;

		if (!is_leaf(tree, leaf))
			continue;
		for (size_t i = leaf; i; i = tree->nodes[i].caller)
			if (row_of(tree, i))
				node = node_below(making, node, row_of(tree, i));
		making->tree->nodes[node].ends[tree->class] += tree->nodes[leaf].count;
	}
}

/* Samples without callers are in no stack file. */
static void add_lone_samples(struct making *making, struct pp_row *row)
{
	for (unsigned int i = 0; i < making->profile->classes->columns; i++) {
		const uint64_t *found = op_pair_table_find(&making->known, (uintptr_t)row, i);
		uint64_t known = found ? *found : 0;
		uint32_t node;

		if (row->counts[i] <= known)
			continue;
		node = node_below(making, 0, row);
		making->tree->nodes[node].ends[i] += row->counts[i] - known;
	}
}

static void add_up(const struct making *making)
{
	const struct pp_classes *classes = making->profile->classes;
	struct pp_call_node *nodes = making->tree->nodes;

	for (size_t i = making->tree->n; i-- > 0;) {
		pp_counts_add(classes, nodes[i].counts, nodes[i].ends);
		if (i)
			pp_counts_add(classes, nodes[nodes[i].above].counts, nodes[i].counts);
	}
}

void pp_call_tree_make(struct pp_profile *profile, const struct pp_arcs *arcs,
		       enum pp_call_order order)
{
	struct pp_call_tree *tree = pp_profile_keep(profile, sizeof(*tree));
	struct making making = {.profile = profile, .tree = tree};

	profile->call_tree = tree;
	add_node(&making, 0, NULL);
	for (size_t i = 0; i < arcs->n_trees; i++) {
		const struct pp_tree *stacks = &arcs->trees[i];

		for (size_t leaf = 1; leaf < stacks->n; leaf++)
			if (is_leaf(stacks, leaf))
				add_known(&making, stacks, leaf);
		if (order == PP_CALLS_FROM_CALLERS)
			add_from_callers(&making, stacks);
		else
			add_from_callees(&making, stacks);
	}
	for (size_t i = 0; i < profile->n_rows; i++)
		add_lone_samples(&making, profile->rows[i]);
	add_up(&making);
	op_pair_table_free(&making.below);
	op_pair_table_free(&making.known);
}
