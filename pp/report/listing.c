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
		pp_grow(listing->rows, capacity, listing->n_all + 1, sizeof(*listing->rows));
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

void pp_listing_make(struct pp_listing *listing, struct pp_profile *profile,
		     const struct pp_report_style *style)
{
	size_t capacity = 0;

	memset(listing, 0, sizeof(*listing));
	pp_table_sort(profile, style);
	listing->arcs = pp_alloc(profile->n_arcs, sizeof(*listing->arcs));
	for (size_t i = 0; i < profile->n_rows; i++)
		profile->rows[i]->number = SIZE_MAX;
	for (size_t i = 0; i < profile->n_arcs; i++) {
		const struct pp_arc *arc = &profile->arcs[i];

		arc->caller->number = arc->callee->number = SIZE_MAX;
		if (pp_weight_share(profile->classes, arc->counts, profile->totals, 0) >=
		    style->threshold)
			listing->arcs[listing->n_arcs++] = arc;
	}
	for (size_t i = 0; i < profile->n_rows; i++)
		if (pp_weight_share(profile->classes, profile->rows[i]->counts, profile->totals,
				    0) >= style->threshold)
			add_row(listing, &capacity, profile->rows[i]);
	listing->n = listing->n_all;
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
