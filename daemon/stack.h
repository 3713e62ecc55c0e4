/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole stacks: the frames of a trace are gathered, and when it ends they are counted as one, in
 * the stack file (oprofile-stacks(5)) of the application.
 *
 * Arcs, which are counted frame by frame (stream.c), do not tell which ways through the callers
 * belong together; this does.
 */
#ifndef DAEMON_STACK_H
#define DAEMON_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "sample_file.h"

struct profile;

/* Frames of one stack; what is deeper is left out, at the root's end. */
#define STACK_FRAMES_MOST 1024

struct stack_frame {
	struct image *image; /* NULL: unknown, @key is the address */
	uint64_t key;
};

/* The stack that is being gathered, and how the one before was stored. */
struct stack {
	struct stack_frame frames[STACK_FRAMES_MOST]; /* leaf first */
	size_t depth;				      /* 0: none is being gathered */
	struct sample_key key;

	/* The frames of the one before as the stack file knows them, from the root's end. */
	struct sample_file *file; /* NULL: there is none */
	uint64_t closed;	  /* sample_files::closed at that time */
	struct stack_frame before[STACK_FRAMES_MOST];
	struct stacks_frame stored[STACK_FRAMES_MOST];
	size_t n_before;
};

/**
 * stack_begin - begin with the leaf, which was counted as a sample
 * @key: of the stack file: the application is its dep
 */
void stack_begin(struct stack *stack, const struct sample_key *key, struct image *image,
		 uint64_t offset);

/* Adds a caller of the frames so far; @image is NULL if it is not known. */
static inline void stack_push(struct stack *stack, struct image *image, uint64_t key)
{
	if (stack->depth && stack->depth < STACK_FRAMES_MOST)
		stack->frames[stack->depth++] = (struct stack_frame){image, key};
}

/* Counts what was gathered, if anything was. */
void stack_end(struct profile *profile);

#endif
