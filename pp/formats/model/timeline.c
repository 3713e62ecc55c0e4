// SPDX-License-Identifier: GPL-2.0-or-later
/* The time of each sample: see timeline.h. */
#include "timeline.h"

#include <stdlib.h>

#include "tables.h"
#include "tree.h"
#include "libop/base/memory.h"

static void tables_drop(struct prof_tables *tables, const char *reason)
{
	struct prof *prof = &tables->prof;

	if (prof->n_moments)
		prof_sink_note(&prof->sink, "times of samples are not kept: %s", reason);
	free(prof->moments);
	prof->moments = NULL;
	prof->n_moments = tables->moments_capacity = 0;
	tables->has_no_moments = true;
}

void timeline_add(struct prof_tables *tables, const struct prof_sample *sample,
		  const struct prof_value *value, uint32_t entry)
{
	struct prof *prof = &tables->prof;
	size_t i = prof->n_moments;

	if (!(tables->by & PROF_TIMES) || tables->has_no_moments)
		return;
	if (!sample->time) {
		tables_drop(tables, "some samples have none");
		return;
	}
	if (i >= prof->tree->nodes_most || value->count > UINT32_MAX) {
		tables_drop(tables, "there are too many samples");
		return;
	}
	prof->moments = op_grow(prof->moments, &tables->moments_capacity, ++prof->n_moments,
				sizeof(*prof->moments));
	prof->moments[i] = (struct prof_moment){
		.time = sample->time,
		.events = value->events,
		.count = (uint32_t)value->count,
		.value = entry,
	};
}

void timeline_renumber(struct prof_tables *tables)
{
	struct prof *prof = &tables->prof;
	const struct prof_tree *tree = prof->tree;
	uint32_t *number;

	if (!prof->n_moments)
		return;
	number = op_alloc(tree->n_entries, sizeof(*number));
	for (size_t i = 0; i < tree->n_entries; i++)
		number[tree->entries[i].added_as] = (uint32_t)i;
	for (size_t i = 0; i < prof->n_moments; i++)
		prof->moments[i].value = number[prof->moments[i].value];
	free(number);
}

/* ---- order ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_times(const void *a, const void *b)
{
	const struct prof_moment *x = a, *y = b;
	int order = compare_numbers(x->time, y->time);

	if (!order)
		order = compare_numbers(x->value, y->value);
	if (!order)
		order = compare_numbers(x->count, y->count);
	return order ? order : compare_numbers(x->events, y->events);
}

static int compare_threads(const void *a, const void *b, void *context)
{
	const struct prof_entry *entries = context;
	const struct prof_entry *x = &entries[((const struct prof_moment *)a)->value];
	const struct prof_entry *y = &entries[((const struct prof_moment *)b)->value];
	int order = compare_numbers(x->event, y->event);

	if (!order)
		order = compare_numbers(x->context, y->context);
	return order ? order : compare_times(a, b);
}

void prof_sort_moments(struct prof *prof, enum prof_moment_order order)
{
	if (!prof->n_moments)
		return;
	if (order == PROF_IN_TIME)
		qsort(prof->moments, prof->n_moments, sizeof(*prof->moments), compare_times);
	else
		qsort_r(prof->moments, prof->n_moments, sizeof(*prof->moments), compare_threads,
			prof->tree->entries);
}
