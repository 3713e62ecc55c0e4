/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a profile as a tree of functions, whatever addresses they were sampled at.
 *
 * A root of the tree is a program; each node below is a function that its parent calls.  Nodes
 * are numbered in preorder, with the heaviest child first, so that node + 1 is the first child,
 * and a drawing may stop at the first child that is too small to be seen.
 */
#ifndef PP_FORMATS_HTML_STACK_TREE_H
#define PP_FORMATS_HTML_STACK_TREE_H

#include "pp/formats/session/named_stack.h"

#define STACK_TREE_ROOT UINT32_MAX /* the parent of programs */

struct stack_tree_node {
	uint32_t parent;   /* less than the node's number, or STACK_TREE_ROOT */
	uint32_t function; /* in stack_tree::functions */
	uint32_t depth;	   /* 0: a program */
	uint64_t weight;   /* of the first event, of the node and all below it */
};

/* What was sampled in a node itself. */
struct stack_tree_entry {
	uint32_t node;
	uint32_t thread;
	size_t values; /* the first of n_events, in stack_tree::values */
};

/* Samples of different threads are told apart. */
struct stack_tree_thread {
	uint32_t program; /* the function that is its program */
	int64_t pid, tid; /* or PROF_ANY */
};

struct stack_tree {
	const struct prof *prof;
	struct named_functions functions;
	struct stack_tree_node *nodes;
	size_t n_nodes, nodes_capacity;
	struct stack_tree_entry *entries; /* by node, then by thread: each pair is there once */
	size_t n_entries, entries_capacity;
	struct prof_value *values; /* n_events for each entry, in the order of events */
	size_t n_values, values_capacity;
	struct stack_tree_thread *threads;
	size_t n_threads, threads_capacity;
	/* By the number of a value in the order of prof_next(), which moments have: its entry. */
	uint32_t *entry_of_value;
	size_t n_sample_values, entry_of_value_capacity;

	/* While it is made. */
	struct op_hash by_node, by_entry, by_thread;
	uint32_t *path, *path_functions; /* nodes of the stack before, and their functions */
	size_t path_length, path_capacity, path_functions_capacity;
};

/**
 * stack_tree_make - make the tree of a finished profile
 * @tree: takes the place of what was there; stack_tree_free() frees it
 * @names: the names of functions; must live as long
 */
void stack_tree_make(struct stack_tree *tree, const struct prof *prof, struct prof_names *names);
void stack_tree_free(struct stack_tree *tree);

#endif
