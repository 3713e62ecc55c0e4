// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees of functions: see function_tree.h. */
#include "function_tree.h"

#include <stdlib.h>

#include "libop/base/memory.h"

static uint32_t node_of(struct function_tree *tree, uint32_t parent, uint32_t function)
{
	uint64_t key = op_hash_mix(parent, function);
	uint32_t i;

	op_hash_for_each_possible (&tree->by_node, key, i)
		if (tree->nodes[i].parent == parent && tree->nodes[i].function == function)
			return i;
	i = (uint32_t)tree->n++;
	tree->nodes = op_grow(tree->nodes, &tree->capacity, tree->n, sizeof(*tree->nodes));
	tree->nodes[i] = (struct function_tree_node){parent, function};
	op_hash_add_or_exit(&tree->by_node, key, i);
	return i;
}

uint32_t function_tree_step(struct function_tree *tree, size_t depth, uint32_t function)
{
	if (depth < tree->path_length && tree->nodes[tree->path[depth]].function == function)
		return tree->path[depth];
	tree->path = op_grow(tree->path, &tree->path_capacity, depth + 1, sizeof(*tree->path));
	tree->path[depth] =
		node_of(tree, depth ? tree->path[depth - 1] : FUNCTION_TREE_ROOT, function);
	tree->path_length = depth + 1;
	return tree->path[depth];
}

void function_tree_finish(struct function_tree *tree)
{
	op_hash_free(&tree->by_node);
	free(tree->path);
	tree->path = NULL;
	tree->path_length = tree->path_capacity = 0;
}

void function_tree_free(struct function_tree *tree)
{
	function_tree_finish(tree);
	free(tree->nodes);
	*tree = (struct function_tree){0};
}
