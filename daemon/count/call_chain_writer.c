// SPDX-License-Identifier: GPL-2.0-or-later
/* From the tree of call chains to stack files: see call_chain_writer.h. */
#include "call_chain_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "call_chains.h"
#include "libop/session/log.h"
#include "daemon/files/sample_file.h"
#include "daemon/files/stats.h"

/* The number of an image that the file cannot take: its frames get no nodes. */
#define NO_IMAGE UINT32_MAX
/* In the number of a node: the file is full, and this is the nearest caller that it has. */
#define CUT UINT32_C(0x80000000)
_Static_assert(STACKS_UNITS_MOST <= CUT, "unit numbers do not use the CUT bit");

/* Arrays with one entry for each node of the tree. */
struct flush {
	uint32_t *root;	  /* index of its root */
	uint32_t *order;  /* nodes by their roots, callers first */
	uint32_t *stored; /* number in the stack file; CUT may be set */
	uint16_t *frames; /* in known images, it and its callers */
};
_Static_assert(CHAIN_FRAMES_MOST <= UINT16_MAX, "frames of a chain fit flush::frames");

static bool is_below_root(const struct chain_node *node)
{
	return node->caller & CHAIN_IS_ROOT;
}

/* ---- stacks ---- */

/* Return: the number of an image in a stack file, or NO_IMAGE. */
static uint32_t find_image(struct sample_file *file, struct image *image)
{
	uintptr_t id = (uintptr_t)op_hash_map_find(&file->stack_images, (uintptr_t)image);
	struct odb_error error;
	uint32_t mtime = image->mtime <= UINT32_MAX ? (uint32_t)image->mtime : 0;
	char *name;

	if (id)
		return (uint32_t)id;
	name = op_image_name_make(&image->id);
	if (!name)
		return NO_IMAGE;
	id = stacks_image(file->stacks, name, image->is_kernel ? STACKS_IMAGE_KERNEL : 0, mtime,
			  &error);
	free(name);
	if (!id)
		return NO_IMAGE;
	/* if this fails, the next call searches the file again */
	op_hash_map_set(&file->stack_images, (uintptr_t)image, (void *)id);
	return (uint32_t)id;
}

static struct stacks_frame frame_of(const struct call_chains *chains, struct sample_file *file,
				    const struct chain_node *node)
{
	struct image *image = node->image;

	if (call_chains_is_unknown(chains, image))
		return (struct stacks_frame){0, node->offset};
	while (image->successor)
		image = image->successor;
	return (struct stacks_frame){find_image(file, image), node->offset};
}

static uint32_t store_node(const struct call_chains *chains, struct sample_file *file,
			   const struct chain_node *node, uint32_t caller, struct odb_error *error)
{
	struct stacks_frame frame;
	uint32_t number;

	if (caller & CUT)
		return caller;
	frame = frame_of(chains, file, node);
	number = stacks_node(file->stacks, caller, &frame, error);
	return number == STACKS_NO_NODE ? caller | CUT : number;
}

/* Known frames that are callers of a node, up to the root. */
static uint64_t callers_of(const struct call_chains *chains, const struct flush *flush, uint32_t at)
{
	const struct chain_node *node = &chains->node[at];

	return is_below_root(node) ? 0 : flush->frames[node->caller];
}

/* Of a node whose chain was cut: those without the @missing ones of the frames that have nodes. */
static uint64_t kept_of(const struct call_chains *chains, const struct flush *flush, uint32_t at,
			uint32_t missing)
{
	while (flush->stored[at] & CUT || missing--) {
		at = chains->node[at].caller;
		if (at & CHAIN_IS_ROOT)
			return 0;
	}
	return flush->frames[at];
}

/* Counts the callers of @n samples that end at a node. */
static void count_frames(const struct call_chains *chains, const struct flush *flush, uint32_t at,
			 uint64_t n, uint32_t missing, uint64_t *stats)
{
	uint64_t callers = callers_of(chains, flush, at);
	uint64_t kept = flush->stored[at] & CUT ? kept_of(chains, flush, at, missing) : callers;

	stats[STAT_FRAMES_STORED] += n * kept;
	stats[STAT_FRAMES_NO_SAMPLE_FILE] += n * (callers - kept);
}

/* Stores a node below its caller. */
static uint32_t place_node(const struct call_chains *chains, struct sample_file *file,
			   struct flush *flush, uint32_t at, struct odb_error *error)
{
	const struct chain_node *node = &chains->node[at];
	uint32_t caller = is_below_root(node) ? STACKS_ROOT : flush->stored[node->caller];

	flush->stored[at] = store_node(chains, file, node, caller, error);
	return flush->stored[at];
}

/*
 * Stores the nodes of one root, with samples or weights.  Must not open another file, which could
 * close this one.
 */
static void store_tree(const struct call_chain_writer *writer, struct sample_file *file,
		       struct flush *flush, const uint32_t *order, size_t count)
{
	const struct call_chains *chains = writer->chains;
	uint64_t unused[STAT_COUNT] = {0};
	uint64_t *stats = file->key.is_weight ? unused : writer->stats->value;
	struct odb_error error = {0};
	bool cut = false;

	for (size_t i = 0; i < count; i++) {
		uint32_t at = order[i], number = place_node(chains, file, flush, at, &error);
		const struct chain_node *node = &chains->node[at];
		uint64_t n = file->key.is_weight ? chains->weight[at] : node->count;
		uint32_t missing = 0;

		if (!n)
			continue;
		if (stacks_count(file->stacks, number & ~CUT, n, number & CUT, &missing, &error) ==
		    STACKS_ADDED) {
			stats[STAT_STACKS] += n;
		} else {
			stats[STAT_STACKS_MERGED] += n;
			cut = true;
		}
		count_frames(chains, flush, at, n, missing, stats);
		file->added += node->count;
		log_verbose(LOG_ARCS, "stack: %s %#" PRIx64 " and its callers: %" PRIu64 " times",
			    node->image->id.name, node->offset, n);
	}
	if (cut)
		log_limited(&writer->files->log_add, "call chains are truncated: %s", error.text);
}

/* Sorts the nodes by root, and counts their frames; @end is set to where those of each root end. */
static void sort_nodes(const struct call_chains *chains, struct flush *flush, uint32_t *end)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < chains->nodes; i++) {
		const struct chain_node *node = &chains->node[i];
		uint32_t caller = node->caller;

		flush->root[i] =
			is_below_root(node) ? caller & ~CHAIN_IS_ROOT : flush->root[caller];
		flush->frames[i] = (uint16_t)((is_below_root(node) ? 0 : flush->frames[caller]) +
					      !call_chains_is_unknown(chains, node->image));
		end[flush->root[i]]++;
	}
	for (uint32_t i = 0; i < chains->roots; i++) {
		uint32_t count = end[i];

		end[i] = before;
		before += count;
	}
	for (uint32_t i = 0; i < chains->nodes; i++)
		flush->order[end[flush->root[i]]++] = i;
}

/* Weights that cannot be written are without effect on counts: the log tells. */
static void write_stack_weights(const struct call_chain_writer *writer, struct flush *flush,
				const struct chain_root *root, const uint32_t *order, size_t count)
{
	struct sample_key key = root->key;
	struct sample_file *file;

	key.is_weight = true;
	file = root->is_weighted ? sample_file_get(writer->files, &key) : NULL;
	if (file)
		store_tree(writer, file, flush, order, count);
}

/* Counts the chains of a root that has no file. */
static void lose_root(const struct call_chain_writer *writer, const struct flush *flush,
		      const struct chain_root *root, const uint32_t *order, size_t count)
{
	const struct call_chains *chains = writer->chains;
	uint64_t *stats = writer->stats->value;

	stats[writer->files->cause == SAMPLE_FILE_BEYOND ? STAT_STACKS_BEYOND : STAT_STACKS_LOST] +=
		root->samples;
	for (size_t i = 0; i < count; i++)
		stats[STAT_FRAMES_NO_SAMPLE_FILE] +=
			chains->node[order[i]].count * callers_of(chains, flush, order[i]);
}

static void write_stacks(const struct call_chain_writer *writer, struct flush *flush, uint32_t *end)
{
	const struct call_chains *chains = writer->chains;
	uint32_t from = 0;

	sort_nodes(chains, flush, end);
	for (uint32_t i = 0; i < chains->roots; from = end[i++]) {
		const struct chain_root *root = &chains->root[i];
		const uint32_t *order = flush->order + from;
		struct sample_file *file = sample_file_get(writer->files, &root->key);

		if (!file) {
			lose_root(writer, flush, root, order, end[i] - from);
			continue;
		}
		store_tree(writer, file, flush, order, end[i] - from);
		write_stack_weights(writer, flush, root, order, end[i] - from);
	}
}

/* Counts all as lost, for when memory is short. */
static void lose(const struct call_chain_writer *writer)
{
	const struct call_chains *chains = writer->chains;
	uint64_t *stats = writer->stats->value;

	log_limited(&writer->files->log_add, "call chains are lost: out of memory");
	for (uint32_t i = 0; i < chains->roots; i++)
		stats[STAT_STACKS_LOST] += chains->root[i].samples;
	for (uint32_t i = 0; i < chains->nodes; i++) {
		uint32_t callers = 0;

		for (uint32_t at = chains->node[i].caller; !(at & CHAIN_IS_ROOT);
		     at = chains->node[at].caller)
			callers += !call_chains_is_unknown(chains, chains->node[at].image);
		stats[STAT_FRAMES_NO_SAMPLE_FILE] += callers * chains->node[i].count;
	}
}

void call_chain_writer_flush(const struct call_chain_writer *writer)
{
	struct call_chains *chains = writer->chains;
	struct flush flush;
	uint32_t *end;

	if (!chains->roots)
		return;
	flush.root = malloc(chains->nodes * sizeof(*flush.root));
	flush.order = malloc(chains->nodes * sizeof(*flush.order));
	flush.stored = malloc(chains->nodes * sizeof(*flush.stored));
	flush.frames = malloc(chains->nodes * sizeof(*flush.frames));
	end = calloc(chains->roots, sizeof(*end));
	if (flush.root && flush.order && flush.stored && flush.frames && end)
		write_stacks(writer, &flush, end);
	else
		lose(writer);
	free(flush.root);
	free(flush.order);
	free(flush.stored);
	free(flush.frames);
	free(end);
	call_chains_clear(chains);
}
