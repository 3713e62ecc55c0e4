// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the tree of call chains to files: see call_chain_writer.h.
 *
 * Callers come before their callees in the tree.  So one walk from its end adds up the samples
 * below each node, and an arc is counted once for all of them.
 */
#include "call_chain_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "call_chains.h"
#include "config.h"
#include "libop/session/log.h"
#include "sample_file.h"
#include "stats.h"

/* The number of an image that the file cannot take: its frames get no nodes. */
#define NO_IMAGE UINT32_MAX
/* In the number of a node: the file is full, and this is the nearest caller that it has. */
#define CUT UINT32_C(0x80000000)
_Static_assert(STACKS_UNITS_MOST <= CUT, "unit numbers do not use the CUT bit");

/* Arrays with one entry for each node of the tree. */
struct flush {
	uint64_t *samples; /* that end there or below */
	uint64_t *weights; /* of these, beyond the period */
	uint32_t *root;	   /* index of its root */
	uint32_t *order;   /* nodes by their roots, callers first */
	uint32_t *stored;  /* number in the stack file; CUT may be set */
};

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
		uint32_t at = order[i];
		const struct chain_node *node = &chains->node[at];
		uint32_t caller =
			node->caller & CHAIN_IS_ROOT ? STACKS_ROOT : flush->stored[node->caller];
		uint32_t number = store_node(chains, file, node, caller, &error);
		uint64_t n;

		n = file->key.is_weight ? chains->weight[at] : node->count;
		flush->stored[at] = number;
		if (!n)
			continue;
		if (stacks_count(file->stacks, number & ~CUT, n, number & CUT, &error) ==
		    STACKS_ADDED) {
			stats[STAT_STACKS] += n;
		} else {
			stats[STAT_STACKS_MERGED] += n;
			cut = true;
		}
		file->added += node->count;
	}
	if (cut)
		log_limited(&writer->files->log_add, "call chains are truncated: %s", error.text);
}

/* Sorts the nodes by root; @end is set to where those of each root end. */
static void sort_nodes(const struct call_chains *chains, struct flush *flush, uint32_t *end)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < chains->nodes; i++) {
		uint32_t caller = chains->node[i].caller;

		flush->root[i] =
			caller & CHAIN_IS_ROOT ? caller & ~CHAIN_IS_ROOT : flush->root[caller];
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

static void write_stacks(const struct call_chain_writer *writer, struct flush *flush, uint32_t *end)
{
	const struct call_chains *chains = writer->chains;
	uint32_t from = 0;

	sort_nodes(chains, flush, end);
	for (uint32_t i = 0; i < chains->roots; from = end[i++]) {
		const struct chain_root *root = &chains->root[i];
		struct sample_file *file = sample_file_get(writer->files, &root->key);

		if (file)
			store_tree(writer, file, flush, flush->order + from, end[i] - from);
		else
			writer->stats->value[writer->files->cause == SAMPLE_FILE_BEYOND
						     ? STAT_STACKS_BEYOND
						     : STAT_STACKS_LOST] += root->samples;
		if (file)
			write_stack_weights(writer, flush, root, flush->order + from,
					    end[i] - from);
	}
}

/* ---- arcs ---- */

static int add_arc(const struct call_chain_writer *writer, const struct chain_root *root,
		   const struct chain_node *caller, const struct chain_node *callee,
		   uint64_t samples, bool is_weight)
{
	struct sample_file *file;
	struct sample_key key = root->key;

	key.is_stacks = false;
	key.is_weight = is_weight;
	key.dep = caller->image;
	key.callee = callee->image;
	key.app = separation_application(&writer->config->separation, caller->image,
					 caller->image->is_kernel, root->program);
	if (!key.app)
		key.app = caller->image;
	file = sample_file_get(writer->files, &key);
	if (!file || sample_file_add(writer->files, file,
				     caller->offset << 32 | (callee->offset & UINT32_MAX), samples))
		return -1;
	log_verbose(LOG_ARCS, "arc: %s %#" PRIx64 " calls %s %#" PRIx64 ": %" PRIu64 " times",
		    caller->image->id.name, caller->offset, callee->image->id.name, callee->offset,
		    samples);
	return 0;
}

/* Stores an arc.  Return: the statistic that counts it. */
static enum stat_id store_arc(const struct call_chain_writer *writer, const struct chain_root *root,
			      const struct chain_node *caller, const struct chain_node *callee,
			      uint64_t samples, uint64_t weight)
{
	if (call_chains_is_unknown(writer->chains, caller->image))
		return STAT_FRAMES_NO_MAPPING;
	if (caller->image->is_kernel != callee->image->is_kernel)
		return STAT_FRAMES_APART;
	if (call_chains_is_unknown(writer->chains, callee->image))
		return STAT_FRAMES_NO_MAPPING;
	if (!image_is_wanted(caller->image, root->program))
		return STAT_FRAMES_FILTERED;
	if ((weight && add_arc(writer, root, caller, callee, weight, true)) ||
	    add_arc(writer, root, caller, callee, samples, false))
		return STAT_FRAMES_NO_SAMPLE_FILE;
	return STAT_ARCS;
}

static void write_arcs(const struct call_chain_writer *writer, struct flush *flush)
{
	const struct call_chains *chains = writer->chains;

	for (uint32_t i = 0; i < chains->nodes; i++) {
		flush->samples[i] = chains->node[i].count;
		flush->weights[i] = chains->weight[i];
	}
	for (uint32_t i = chains->nodes; i--;) {
		const struct chain_node *callee = &chains->node[i];
		const struct chain_root *root = &chains->root[flush->root[i]];
		uint64_t samples = flush->samples[i];

		if (callee->caller & CHAIN_IS_ROOT)
			continue;
		flush->samples[callee->caller] += samples;
		flush->weights[callee->caller] += flush->weights[i];
		writer->stats->value[store_arc(writer, root, &chains->node[callee->caller], callee,
					       samples, flush->weights[i])] += samples;
	}
}

/* ---- both ---- */

/* Counts all as lost, for when memory is short. */
static void lose(const struct call_chain_writer *writer)
{
	const struct call_chains *chains = writer->chains;
	uint64_t *stats = writer->stats->value;

	log_limited(&writer->files->log_add, "call graphs are lost: out of memory");
	for (uint32_t i = 0; i < chains->roots; i++)
		stats[STAT_STACKS_LOST] += chains->root[i].samples;
	for (uint32_t i = 0; i < chains->nodes; i++) {
		uint32_t depth = 0;

		for (uint32_t at = chains->node[i].caller; !(at & CHAIN_IS_ROOT);
		     at = chains->node[at].caller)
			depth++;
		stats[STAT_FRAMES_NO_SAMPLE_FILE] += depth * chains->node[i].count;
	}
}

void call_chain_writer_flush(const struct call_chain_writer *writer)
{
	struct call_chains *chains = writer->chains;
	struct flush flush;
	uint32_t *end;

	if (!chains->roots)
		return;
	flush.samples = malloc(chains->nodes * sizeof(*flush.samples));
	flush.weights = malloc(chains->nodes * sizeof(*flush.weights));
	flush.root = malloc(chains->nodes * sizeof(*flush.root));
	flush.order = malloc(chains->nodes * sizeof(*flush.order));
	flush.stored = malloc(chains->nodes * sizeof(*flush.stored));
	end = calloc(chains->roots, sizeof(*end));
	if (flush.samples && flush.weights && flush.root && flush.order && flush.stored && end) {
		write_stacks(writer, &flush, end);
		write_arcs(writer, &flush);
	} else {
		lose(writer);
	}
	free(flush.samples);
	free(flush.weights);
	free(flush.root);
	free(flush.order);
	free(flush.stored);
	free(end);
	call_chains_clear(chains);
}
