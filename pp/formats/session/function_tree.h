/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of functions as a tree: a node is a function below its caller's node, whatever addresses
 * it was sampled at.  What was sampled in a node is its user's.
 */
#ifndef PP_FORMATS_SESSION_FUNCTION_TREE_H
#define PP_FORMATS_SESSION_FUNCTION_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/hash.h"

#define FUNCTION_TREE_ROOT UINT32_MAX /* the parent of the outermost functions */

struct function_tree_node {
	uint32_t parent;   /* less than the node's number, or FUNCTION_TREE_ROOT */
	uint32_t function; /* a number that its user gives */
};

/* All zero: empty. */
struct function_tree {
	struct function_tree_node *nodes;
	size_t n, capacity;
	struct op_hash by_node;
	/* The stack before, outermost first: most share the frames near the root. */
	uint32_t *path;
	size_t path_length, path_capacity;
};

/**
 * function_tree_step - go one frame further in a stack
 * @depth: how many frames of the stack are outside of this one, each of which was a step before
 *
 * Return: the node of the function there.
 */
uint32_t function_tree_step(struct function_tree *tree, size_t depth, uint32_t function);

/* Frees what only function_tree_step() needs. */
void function_tree_finish(struct function_tree *tree);
void function_tree_free(struct function_tree *tree);

#endif
