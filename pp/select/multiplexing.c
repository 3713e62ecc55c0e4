// SPDX-License-Identifier: GPL-2.0-or-later
/* Scales the counts of multiplexed events. */
#include "multiplexing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/number.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "weights.h"

__extension__ typedef unsigned __int128 wide;

static uint64_t bounded(wide n)
{
	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static bool is_partial(uint64_t enabled_ns, uint64_t running_ns)
{
	return running_ns && running_ns < enabled_ns;
}

/* ---- reading ---- */

static uint64_t read_time(const struct pp_sample_list *list, const struct pp_scale *scale,
			  const char *file)
{
	const struct op_sample_name *name = scale->name;
	char *path = op_format("%s/" OP_SAMPLES_STATS "/" OP_STATS_EVENTS "/%s.%" PRIu64 ".%" PRIu64
			       "/%s",
			       list->samples_dirs[scale->session], name->event, name->count,
			       name->unit_mask, file);
	char *text = foreign_read(path, 64, NULL, NULL);
	uint64_t ns = 0;

	if (text) {
		text[strcspn(text, "\n")] = '\0';
		op_number_parse(text, file, 0, UINT64_MAX, &ns, NULL);
	}
	free(text);
	free(path);
	return ns;
}

static bool is_of(const struct pp_scale *scale, const struct op_sample_name *name, size_t session)
{
	return scale->session == session && scale->name->count == name->count &&
	       scale->name->unit_mask == name->unit_mask &&
	       !strcmp(scale->name->event, name->event);
}

/* The index of a file's scale, which is read on first use. */
static size_t scale_of(struct pp_sample_list *list, const struct pp_sample_file *file)
{
	size_t session = pp_sample_session(list, file->path), i = 0;
	struct pp_scale *scale;

	while (i < list->n_scales && !is_of(list->scales[i], &file->name, session))
		i++;
	if (i < list->n_scales)
		return i;
	scale = op_alloc(1, sizeof(*scale));
	scale->name = &file->name;
	scale->session = session;
	scale->enabled_ns = read_time(list, scale, OP_STATS_ENABLED_NS);
	scale->running_ns = read_time(list, scale, OP_STATS_RUNNING_NS);
	scale->paused_ns = read_time(list, scale, OP_STATS_PAUSED_NS);
	scale->taken = read_time(list, scale, OP_STATS_TAKEN);
	scale->unsampled_ns = read_time(list, scale, OP_STATS_UNSAMPLED_NS);
	scale->missing_ns = read_time(list, scale, OP_STATS_MISSING_NS);
	for (size_t k = 0; k < 4; k++)
		scale->rest[k] = scale->running_ns / 2;
	list->scales = op_grow(list->scales, &list->scales_capacity, i + 1, sizeof(*list->scales));
	list->scales[list->n_scales++] = scale;
	return i;
}

static void sample_list_find(struct pp_sample_list *list, struct pp_sample_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t index = scale_of(list, &files[i]); /* may move the array */
		struct pp_scale *scale = list->scales[index];

		if (!list->unscaled && is_partial(scale->enabled_ns, scale->running_ns))
			files[i].scale = scale;
	}
}

static void add_time(uint64_t *sum, uint64_t time)
{
	*sum = bounded((wide)*sum + time);
}

/* The sum over the sessions and the merged unit masks, each of them once. */
static void add_to_classes(struct pp_sample_list *list, struct pp_classes *classes)
{
	bool *added = op_alloc(classes->n * list->n_scales, sizeof(*added));

	for (size_t i = 0; i < list->n; i++) {
		size_t index = scale_of(list, &list->files[i]);
		struct pp_class *class = &classes->items[list->files[i].class];
		bool *done = &added[list->files[i].class * list->n_scales + index];

		if (*done)
			continue;
		*done = true;
		add_time(&class->enabled_ns, list->scales[index]->enabled_ns);
		add_time(&class->running_ns, list->scales[index]->running_ns);
		add_time(&class->paused_ns, list->scales[index]->paused_ns);
		add_time(&class->taken, list->scales[index]->taken);
		add_time(&class->unsampled_ns, list->scales[index]->unsampled_ns);
		add_time(&class->missing_ns, list->scales[index]->missing_ns);
		class->is_scaled |= list->files[i].scale != NULL;
	}
	free(added);
}

void pp_scales_find(struct pp_sample_list *list, struct pp_classes *classes)
{
	sample_list_find(list, list->files, list->n);
	sample_list_find(list, list->arcs, list->n_arcs);
	sample_list_find(list, list->weights, list->n_weights);
	sample_list_find(list, list->weight_arcs, list->n_weight_arcs);
	sample_list_find(list, list->stacks, list->n_stacks);
	add_to_classes(list, classes);
}

/* ---- scaling ---- */

bool pp_is_scaled(const struct pp_sample_file *file)
{
	return file->scale || pp_weight_unit(file) > 1;
}

uint64_t pp_scale_count(const struct pp_sample_file *file, uint64_t count)
{
	struct pp_scale *scale = file->scale;
	uint64_t *rest;
	wide all;

	count = bounded((wide)count * pp_weight_unit(file));
	if (!scale)
		return count;
	rest = &scale->rest[(file->name.is_arc || file->is_stacks) + 2 * file->is_weight];
	all = (wide)count * scale->enabled_ns + *rest;
	*rest = (uint64_t)(all % scale->running_ns);
	return bounded(all / scale->running_ns);
}

void pp_scale_entries(const struct pp_sample_file *file, struct odb_entry *entries, size_t n)
{
	for (size_t i = 0; pp_is_scaled(file) && i < n; i++)
		entries[i].count = pp_scale_count(file, entries[i].count);
}

bool pp_class_is_partial(const struct pp_class *class)
{
	return is_partial(class->enabled_ns, class->running_ns);
}

void pp_scale_put(const struct pp_class *class, FILE *out)
{
	double share = (double)class->running_ns / (double)class->enabled_ns;

	if (!pp_class_is_partial(class))
		return;
	if (class->is_scaled)
		fprintf(out, " (scaled by %.4g, counted %.1f %% of the time)", 1 / share,
			100 * share);
	else
		fprintf(out, " (not scaled, counted %.1f %% of the time)", 100 * share);
}
