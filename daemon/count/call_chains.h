/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call graphs in the making: the frames of a trace are gathered, and when it ends, its stack is
 * counted in a tree in memory.
 *
 * That is all that is done for each sample.  From the tree, whole stacks (oprofile-stacks(5)) and
 * arcs ({cg} files) are written when it is full, when somebody wants to look, and every
 * ten seconds (profile.c).  What a kill loses is what came since then; samples themselves are in
 * their files at once.
 */
#ifndef DAEMON_STACK_H
#define DAEMON_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "sample_file.h"

struct profile;

/* Frames of a stack.  The kernel module takes 255 callers, perf_event_max_stack is 127 mostly. */
#define STACK_FRAMES_MOST 8192
/* What the tree has room for, in 3 MiB; a stack needs as many nodes as it has frames of its own. */
#define STACK_NODES_MOST (1u << 16)
#define STACK_ROOTS_MOST (1u << 12)

/* As the number of a node: there is none. */
#define STACK_NO_NODE UINT32_MAX
/* As that of a caller: there is none; the other bits are the index of the root. */
#define STACK_IS_ROOT UINT32_C(0x80000000)

struct stack_frame {
	struct image *image; /* or one of stack::unknown; then @key is the address */
	uint64_t key;
};

/* struct stack_node - a frame below its caller */
struct stack_node {
	struct image *image;
	uint64_t key;
	uint32_t caller; /* number of its node, or STACK_IS_ROOT */
	uint32_t newest; /* of its callees: the one that was used last, or STACK_NO_NODE */
	uint64_t count;	 /* samples that end here */
};
_Static_assert(sizeof(struct stack_node) == 32, "two in a cache line");

/* struct stack_root - what all stacks of a tree have in common */
struct stack_root {
	struct sample_key key; /* of the stack file */
	struct image *program; /* that the task ran; NULL: unknown, and another one is in @key */
	uint32_t newest;       /* as of a node */
	uint64_t samples;
};

struct stack {
	struct stack_frame *frame; /* that are gathered, leaf first */
	size_t depth;		   /* 0: none is being gathered */
	struct stack_root begun;   /* where they belong */

	struct stack_node *node; /* callers are before what they call */
	struct stack_root *root;
	uint32_t nodes, roots;
	uint32_t last_root;
	uint32_t *node_slot, *root_slot; /* 1 + index, by hash, open addressing; 0 is free */

	struct image unknown[2]; /* stand for what is in no image: of user code, of the kernel */
};

/* Return: 0, or -1 with @error set. */
int stack_init(struct stack *stack, struct op_error *error);
void stack_free(struct stack *stack);

/**
 * stack_begin - begin with the leaf, which was counted as a sample
 * @key: of the stack file: the application is its dep
 * @program: as of struct stack_root
 */
static inline void stack_begin(struct stack *stack, const struct sample_key *key,
			       struct image *program, const struct stack_frame *leaf)
{
	stack->begun = (struct stack_root){.key = *key, .program = program};
	stack->frame[0] = *leaf;
	stack->depth = 1;
}

/* Adds a caller of the frames so far.  Return: whether there was room. */
static inline bool stack_push(struct stack *stack, struct image *image, uint64_t key)
{
	if (stack->depth >= STACK_FRAMES_MOST)
		return false;
	stack->frame[stack->depth++] = (struct stack_frame){image, key};
	return true;
}

/* The same where it is not known which image an address is in. */
static inline bool stack_push_unknown(struct stack *stack, uint64_t address, bool is_kernel)
{
	return stack_push(stack, &stack->unknown[is_kernel], address);
}

static inline bool stack_is_unknown(const struct stack *stack, const struct image *image)
{
	return image == &stack->unknown[0] || image == &stack->unknown[1];
}

/* Counts what was gathered, if anything was. */
void stack_end(struct profile *profile);

/**
 * stack_flush - write what was counted to stack files and {cg} files
 *
 * What cannot be written is lost, and counted.  May close sample files.  Images that were told to
 * stack_begin() and stack_push() must live until then.
 */
void stack_flush(struct profile *profile);

/* Forgets what was counted: it is written, or nobody wants it any more. */
void stack_clear(struct stack *stack);

#endif
