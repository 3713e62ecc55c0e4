// SPDX-License-Identifier: GPL-2.0-or-later
/* What sessions of each value of a label would have: see label_sums.h. */
#include "label_sums.h"

#include <stdlib.h>

#include "libop/base/memory.h"
#include "libop/tables/pair_table.h"
#include "pp/formats/model/labels.h"
#include "pp/formats/session/names.h"

/* Samples of a value of the label and a program. */
struct summed {
	const char *value; /* NULL: without the label */
	const struct op_image_name *app;
	struct prof_value sum;
};

struct summing {
	const struct prof *prof;
	const char *label;
	struct session_names names;
	struct op_names values;
	struct op_pair_table known; /* of value and program: one more than the index */
	struct summed *summed;
	size_t n, capacity;
};

static const char *value_of(struct summing *summing, const struct prof_label *label)
{
	char *text = prof_label_text(summing->prof, label);
	const char *value = op_names_keep(&summing->values, text);

	free(text);
	return value;
}

static void add_to_value(struct summing *summing, const struct prof_sample *sample,
			 const char *value)
{
	const uint32_t leaf = sample->depth ? sample->frames[0].image : PROF_NO_IMAGE;
	const struct op_image_name *app = session_app_of(&summing->names, sample->app, leaf);
	uint64_t *known = op_pair_table_get(&summing->known, (uintptr_t)value, (uintptr_t)app);
	struct prof_value *sum;

	if (!*known) {
		summing->summed = op_grow(summing->summed, &summing->capacity, summing->n + 1,
					  sizeof(*summing->summed));
		summing->summed[summing->n++] = (struct summed){.value = value, .app = app};
		*known = summing->n;
	}
	sum = &summing->summed[*known - 1].sum;
	for (size_t i = 0; i < sample->n_values; i++) {
		const struct prof_value *value_of_sample = &sample->values[i];

		if (__builtin_add_overflow(sum->count, value_of_sample->count, &sum->count))
			sum->count = UINT64_MAX;
		if (__builtin_add_overflow(sum->events, value_of_sample->events, &sum->events))
			sum->events = UINT64_MAX;
	}
}

/* A sample with several values of the label counts with each of them. */
static void add_sample(struct summing *summing, const struct prof_sample *sample)
{
	const struct prof_label *label = NULL;

	while ((label = prof_label_next(summing->prof, sample, summing->label, label)))
		add_to_value(summing, sample, value_of(summing, label));
	if (!prof_label_next(summing->prof, sample, summing->label, NULL))
		add_to_value(summing, sample, NULL);
}

void prof_label_sums(const struct prof *prof, const struct session_selection *selection,
		     struct pp_label_sums *sums)
{
	const struct session_selection all = {.wanted = selection->wanted};
	struct summing summing = {.prof = prof, .label = selection->label};
	bool *contexts = session_selected_contexts(prof, &all);
	struct prof_cursor cursor = {.contexts = contexts};
	const struct session_event *event;
	struct prof_sample sample;

	session_names_make(&summing.names, prof);
	event = &summing.names.events[0];
	while (prof_next(prof, &cursor, &sample))
		add_sample(&summing, &sample);
	prof_cursor_free(&cursor);
	free(contexts);
	for (size_t i = 0; i < summing.n; i++) {
		const struct summed *summed = &summing.summed[i];
		const struct pp_label_sum sum = {
			.value = summed->value,
			.app = *summed->app,
			.samples = session_samples(event, summed->sum.count),
			.weight = session_weight(event, &summed->sum),
		};

		if (summed->sum.count)
			pp_label_sums_add(sums, &sum);
	}
	pp_label_sums_finish(sums);
	free(summing.summed);
	op_pair_table_free(&summing.known);
	op_names_free_kept(&summing.values);
	session_names_free(&summing.names, prof);
}
