// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples without callers: see flat.h. */
#include "flat.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "tree.h"

void flats_add(struct prof_flats *flats, const struct prof_flat *column,
	       const struct prof_place_count *places, size_t n)
{
	struct prof_flat *kept;

	flats->columns =
		op_grow(flats->columns, &flats->capacity, flats->n + 1, sizeof(*flats->columns));
	kept = &flats->columns[flats->n++];
	*kept = *column;
	kept->n = n;
	kept->places = op_chunk(n * sizeof(*places));
	memcpy(kept->places, places, n * sizeof(*places));
	flats->n_places += n;
}

void flats_free(struct prof_flats *flats)
{
	for (size_t i = 0; i < flats->n; i++)
		free(flats->columns[i].places);
	free(flats->columns);
	*flats = (struct prof_flats){0};
}

/* ---- order ---- */

static int compare_columns(const void *a, const void *b)
{
	const struct prof_flat *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->is_weight != y->is_weight)
		return x->is_weight ? 1 : -1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

static int compare_places(const void *a, const void *b)
{
	const struct prof_place_count *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Adds up counts of one place, which are next to each other.  Return: how many places there are. */
static size_t add_up_places(struct prof_place_count *places, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept && places[kept - 1].offset == places[i].offset)
			places[kept - 1].count =
				tree_add_up(places[kept - 1].count, places[i].count);
		else
			places[kept++] = places[i];
	}
	return kept;
}

/* One column of @n that are of the same. */
static struct prof_flat join_columns(const struct prof_flat *columns, size_t n)
{
	struct prof_flat joined = columns[0];
	size_t places = 0;

	for (size_t i = 0; i < n; i++)
		places += columns[i].n;
	joined.places = op_chunk(places * sizeof(*joined.places));
	joined.n = 0;
	for (size_t i = 0; i < n; i++) {
		memcpy(joined.places + joined.n, columns[i].places,
		       columns[i].n * sizeof(*joined.places));
		joined.n += columns[i].n;
		free(columns[i].places);
	}
	qsort(joined.places, joined.n, sizeof(*joined.places), compare_places);
	joined.n = add_up_places(joined.places, joined.n);
	return joined;
}

void flats_sort(struct prof_flats *flats, const uint32_t *image_rank, const uint32_t *context_rank)
{
	struct prof_flat *columns = flats->columns;
	size_t kept = 0;

	for (size_t i = 0; i < flats->n; i++) {
		columns[i].image = image_rank[columns[i].image];
		columns[i].context = context_rank[columns[i].context];
	}
	if (flats->n)
		qsort(columns, flats->n, sizeof(*columns), compare_columns);
	flats->n_places = 0;
	for (size_t i = 0, end; i < flats->n; i = end) {
		for (end = i + 1; end < flats->n && !compare_columns(&columns[i], &columns[end]);)
			end++;
		columns[kept] = end == i + 1 ? columns[i] : join_columns(columns + i, end - i);
		flats->n_places += columns[kept++].n;
	}
	flats->n = kept;
}

/* ---- a walk ---- */

/* Enters the columns of the next wanted context and image.  Return: false if there are none. */
static bool enter_columns(const struct prof_flats *flats, const bool *contexts,
			  struct prof_flat_walk *walk)
{
	const struct prof_flat *first;

	while (contexts && walk->end < flats->n && !contexts[flats->columns[walk->end].context])
		walk->end++;
	walk->first = walk->end;
	if (walk->first == flats->n)
		return false;
	first = &flats->columns[walk->first];
	while (walk->end < flats->n && flats->columns[walk->end].context == first->context &&
	       flats->columns[walk->end].image == first->image)
		walk->end++;
	walk->at =
		op_grow(walk->at, &walk->at_capacity, walk->end - walk->first, sizeof(*walk->at));
	memset(walk->at, 0, (walk->end - walk->first) * sizeof(*walk->at));
	walk->context = first->context;
	walk->image = first->image;
	return true;
}

bool flats_peek(const struct prof_flats *flats, const bool *contexts, struct prof_flat_walk *walk)
{
	bool found = false;

	do {
		for (size_t i = walk->first; i < walk->end; i++) {
			const struct prof_flat *column = &flats->columns[i];
			size_t at = walk->at[i - walk->first];

			if (at < column->n &&
			    (!found || column->places[at].offset < walk->offset)) {
				walk->offset = column->places[at].offset;
				found = true;
			}
		}
	} while (!found && enter_columns(flats, contexts, walk));
	return found;
}

void flats_take(const struct prof_flats *flats, struct prof_flat_walk *walk,
		void (*add)(void *context, const struct prof_value *value), void *context)
{
	for (size_t i = walk->first; i < walk->end; i++) {
		const struct prof_flat *column = &flats->columns[i];
		size_t *at = &walk->at[i - walk->first];
		struct prof_value value = {.event = column->event};
		uint64_t count;

		if (*at == column->n || column->places[*at].offset != walk->offset)
			continue;
		count = column->places[(*at)++].count;
		value.count = column->is_weight ? 0 : count;
		if (__builtin_mul_overflow(count, column->unit, &value.events))
			value.events = UINT64_MAX;
		add(context, &value);
	}
}

void flats_walk_free(struct prof_flat_walk *walk)
{
	free(walk->at);
	*walk = (struct prof_flat_walk){0};
}
