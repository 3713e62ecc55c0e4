// SPDX-License-Identifier: GPL-2.0-or-later
/* Weights of samples. */
#include "weights.h"

#include <stdlib.h>

#include "libop/base/memory.h"
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
	bool *sampled = pp_alloc(list->n_dirs, sizeof(bool));
	bool *weighted = pp_alloc(list->n_dirs, sizeof(bool));
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

uint64_t pp_weight(const struct pp_classes *classes, const uint64_t *counts, size_t class)
{
	uint64_t weight;

	if (!classes->items[class].is_weighted)
		return counts[class];
	if (__builtin_mul_overflow(counts[class], classes->items[class].count, &weight) ||
	    __builtin_add_overflow(weight, counts[classes->n + class], &weight))
		return UINT64_MAX;
	return weight;
}

double pp_weight_share(const struct pp_classes *classes, const uint64_t *part,
		       const uint64_t *whole, size_t class)
{
	return pp_percent(pp_weight(classes, part, class), pp_weight(classes, whole, class));
}

void pp_counts_add(const struct pp_classes *classes, uint64_t *sums, const uint64_t *counts)
{
	for (size_t i = 0; i < classes->columns; i++)
		sums[i] += counts[i];
}
