// SPDX-License-Identifier: GPL-2.0-or-later
/* Weights of samples. */
#include "weights.h"

#include <stdlib.h>

#include "libop/base/memory.h"
#include "libop/tables/pair_table.h"
#include "libop/text/cells.h"

/* Marks the sessions of which @files has any of @class.  @seen has one entry a session. */
static void note_sessions(const struct pp_sample_list *list, const struct pp_sample_file *files,
			  size_t n, unsigned int class, bool *seen)
{
	for (size_t i = 0; i < n; i++)
		if (files[i].class == class)
			seen[pp_sample_session(list, files[i].path)] = true;
}

static bool is_weighted(const struct pp_sample_list *list, const struct pp_classes *classes,
			unsigned int class)
{
	bool *sampled = op_alloc(list->n_dirs, sizeof(bool));
	bool *weighted = op_alloc(list->n_dirs, sizeof(bool));
	bool any = false, all = true;

	note_sessions(list, list->files, list->n, class, sampled);
	note_sessions(list, list->weights, list->n_weights, class + (unsigned int)classes->n,
		      weighted);
	for (size_t i = 0; i < list->n_dirs; i++) {
		any |= weighted[i];
		all &= weighted[i] || !sampled[i];
	}
	free(sampled);
	free(weighted);
	return any && (all || classes->items[class].count);
}

void pp_weights_find(const struct pp_sample_list *list, struct pp_classes *classes)
{
	for (size_t i = 0; list->n_weights && i < classes->n; i++)
		classes->items[i].is_weighted = is_weighted(list, classes, (unsigned int)i);
}

void pp_weight_units_find(struct pp_sample_list *list)
{
	struct op_pair_table units = {0};

	for (size_t i = 0; list->n_stacks && i < list->n_weights; i++) {
		const struct pp_sample_file *file = &list->weights[i];

		*op_pair_table_get(&units, pp_sample_session(list, file->path), file->class) =
			file->header.ctr_count;
	}
	for (size_t i = 0; i < list->n_stacks; i++) {
		struct pp_sample_file *file = &list->stacks[i];
		const uint64_t *unit = op_pair_table_find(
			&units, pp_sample_session(list, file->path), file->class);

		file->header.ctr_count = unit && file->is_weight ? (uint32_t)*unit : 0;
	}
	op_pair_table_free(&units);
}

bool pp_events_are_known(const struct pp_classes *classes, size_t class)
{
	return classes->items[class].is_weighted || classes->items[class].count;
}

uint64_t pp_events(const struct pp_classes *classes, const uint64_t *counts, size_t class)
{
	uint64_t more = classes->items[class].is_weighted ? counts[classes->n + class] : 0, events;

	if (__builtin_mul_overflow(counts[class], classes->items[class].count, &events) ||
	    __builtin_add_overflow(events, more, &events))
		return UINT64_MAX;
	return events;
}

bool pp_weights_differ(const struct pp_classes *classes, const uint64_t *totals, size_t class)
{
	return classes->items[class].is_weighted &&
	       (!classes->items[class].count || totals[classes->n + class]);
}

uint64_t pp_weight(const struct pp_classes *classes, const uint64_t *counts, size_t class)
{
	return classes->items[class].is_weighted ? pp_events(classes, counts, class)
						 : counts[class];
}

double pp_weight_share(const struct pp_classes *classes, const uint64_t *part,
		       const uint64_t *whole, size_t class)
{
	return op_percent(pp_weight(classes, part, class), pp_weight(classes, whole, class));
}

void pp_counts_add(const struct pp_classes *classes, uint64_t *sums, const uint64_t *counts)
{
	for (size_t i = 0; i < classes->columns; i++)
		sums[i] += counts[i];
}
