// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of a finished profile: images, contexts and branches are sorted and renumbered. */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "flat.h"
#include "labels.h"
#include "tables.h"
#include "timeline.h"
#include "tree.h"
#include "libop/base/memory.h"

/* ---- order ---- */

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_images(const void *a, const void *b, void *context)
{
	const struct prof_image *images = context;
	const struct prof_image *x = &images[*(const uint32_t *)a];
	const struct prof_image *y = &images[*(const uint32_t *)b];
	int order = compare_numbers(x->is_kernel, y->is_kernel);

	if (!order)
		order = strcmp(x->path, y->path);
	if (!order)
		order = compare_numbers(x->kind, y->kind);
	if (!order)
		order = tables_compare_build_ids(x, y);
	if (!order)
		order = compare_numbers(x->pid, y->pid);
	return order ? order : (x->start > y->start) - (x->start < y->start);
}

static int compare_contexts(const void *a, const void *b, void *context)
{
	const struct prof *prof = context;
	const struct prof_context *x = &prof->contexts[*(const uint32_t *)a];
	const struct prof_context *y = &prof->contexts[*(const uint32_t *)b];
	int order = compare_numbers(x->app, y->app);

	if (!order)
		order = strcmp(prof->strings[x->comm], prof->strings[y->comm]);
	if (!order)
		order = compare_numbers(x->pid, y->pid);
	if (!order)
		order = compare_numbers(x->tid, y->tid);
	if (!order)
		order = compare_numbers(x->cpu, y->cpu);
	return order ? order : labels_compare(prof, x->labels, y->labels);
}

static int compare_branches(const void *a, const void *b)
{
	const struct prof_branch *x = a, *y = b;
	const uint64_t key[2][4] = {
		{x->from.image, x->from.offset, x->to.image, x->to.offset},
		{y->from.image, y->from.offset, y->to.image, y->to.offset},
	};

	for (size_t i = 0; i < 4; i++)
		if (key[0][i] != key[1][i])
			return key[0][i] < key[1][i] ? -1 : 1;
	return 0;
}

/* The places of the numbers from @first to @n in order; the caller frees them. */
static uint32_t *order_of(size_t first, size_t n,
			  int (*compare)(const void *, const void *, void *), void *context)
{
	uint32_t *order = op_alloc(n, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	if (n > first)
		qsort_r(order + first, n - first, sizeof(*order), compare, context);
	return order;
}

/* Puts an array in order.  Return: the new numbers by the old, which the caller frees. */
static uint32_t *rearrange(void *array, size_t n, size_t size, uint32_t *order)
{
	uint32_t *rank = op_alloc(n, sizeof(*rank));
	char *copy = op_alloc(n, size), *items = array;

	if (n)
		memcpy(copy, items, n * size);
	for (size_t i = 0; i < n; i++) {
		memcpy(items + i * size, copy + order[i] * size, size);
		rank[order[i]] = (uint32_t)i;
	}
	free(copy);
	free(order);
	return rank;
}

void prof_finish(struct prof *prof)
{
	struct prof_tables *tables = tables_of(&prof->sink);
	uint32_t *image_rank, *context_rank;

	image_rank = rearrange(
		prof->images, prof->n_images, sizeof(*prof->images),
		order_of(PROF_NO_KERNEL_IMAGE + 1, prof->n_images, compare_images, prof->images));
	labels_sort(prof);
	for (size_t i = 0; i < prof->n_contexts; i++)
		prof->contexts[i].app = image_rank[prof->contexts[i].app];
	context_rank = rearrange(prof->contexts, prof->n_contexts, sizeof(*prof->contexts),
				 order_of(0, prof->n_contexts, compare_contexts, prof));
	tree_sort(prof->tree, image_rank, context_rank);
	flats_sort(prof->flats, image_rank, context_rank);
	timeline_renumber(tables);

	op_hash_free(&tables->by_context);
	op_hash_free(&tables->by_branch);
	tables_renumber(tables, image_rank);
	tables_order_calls(tables, image_rank);
	for (size_t i = 0; i < prof->n_branches; i++) {
		prof->branches[i].from.image = image_rank[prof->branches[i].from.image];
		prof->branches[i].to.image = image_rank[prof->branches[i].to.image];
	}
	if (prof->n_branches)
		qsort(prof->branches, prof->n_branches, sizeof(*prof->branches), compare_branches);
	free(image_rank);
	free(context_rank);
}
