// SPDX-License-Identifier: GPL-2.0-or-later
/* Selects what a report lists. */
#include "listing.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "table.h"
#include "pp/select/weights.h"

static void add_row(struct pp_listing *listing, size_t *capacity, struct pp_row *row)
{
	if (row->number != SIZE_MAX)
		return;
	listing->rows =
		op_grow(listing->rows, capacity, listing->n_all + 1, sizeof(*listing->rows));
	row->number = listing->n_all;
	listing->rows[listing->n_all++] = row;
}

static int compare_arcs(const void *a, const void *b)
{
	const struct pp_arc *left = *(const struct pp_arc *const *)a;
	const struct pp_arc *right = *(const struct pp_arc *const *)b;

	if (left->caller->number != right->caller->number)
		return left->caller->number < right->caller->number ? -1 : 1;
	return (left->callee->number > right->callee->number) -
	       (left->callee->number < right->callee->number);
}

static bool reaches(const struct pp_profile *profile, const uint64_t *counts,
		    const uint64_t *wholes, double threshold)
{
	return pp_weight_share(profile->classes, counts, wholes, 0) >= threshold;
}

/* 100 percent of the callers of each listed symbol, and behind them of what each calls. */
static uint64_t *sum_blocks(const struct pp_listing *listing, const struct pp_profile *profile)
{
	const struct pp_classes *classes = profile->classes;
	uint64_t *callers = op_alloc(2 * listing->n * classes->columns + 1, sizeof(*callers));
	uint64_t *callees = callers + listing->n * classes->columns;

	for (size_t i = 0; i < listing->n; i++)
		pp_counts_add(classes, callees + i * classes->columns, listing->rows[i]->counts);
	for (size_t i = 0; i < profile->n_arcs; i++) {
		const struct pp_arc *arc = &profile->arcs[i];

		if (arc->callee->number != SIZE_MAX)
			pp_counts_add(classes, callers + arc->callee->number * classes->columns,
				      arc->counts);
		if (arc->caller->number != SIZE_MAX)
			pp_counts_add(classes, callees + arc->caller->number * classes->columns,
				      arc->counts);
	}
	return callers;
}

/* The arcs that the call graph in text has at one of their ends at least. */
static void list_arcs(struct pp_listing *listing, struct pp_profile *profile, double threshold)
{
	const size_t columns = profile->classes->columns;
	uint64_t *callers = sum_blocks(listing, profile), *callees = callers + listing->n * columns;

	for (size_t i = 0; i < profile->n_arcs; i++) {
		struct pp_arc *arc = &profile->arcs[i];
		const size_t from = arc->caller->number, to = arc->callee->number;

		arc->is_of_callee =
			to != SIZE_MAX &&
			reaches(profile, arc->counts, callers + to * columns, threshold);
		arc->is_of_caller =
			from != SIZE_MAX &&
			reaches(profile, arc->counts, callees + from * columns, threshold);
		if (arc->is_of_callee || arc->is_of_caller)
			listing->arcs[listing->n_arcs++] = arc;
	}
	free(callers);
}

void pp_listing_make(struct pp_listing *listing, struct pp_profile *profile,
		     const struct pp_report_style *style)
{
	size_t capacity = 0;

	memset(listing, 0, sizeof(*listing));
	pp_table_sort(profile, style);
	listing->arcs = op_alloc(profile->n_arcs, sizeof(*listing->arcs));
	for (size_t i = 0; i < profile->n_rows; i++)
		profile->rows[i]->number = SIZE_MAX;
	for (size_t i = 0; i < profile->n_arcs; i++)
		profile->arcs[i].caller->number = profile->arcs[i].callee->number = SIZE_MAX;
	for (size_t i = 0; i < profile->n_rows; i++) {
		struct pp_row *row = profile->rows[i];

		if (reaches(profile, row->inclusive ? row->inclusive : row->counts,
			    profile->totals, style->threshold))
			add_row(listing, &capacity, row);
	}
	listing->n = listing->n_all;
	list_arcs(listing, profile, style->threshold);
	for (size_t i = 0; i < listing->n_arcs; i++) {
		add_row(listing, &capacity, listing->arcs[i]->caller);
		add_row(listing, &capacity, listing->arcs[i]->callee);
	}
	if (listing->n_arcs)
		qsort(listing->arcs, listing->n_arcs, sizeof(*listing->arcs), compare_arcs);
}

void pp_listing_free(struct pp_listing *listing)
{
	free(listing->rows);
	free(listing->arcs);
	memset(listing, 0, sizeof(*listing));
}
