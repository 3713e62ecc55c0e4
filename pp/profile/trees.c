// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads stack files: their nodes, and the distinct places of these by image.
 *
 * The leaf of a chain is the instruction that was interrupted, its callers are return addresses,
 * which belong to the instruction before.  A node may be both; then the samples that end there get
 * a node of their own.  Where the kernel was entered, the program's address is that of the next
 * instruction after a system call, or of the one that an interrupt or a fault stopped: it is looked
 * up as it is.
 */
#include "arc_files.h"

#include <stdlib.h>
#include <string.h>

#include "libdb/stacks/stacks.h"
#include "libop/base/memory.h"
#include "libop/tables/pair_table.h"
#include "pp/select/multiplexing.h"
#include "pp/select/sample_read.h"

/* What is known of an image of the file. */
struct image {
	struct pp_sample_file end; /* names it; no name: its frames are not looked up */
	bool is_kernel;
	bool is_wanted; /* samples of it are in the list */
	bool is_other;	/* STACKS_OTHER */
};

/* What follows a node, of callees with samples. */
enum { HAS_CALLEE = 1, HAS_USER_CALLEE = 2 };

struct tree_reading {
	struct pp_arc_reading *reading;
	const struct pp_sample_file *file;
	const struct stacks_content *content;
	struct pp_tree *tree;
	struct image *images;
	unsigned char *follows;	     /* by node */
	size_t n_split;		     /* nodes that samples end at and others go through */
	struct op_pair_table places; /* by image and key: a number in the order of the nodes */
	bool *called;		     /* by number of a place, as of struct pp_tree */
	size_t called_capacity;
	size_t *ends; /* by image: the end of its places */
};

/* ---- images ---- */

static void name_image(struct tree_reading *reading, struct image *image,
		       const struct op_image_name *parsed)
{
	struct pp_sample_file *end = &image->end;
	bool is_own;

	end->name = reading->file->name;
	end->name.dep = *parsed;
	end->name.dep.name = pp_profile_keep_text(reading->reading->profile, parsed->name);
	is_own = pp_same_image(&end->name.app, &end->name.dep);
	if (reading->reading->list->own_only && !is_own)
		end->name.dep.name = NULL;
	else
		image->is_wanted = pp_arc_apps_choose(
			&reading->reading->apps, end,
			pp_arc_samples_class(reading->reading, reading->file->class));
}

static void read_images(struct tree_reading *reading)
{
	const struct stacks_content *content = reading->content;

	reading->images = op_alloc(content->n_images, sizeof(*reading->images));
	for (size_t i = 1; i < content->n_images; i++) {
		struct op_image_name parsed;

		if (op_image_name_parse(content->images[i].name, &parsed, NULL))
			continue;
		reading->images[i].is_kernel = content->images[i].flags & STACKS_IMAGE_KERNEL;
		name_image(reading, &reading->images[i], &parsed);
		if (!strcmp(content->images[i].name, STACKS_OTHER)) {
			reading->images[i].is_other = true;
			reading->images[i].is_wanted = !reading->reading->list->by_image;
		}
		free(parsed.name);
	}
}

static bool is_kernel(const struct tree_reading *reading, const struct stacks_node *node)
{
	return node->image ? reading->images[node->image].is_kernel : node->offset >> 63;
}

/* ---- places ---- */

static uint32_t place_of(struct tree_reading *reading, const struct stacks_node *node, uint64_t key,
			 bool is_called)
{
	uint64_t *place;
	size_t n = reading->places.n;

	if (!reading->images[node->image].end.name.dep.name)
		return PP_NO_PLACE;
	place = op_pair_table_get(&reading->places, node->image, key);
	if (reading->places.n > n) {
		*place = n;
		reading->called = op_grow(reading->called, &reading->called_capacity, n + 1,
					  sizeof(*reading->called));
		reading->called[n] = true;
	}
	reading->called[*place] &= is_called;
	return (uint32_t)*place;
}

static uint32_t caller_place(struct tree_reading *reading, size_t node)
{
	const struct stacks_node *at = &reading->content->nodes[node];
	bool is_exact = !is_kernel(reading, at) && !(reading->follows[node] & HAS_USER_CALLEE);

	return place_of(reading, at, at->offset - (!is_exact && at->offset), !is_exact);
}

/* Numbers places by image, so that those of one image are together. */
static void order_places(struct tree_reading *reading)
{
	const struct op_pair *places = reading->places.items;
	struct pp_tree *tree = reading->tree;
	size_t n = reading->places.n;
	uint32_t *numbers = op_alloc(n, sizeof(*numbers));
	size_t *ends = reading->ends = op_alloc(reading->content->n_images + 1, sizeof(*ends));

	tree->n_places = n;
	tree->keys = op_alloc(n, sizeof(*tree->keys));
	tree->called = op_alloc(n, sizeof(*tree->called));
	for (size_t i = 0; i < n; i++)
		ends[places[i].first + 1]++;
	for (size_t i = 1; i <= reading->content->n_images; i++)
		ends[i] += ends[i - 1];
	for (size_t i = 0; i < n; i++) {
		numbers[i] = (uint32_t)ends[places[i].first]++;
		tree->keys[numbers[i]] = places[i].second;
		tree->called[numbers[i]] = reading->called[i];
	}
	for (size_t i = 1; i < tree->n; i++)
		if (tree->nodes[i].place != PP_NO_PLACE)
			tree->nodes[i].place = numbers[tree->nodes[i].place];
	free(numbers);
}

static void make_frames(struct tree_reading *reading)
{
	struct pp_tree *tree = reading->tree;
	size_t first = 0;

	tree->rows = op_alloc(tree->n_places, sizeof(*tree->rows));
	tree->outer = op_alloc(tree->n_places, sizeof(*tree->outer));
	if (reading->reading->sites)
		tree->vmas = op_alloc(tree->n_places, sizeof(*tree->vmas));
	tree->frames = op_alloc(reading->content->n_images, sizeof(*tree->frames));
	for (size_t i = 1; i < reading->content->n_images; i++) {
		const struct image *image = &reading->images[i];

		tree->frames[i] = (struct pp_frames){
			.keys = tree->keys + first,
			.called = tree->called + first,
			.n = reading->ends[i] - first,
			.is_kernel = image->is_kernel,
			.rows = tree->rows + first,
			.outer = tree->outer + first,
			.vmas = tree->vmas ? tree->vmas + first : NULL,
		};
		if (image->is_other && tree->frames[i].n)
			tree->other = (uint32_t)first;
		first = reading->ends[i];
		if (tree->frames[i].n)
			pp_arc_add_end(reading->reading, &image->end.name, &tree->frames[i]);
	}
}

/* ---- nodes ---- */

/* The samples whose chain ends at a node, if they are in the list. */
static uint64_t count_of(const struct tree_reading *reading, const struct stacks_node *node)
{
	return reading->images[node->image].is_wanted ? node->count : 0;
}

/* Callers are before their callees. */
static void note_callees(struct tree_reading *reading)
{
	const struct stacks_content *content = reading->content;

	reading->follows = op_alloc(content->n_nodes, 1);
	for (size_t i = content->n_nodes; i-- > 1;) {
		const struct stacks_node *node = &content->nodes[i];
		bool has_callee = reading->follows[i] & HAS_CALLEE;

		if (!has_callee && !count_of(reading, node))
			continue;
		reading->n_split += has_callee && count_of(reading, node);
		reading->follows[node->parent] |=
			is_kernel(reading, node) ? HAS_CALLEE : HAS_CALLEE | HAS_USER_CALLEE;
	}
}

static void read_node(struct tree_reading *reading, size_t i)
{
	const struct stacks_node *node = &reading->content->nodes[i];
	struct pp_tree *tree = reading->tree;
	struct pp_tree_node leaf = {.caller = node->parent, .place = PP_NO_PLACE};
	struct pp_tree_node *out = &tree->nodes[i];

	if (count_of(reading, node))
		leaf.count = pp_scale_count(reading->file, node->count);
	if (reading->follows[i]) {
		*out = leaf;
		out->place = caller_place(reading, i);
		out->count = 0;
		out = leaf.count ? &tree->nodes[tree->n++] : NULL;
	}
	if (leaf.count)
		leaf.place = place_of(reading, node, node->offset, false);
	if (out)
		*out = leaf;
}

static void read_nodes(struct tree_reading *reading)
{
	struct pp_tree *tree = reading->tree;

	tree->n = reading->content->n_nodes;
	tree->nodes = op_alloc(tree->n + reading->n_split, sizeof(*tree->nodes));
	tree->nodes[0].place = PP_NO_PLACE;
	for (size_t i = 1; i < reading->content->n_nodes; i++)
		read_node(reading, i);
}

/* ---- files ---- */

static void read_tree(struct pp_arc_reading *arcs, const struct pp_sample_file *file)
{
	struct stacks_content content;
	struct tree_reading reading = {.reading = arcs, .file = file, .content = &content};
	struct op_error error;

	if (pp_stacks_read(file, &content, &error)) {
		op_warnings_add(arcs->warnings, OP_BAD_FILE, "skipped: %s", error.text);
		return;
	}
	reading.tree = &arcs->arcs->trees[arcs->arcs->n_trees++];
	reading.tree->class = file->class;
	reading.tree->other = PP_NO_PLACE;
	read_images(&reading);
	note_callees(&reading);
	read_nodes(&reading);
	order_places(&reading);
	make_frames(&reading);
	stacks_content_free(&content);
	op_pair_table_free(&reading.places);
	free(reading.images);
	free(reading.follows);
	free(reading.called);
	free(reading.ends);
}

void pp_trees_read(struct pp_arc_reading *reading)
{
	const struct pp_sample_list *list = reading->list;

	reading->arcs->trees = op_alloc(list->n_stacks, sizeof(*reading->arcs->trees));
	for (size_t i = 0; i < list->n_stacks; i++)
		if (list->stacks[i].class != PP_NO_CLASS)
			read_tree(reading, &list->stacks[i]);
}

void pp_trees_free(struct pp_arcs *arcs)
{
	for (size_t i = 0; i < arcs->n_trees; i++) {
		struct pp_tree *tree = &arcs->trees[i];

		free(tree->nodes);
		free(tree->keys);
		free(tree->called);
		free(tree->vmas);
		free(tree->rows);
		free(tree->outer);
		free(tree->frames);
	}
	free(arcs->trees);
}
