// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the tree of stack.h to stack files and {cg} files.
 *
 * An arc is counted once for all the samples below it: callers come before what they call, so one
 * walk from the end adds up what is below each node.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "call_chains.h"

/* For a frame whose image has no room in the file: no node can be made for it. */
#define NO_ROOM UINT32_MAX
/* Of a number in a stack file: it is that of a caller, as there was no room for the node. */
#define CUT UINT32_C(0x80000000)
_Static_assert(STACKS_UNITS_MOST <= CUT, "numbers leave the bit free");

/* What is known of the nodes while they are written; each has one entry for a node. */
struct flush {
	uint64_t *samples; /* that end there or below */
	uint32_t *root;	   /* index of its root */
	uint32_t *order;   /* nodes by their roots, callers first */
	uint32_t *stored;  /* number in the stack file; CUT may be set */
};

/* ---- stacks ---- */

/* The number of an image in a stack file, or NO_ROOM. */
static uint32_t find_image(struct sample_file *file, struct image *image)
{
	uintptr_t id = (uintptr_t)map_find(&file->stack_images, (uintptr_t)image);
	struct odb_error error;
	uint32_t mtime = image->mtime <= UINT32_MAX ? (uint32_t)image->mtime : 0;
	char *name;

	if (id)
		return (uint32_t)id;
	name = op_image_name_make(&image->id);
	if (!name)
		return NO_ROOM;
	id = stacks_image(file->stacks, name, image->is_kernel ? STACKS_IMAGE_KERNEL : 0, mtime,
			  &error);
	free(name);
	if (!id)
		return NO_ROOM;
	/* without memory for it it is looked for in the file again the next time */
	map_set(&file->stack_images, (uintptr_t)image, (void *)id);
	return (uint32_t)id;
}

static struct stacks_frame frame_of(const struct stack *stack, struct sample_file *file,
				    const struct stack_node *node)
{
	struct image *image = node->image;

	if (stack_is_unknown(stack, image))
		return (struct stacks_frame){0, node->key};
	while (image->successor)
		image = image->successor;
	return (struct stacks_frame){find_image(file, image), node->key};
}

static uint32_t store_node(const struct stack *stack, struct sample_file *file,
			   const struct stack_node *node, uint32_t caller, struct odb_error *error)
{
	struct stacks_frame frame;
	uint32_t number;

	if (caller & CUT)
		return caller;
	frame = frame_of(stack, file, node);
	number = stacks_node(file->stacks, caller, &frame, error);
	return number == STACKS_NO_NODE ? caller | CUT : number;
}

/* Stores the nodes of one root.  No other file is opened meanwhile, which could close this one. */
static void store_tree(struct profile *profile, struct sample_file *file, struct flush *flush,
		       const uint32_t *order, size_t count)
{
	const struct stack *stack = &profile->stack;
	uint64_t *stats = profile->stats.value;
	struct odb_error error = {0};
	bool cut = false;

	for (size_t i = 0; i < count; i++) {
		uint32_t at = order[i];
		const struct stack_node *node = &stack->node[at];
		uint32_t caller =
			node->caller & STACK_IS_ROOT ? STACKS_ROOT : flush->stored[node->caller];
		uint32_t number = store_node(stack, file, node, caller, &error);

		flush->stored[at] = number;
		if (!node->count)
			continue;
		if (stacks_count(file->stacks, number & ~CUT, node->count, number & CUT, &error) ==
		    STACKS_ADDED) {
			stats[STAT_STACKS] += node->count;
		} else {
			stats[STAT_STACKS_MERGED] += node->count;
			cut = true;
		}
	}
	if (cut)
		log_limited(&profile->files.log_add, "stacks are cut: %s", error.text);
}

/* Puts the nodes in the order of their roots; @end is set to where those of each root end. */
static void sort_nodes(const struct stack *stack, struct flush *flush, uint32_t *end)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < stack->nodes; i++) {
		uint32_t caller = stack->node[i].caller;

		flush->root[i] =
			caller & STACK_IS_ROOT ? caller & ~STACK_IS_ROOT : flush->root[caller];
		end[flush->root[i]]++;
	}
	for (uint32_t i = 0; i < stack->roots; i++) {
		uint32_t count = end[i];

		end[i] = before;
		before += count;
	}
	for (uint32_t i = 0; i < stack->nodes; i++)
		flush->order[end[flush->root[i]]++] = i;
}

static void write_stacks(struct profile *profile, struct flush *flush, uint32_t *end)
{
	const struct stack *stack = &profile->stack;
	uint32_t from = 0;

	sort_nodes(stack, flush, end);
	for (uint32_t i = 0; i < stack->roots; from = end[i++]) {
		const struct stack_root *root = &stack->root[i];
		struct sample_file *file = sample_file_get(&profile->files, &root->key);

		if (file)
			store_tree(profile, file, flush, flush->order + from, end[i] - from);
		else
			profile->stats.value[STAT_STACKS_LOST] += root->samples;
	}
}

/* ---- arcs ---- */

static int add_arc(struct profile *profile, const struct stack_root *root,
		   const struct stack_node *caller, const struct stack_node *callee,
		   uint64_t samples)
{
	struct sample_file *file;
	struct sample_key key = root->key;

	key.is_stacks = false;
	key.dep = caller->image;
	key.callee = callee->image;
	key.app = profile_app(profile, caller->image, caller->image->is_kernel, root->program);
	if (!key.app)
		key.app = caller->image;
	file = sample_file_get(&profile->files, &key);
	if (!file || sample_file_add(&profile->files, file,
				     caller->key << 32 | (callee->key & UINT32_MAX), samples))
		return -1;
	log_verbose(LOG_ARCS, "arc: %s %#" PRIx64 " calls %s %#" PRIx64 ": %" PRIu64 " times",
		    caller->image->id.name, caller->key, callee->image->id.name, callee->key,
		    samples);
	return 0;
}

/* Counts an arc.  Return: the number of the statistics that has it. */
static enum stat_id take_arc(struct profile *profile, const struct stack_root *root,
			     const struct stack_node *caller, const struct stack_node *callee,
			     uint64_t samples)
{
	if (stack_is_unknown(&profile->stack, caller->image))
		return STAT_FRAMES_NO_MAPPING;
	if (caller->image->is_kernel != callee->image->is_kernel)
		return STAT_FRAMES_APART;
	if (stack_is_unknown(&profile->stack, callee->image))
		return STAT_FRAMES_NO_MAPPING;
	if (!image_is_wanted(caller->image, root->program))
		return STAT_FRAMES_FILTERED;
	if (add_arc(profile, root, caller, callee, samples))
		return STAT_FRAMES_NO_SAMPLE_FILE;
	return STAT_ARCS;
}

static void write_arcs(struct profile *profile, struct flush *flush)
{
	const struct stack *stack = &profile->stack;

	for (uint32_t i = 0; i < stack->nodes; i++)
		flush->samples[i] = stack->node[i].count;
	for (uint32_t i = stack->nodes; i--;) {
		const struct stack_node *callee = &stack->node[i];
		const struct stack_root *root = &stack->root[flush->root[i]];
		uint64_t samples = flush->samples[i];

		if (callee->caller & STACK_IS_ROOT)
			continue;
		flush->samples[callee->caller] += samples;
		profile->stats.value[take_arc(profile, root, &stack->node[callee->caller], callee,
					      samples)] += samples;
	}
}

/* ---- both ---- */

/* Without memory for the walk, all is lost. */
static void lose(struct profile *profile)
{
	const struct stack *stack = &profile->stack;
	uint64_t *stats = profile->stats.value;

	log_limited(&profile->files.log_add, "call graphs are lost: out of memory");
	for (uint32_t i = 0; i < stack->roots; i++)
		stats[STAT_STACKS_LOST] += stack->root[i].samples;
	for (uint32_t i = 0; i < stack->nodes; i++) {
		uint32_t depth = 0;

		for (uint32_t at = stack->node[i].caller; !(at & STACK_IS_ROOT);
		     at = stack->node[at].caller)
			depth++;
		stats[STAT_FRAMES_NO_SAMPLE_FILE] += depth * stack->node[i].count;
	}
}

void stack_flush(struct profile *profile)
{
	struct stack *stack = &profile->stack;
	uint64_t closed = profile->files.closed;
	struct flush flush;
	uint32_t *end;

	if (!stack->roots)
		return;
	flush.samples = malloc(stack->nodes * sizeof(*flush.samples));
	flush.root = malloc(stack->nodes * sizeof(*flush.root));
	flush.order = malloc(stack->nodes * sizeof(*flush.order));
	flush.stored = malloc(stack->nodes * sizeof(*flush.stored));
	end = calloc(stack->roots, sizeof(*end));
	if (flush.samples && flush.root && flush.order && flush.stored && end) {
		write_stacks(profile, &flush, end);
		write_arcs(profile, &flush);
	} else {
		lose(profile);
	}
	free(flush.samples);
	free(flush.root);
	free(flush.order);
	free(flush.stored);
	free(end);
	stack_clear(stack);
	if (profile->files.closed != closed)
		stream_forget(&profile->stream);
}
