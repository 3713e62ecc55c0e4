// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call graphs in the making: see stack.h.
 *
 * Most stacks have all but their last frames in common with one that was there shortly before.  So
 * each node knows the callee that was used last, and only where that is another one a table is
 * asked.
 */
#include "call_chains.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/map.h"
#include "profile.h"

/* A quarter full at most: a lookup that finds nothing is a short one. */
#define NODE_SLOT_BITS 18
#define NODE_SLOTS     (1u << NODE_SLOT_BITS)
#define ROOT_SLOT_BITS 14
#define ROOT_SLOTS     (1u << ROOT_SLOT_BITS)
_Static_assert(NODE_SLOTS == 4 * STACK_NODES_MOST, "a quarter");
_Static_assert(ROOT_SLOTS == 4 * STACK_ROOTS_MOST, "a quarter");

int stack_init(struct stack *stack, struct op_error *error)
{
	*stack = (struct stack){
		.frame = calloc(STACK_FRAMES_MOST, sizeof(*stack->frame)),
		.node = calloc(STACK_NODES_MOST, sizeof(*stack->node)),
		.root = calloc(STACK_ROOTS_MOST, sizeof(*stack->root)),
		.node_slot = calloc(NODE_SLOTS, sizeof(*stack->node_slot)),
		.root_slot = calloc(ROOT_SLOTS, sizeof(*stack->root_slot)),
		.unknown[1].is_kernel = true,
	};
	if (stack->frame && stack->node && stack->root && stack->node_slot && stack->root_slot)
		return 0;
	stack_free(stack);
	return op_error_set(error, ENOMEM, "out of memory");
}

void stack_free(struct stack *stack)
{
	free(stack->frame);
	free(stack->node);
	free(stack->root);
	free(stack->node_slot);
	free(stack->root_slot);
	*stack = (struct stack){0};
}

void stack_clear(struct stack *stack)
{
	memset(stack->node_slot, 0, sizeof(*stack->node_slot) * NODE_SLOTS);
	memset(stack->root_slot, 0, sizeof(*stack->root_slot) * ROOT_SLOTS);
	stack->nodes = stack->roots = stack->last_root = 0;
}

/* ---- roots ---- */

static bool is_root(const struct stack_root *a, const struct stack_root *b)
{
	return a->program == b->program && a->key.app == b->key.app &&
	       a->key.event == b->key.event && a->key.tid == b->key.tid &&
	       a->key.tgid == b->key.tgid && a->key.cpu == b->key.cpu;
}

static size_t root_home(const struct stack_root *root)
{
	uint64_t hash = map_mix((uintptr_t)root->program, (uintptr_t)root->key.app);

	hash = map_mix(hash, (uint64_t)root->key.event << 32 | (uint32_t)root->key.cpu);
	hash = map_mix(hash, (uint64_t)(uint32_t)root->key.tgid << 32 | (uint32_t)root->key.tid);
	return hash & (ROOT_SLOTS - 1);
}

/* The index of the root that @wanted is; there is room for it. */
static uint32_t get_root(struct stack *stack, const struct stack_root *wanted)
{
	size_t at = root_home(wanted);

	for (; stack->root_slot[at]; at = (at + 1) & (ROOT_SLOTS - 1)) {
		if (is_root(&stack->root[stack->root_slot[at] - 1], wanted))
			return stack->root_slot[at] - 1;
	}
	stack->root[stack->roots] = *wanted;
	stack->root[stack->roots].newest = STACK_NO_NODE;
	stack->root_slot[at] = ++stack->roots;
	return stack->roots - 1;
}

/* ---- nodes ---- */

static size_t node_home(uint32_t caller, const struct stack_frame *frame)
{
	/* callees of one frame differ in their keys; images are told apart by comparing */
	uint64_t hash =
		(frame->key ^ (uint64_t)caller << 40 ^ caller) * UINT64_C(0x9e3779b97f4a7c15);

	return hash >> (64 - NODE_SLOT_BITS);
}

static inline bool is_frame(const struct stack_node *node, const struct stack_frame *frame)
{
	return node->key == frame->key && node->image == frame->image;
}

/* The node of a frame; there is room for it. */
static uint32_t get_node(struct stack *stack, uint32_t caller, const struct stack_frame *frame)
{
	size_t at = node_home(caller, frame);

	for (; stack->node_slot[at]; at = (at + 1) & (NODE_SLOTS - 1)) {
		const struct stack_node *node = &stack->node[stack->node_slot[at] - 1];

		if (node->caller == caller && is_frame(node, frame))
			return stack->node_slot[at] - 1;
	}
	stack->node[stack->nodes] = (struct stack_node){
		.image = frame->image,
		.key = frame->key,
		.caller = caller,
		.newest = STACK_NO_NODE,
	};
	stack->node_slot[at] = ++stack->nodes;
	return stack->nodes - 1;
}

void stack_end(struct profile *profile)
{
	struct stack *stack = &profile->stack;
	uint32_t caller, *newest;

	if (!stack->depth)
		return;
	if (stack->nodes + stack->depth > STACK_NODES_MOST || stack->roots == STACK_ROOTS_MOST)
		stack_flush(profile);
	if (!stack->roots || !is_root(&stack->root[stack->last_root], &stack->begun))
		stack->last_root = get_root(stack, &stack->begun);
	stack->root[stack->last_root].samples++;
	caller = STACK_IS_ROOT | stack->last_root;
	newest = &stack->root[stack->last_root].newest;
	for (const struct stack_frame *frame = stack->frame + stack->depth;
	     frame-- > stack->frame;) {
		uint32_t callee = *newest;

		if (callee == STACK_NO_NODE || !is_frame(&stack->node[callee], frame)) {
			callee = get_node(stack, caller, frame);
			*newest = callee;
		}
		caller = callee;
		newest = &stack->node[callee].newest;
	}
	stack->node[caller].count++;
	stack->depth = 0;
}
