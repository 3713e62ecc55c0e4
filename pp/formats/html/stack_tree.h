/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a profile, or of two that are compared, as a tree of functions, whatever addresses
 * they were sampled at.
 *
 * Each profile is a side of the tree and has events of its own in it.  Of two sides, functions
 * of one name are one if their images are (pp/report/image_pairs.h), as in text: a program that was
 * built again is at another place, or has another build-id.
 *
 * Entries, of what was sampled in a node, are told apart by the places of the call chain, too, as
 * far as listings of code show them: chains of places are a tree as well.
 *
 * A root of the tree is a program; each node below is a function that its parent calls, or that is
 * inlined in it: where both happen, these are two nodes.  Nodes are numbered in preorder, with the
 * heaviest child first, so that node + 1 is the first child, and a drawing may stop at the first
 * child that is too small to be seen.
 */
#ifndef PP_FORMATS_HTML_STACK_TREE_H
#define PP_FORMATS_HTML_STACK_TREE_H

#include "pp/formats/session/function_tree.h"
#include "pp/formats/session/named_stack.h"
#include "pp/report/image_pairs.h"

#define STACK_TREE_SIDES 2

struct stack_tree_node {
	uint32_t parent;   /* less than the node's number, or FUNCTION_TREE_ROOT */
	uint32_t function; /* in stack_tree::functions */
	bool is_inlined;   /* in its parent, of whose symbol it is */
	uint64_t weight;   /* of the node and all below it: of the first event; of two sides, the
			    * sum of the parts of a billion */
};

struct stack_tree_image {
	const char *base, *path; /* path: of the first side that has it */
	const char *name;	 /* of its pair, by which images of files are one; else NULL */
	bool is_kernel;
};

struct stack_tree_event {
	const struct prof_event *event;
	uint32_t side;
};

/* What was sampled in a node itself. */
struct stack_tree_entry {
	uint32_t node;
	uint32_t thread;
	uint32_t chain; /* a number of stack_tree::chains, plus 1; 0: it has no place */
	size_t values;	/* the first of n_events, in stack_tree::values */
};

/* Places in a call chain, outermost first; only the innermost frame may have none. */
struct stack_tree_chain {
	uint32_t parent; /* less than the chain's number, or FUNCTION_TREE_ROOT */
	uint32_t place;	 /* a number that the stack_tree_place_fn gave; 0: none */
};

/* The number of a place, from 1 on, by which entries are told apart; 0: no listing shows it. */
typedef uint32_t stack_tree_place_fn(const void *context, uint32_t side,
				     const struct prof_frame *place);

/* Samples of different threads are told apart; those on different CPUs, if their profile does. */
struct stack_tree_thread {
	uint32_t program;	 /* the function that is its program */
	int64_t pid, tid, cpu;	 /* or PROF_ANY */
	const struct prof *prof; /* of the labels */
	const struct prof_label *labels;
	size_t n_labels;
};

/* A profile in the tree, and what its numbers are there. */
struct stack_tree_side {
	const struct prof *prof;
	struct prof_names *names;
	uint32_t *images; /* by its own number */
	size_t first_event, first_value;
};

struct stack_tree {
	struct stack_tree_side sides[STACK_TREE_SIDES];
	size_t n_sides;
	const struct pp_image_pairs *pairs; /* of two sides */
	struct stack_tree_event *events;    /* of all sides */
	size_t n_events, events_capacity;
	struct stack_tree_image *images;
	size_t n_images, images_capacity;
	struct named_functions functions;
	struct stack_tree_node *nodes;
	size_t n_nodes;
	struct stack_tree_entry *entries; /* by node, thread and chain: each is there once */
	size_t n_entries, entries_capacity;
	struct stack_tree_chain *chains; /* in preorder */
	size_t n_chains;
	struct prof_value *values; /* n_events for each entry, in the order of events */
	size_t n_values, values_capacity;
	struct stack_tree_thread *threads;
	size_t n_threads, threads_capacity;
	/* By the number of a value in the order of prof_next(), which moments have, from the side's
	 * first_value on: its entry. */
	uint32_t *entry_of_value;
	size_t n_sample_values, entry_of_value_capacity;

	/* While it is made. */
	struct op_hash by_entry, by_thread, by_image;
	uint32_t side; /* that is being added */
	stack_tree_place_fn *place_of;
	const void *place_context;
	struct function_tree stacks, places; /* of all sides */
};

/**
 * stack_tree_begin - begin the tree of a finished profile, or of two that are compared
 * @tree: takes the place of what was there; stack_tree_free() frees it
 * @profs, @names: of each of @n sides, the old one first; must live as long
 * @pairs: of two sides, which of their images are one; else NULL
 *
 * It has sides, events and images then, and stack_tree_function() can be called.
 */
void stack_tree_begin(struct stack_tree *tree, const struct prof *const *profs,
		      struct prof_names *const *names, size_t n,
		      const struct pp_image_pairs *pairs);

/* Adds all samples; @place_of is called with @context for each frame. */
void stack_tree_make(struct stack_tree *tree, stack_tree_place_fn *place_of, const void *context);
void stack_tree_free(struct stack_tree *tree);

/* What events of the first event of a side weigh: as they are, or of two sides, as parts of a
 * billion, so that sides can be added up; and the weight of all. */
uint64_t stack_tree_weight(const struct stack_tree *tree, size_t side, uint64_t events);
uint64_t stack_tree_whole(const struct stack_tree *tree);

/* The function of a line of code at a place in @image, a number of side @side. */
uint32_t stack_tree_function(struct stack_tree *tree, uint32_t side, const struct prof_line *line,
			     uint32_t image);

/* The function that is the program of a sample of @prof, of which @image is the number that side
 * @side has of it. */
uint32_t stack_tree_program(struct stack_tree *tree, uint32_t side, const struct prof *prof,
			    const struct prof_sample *sample, uint32_t image);

#endif
