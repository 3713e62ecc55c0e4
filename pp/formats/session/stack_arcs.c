// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arcs of stacks: see stack_arcs.h.
 *
 * Callers come before their callees in a stack file.  So one walk from its end adds up the samples
 * below each node, and an arc is counted once for all of them.
 */
#include "stack_arcs.h"

#include <stdlib.h>
#include <string.h>

#include "libdb/stacks/stacks.h"
#include "libop/base/memory.h"
#include "libop/tables/pair_table.h"
#include "pp/select/sample_read.h"

struct image {
	struct op_image_name name; /* no name: it has no arcs */
	bool is_kernel;
};

struct deriving {
	const struct pp_sample_list *list;
	const struct pp_spec *spec;
	struct op_sample_name of_stacks; /* with process, thread and CPU */
	bool by_app[2];			 /* of user code and kernel code: separated */
	struct image *images;
	struct stack_arcs *arcs;
	size_t n, capacity;
};

/* ---- names ---- */

/* Whether samples are separated by application, which only images other than the own one show. */
static void find_separation(struct deriving *deriving, size_t session)
{
	for (size_t i = 0; i < deriving->list->n; i++) {
		const struct pp_sample_file *file = &deriving->list->files[i];
		const struct op_sample_name *name = &file->name;

		if (name->dep.kind != OP_IMAGE_ANON && !pp_same_image(&name->app, &name->dep) &&
		    pp_sample_session(deriving->list, file->path) == session)
			deriving->by_app[name->dep.kind == OP_IMAGE_KERNEL] = true;
	}
}

static void read_images(struct deriving *deriving, const struct stacks_content *content)
{
	deriving->images = op_alloc(content->n_images, sizeof(*deriving->images));
	for (size_t i = 1; i < content->n_images; i++) {
		struct image *image = &deriving->images[i];

		image->is_kernel = content->images[i].flags & STACKS_IMAGE_KERNEL;
		if (!strcmp(content->images[i].name, STACKS_OTHER) ||
		    op_image_name_parse(content->images[i].name, &image->name, NULL))
			image->name.name = NULL;
	}
}

static struct op_image_name copy_image(const struct op_image_name *image)
{
	struct op_image_name copy = *image;

	copy.name = op_copy(image->name);
	return copy;
}

static struct op_sample_name deriving_name_of(const struct deriving *deriving,
					      const struct image *caller,
					      const struct image *callee)
{
	struct op_sample_name name = deriving->of_stacks;
	bool has_app = caller->name.kind == OP_IMAGE_ANON || deriving->by_app[caller->is_kernel];

	name.app = copy_image(has_app ? &deriving->of_stacks.app : &caller->name);
	name.dep = copy_image(&caller->name);
	name.is_arc = true;
	name.callee = copy_image(&callee->name);
	name.event = op_copy(deriving->of_stacks.event);
	return name;
}

/* ---- arcs ---- */

/* Adds the arcs of two images, or leaves them if they are not selected. */
static void add_file(struct deriving *deriving, uint64_t images, const struct op_pair *pairs,
		     size_t n)
{
	const struct image *caller = &deriving->images[images >> 32];
	const struct image *callee = &deriving->images[images & UINT32_MAX];
	struct stack_arcs arcs = {.name = deriving_name_of(deriving, caller, callee), .n = n};

	if (!pp_spec_matches(deriving->spec, &arcs.name) ||
	    (deriving->list->own_only && (!pp_same_image(&arcs.name.app, &arcs.name.dep) ||
					  !pp_same_image(&arcs.name.app, &arcs.name.callee)))) {
		op_sample_name_free(&arcs.name);
		return;
	}
	arcs.header = (struct odb_header){
		.is_kernel = caller->is_kernel,
		.anon_start = caller->name.start,
		.cg_to_is_kernel = callee->is_kernel,
		.cg_to_anon_start = callee->name.start,
	};
	arcs.entries = op_alloc(n, sizeof(*arcs.entries));
	for (size_t i = 0; i < n; i++)
		arcs.entries[i] = (struct odb_entry){pairs[i].second, pairs[i].value};
	deriving->arcs = op_grow(deriving->arcs, &deriving->capacity, deriving->n + 1,
				 sizeof(*deriving->arcs));
	deriving->arcs[deriving->n++] = arcs;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct op_pair *left = a, *right = b;

	if (left->first != right->first)
		return left->first < right->first ? -1 : 1;
	return (left->second > right->second) - (left->second < right->second);
}

static bool is_arc(const struct deriving *deriving, const struct stacks_node *caller,
		   const struct stacks_node *callee)
{
	const struct image *from = &deriving->images[caller->image];
	const struct image *to = &deriving->images[callee->image];

	return from->name.name && to->name.name && from->is_kernel == to->is_kernel;
}

/* Sums up the arcs by their images and keys. */
static void add_up(const struct deriving *deriving, const struct stacks_content *content,
		   struct op_pair_table *pairs)
{
	uint64_t *totals = op_alloc(content->n_nodes, sizeof(*totals));

	for (size_t i = content->n_nodes; i-- > 1;) {
		const struct stacks_node *callee = &content->nodes[i];
		const struct stacks_node *caller = &content->nodes[callee->parent];

		totals[i] += callee->count;
		totals[callee->parent] += totals[i];
		if (callee->parent && totals[i] && is_arc(deriving, caller, callee))
			*op_pair_table_get(pairs, (uint64_t)caller->image << 32 | callee->image,
					   caller->offset << 32 | (callee->offset & UINT32_MAX)) +=
				totals[i];
	}
	free(totals);
}

static void derive(struct deriving *deriving, const struct stacks_content *content)
{
	struct op_pair_table pairs = {0};

	add_up(deriving, content, &pairs);
	if (pairs.n)
		qsort(pairs.items, pairs.n, sizeof(*pairs.items), compare_pairs);
	for (size_t i = 0, end; i < pairs.n; i = end) {
		for (end = i + 1; end < pairs.n && pairs.items[end].first == pairs.items[i].first;)
			end++;
		add_file(deriving, pairs.items[i].first, &pairs.items[i], end - i);
	}
	op_pair_table_free(&pairs);
}

struct stack_arcs *stack_arcs_read(const struct pp_sample_list *list,
				   const struct pp_sample_file *file, const struct pp_spec *spec,
				   size_t *n, struct op_warnings *warnings)
{
	struct deriving deriving = {.list = list, .spec = spec};
	struct stacks_content content;
	struct op_error error;

	*n = 0;
	if (pp_stacks_read(file, &content, &error)) {
		op_warnings_add(warnings, OP_BAD_FILE, "skipped: %s", error.text);
		return NULL;
	}
	if (!op_stacks_name_parse(file->path, &deriving.of_stacks, NULL)) {
		find_separation(&deriving, pp_sample_session(list, file->path));
		read_images(&deriving, &content);
		derive(&deriving, &content);
		for (size_t i = 1; i < content.n_images; i++)
			free(deriving.images[i].name.name);
		free(deriving.images);
		op_sample_name_free(&deriving.of_stacks);
	}
	stacks_content_free(&content);
	*n = deriving.n;
	return deriving.arcs;
}

void stack_arcs_free(struct stack_arcs *arcs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		op_sample_name_free(&arcs[i].name);
		free(arcs[i].entries);
	}
	free(arcs);
}
