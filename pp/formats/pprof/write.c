// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing pprof profiles.  Messages of the profile may come in any order, so samples are written
 * as they are met, and what they turned out to refer to behind them.
 */

#include "write.h"

#include <stdlib.h>

#include "libop/base/array.h"
#include "libop/base/number.h"
#include "pp/formats/model/bounded.h"
#include "pp/formats/model/mapped_image.h"
#include "pp/formats/session/symbolize.h"
#include "pp/formats/model/weights.h"
#include "values.h"
#include "libop/base/memory.h"

/* ---- samples ---- */

/* A fact of the profile that it was read with: what follows "EVENT", and the blank after it. */
static const char *samples_fact(const struct prof *prof, const char *event)
{
	size_t length = strlen(event);

	for (size_t i = 0; i < prof->n_facts; i++) {
		const char *value = prof->facts[i].value;

		if (!strcmp(prof->facts[i].key, PPROF_FACT_SAMPLES) &&
		    !strncmp(value, event, length) && (!value[length] || value[length] == ' '))
			return value + length + (value[length] == ' ');
	}
	return NULL;
}

static void put_type(struct writer *writer, enum pprof_profile_field field, const char *type,
		     const char *unit)
{
	wire_put_number(&writer->message, PPROF_TYPE_TYPE, pprof_write_string(writer, type));
	wire_put_number(&writer->message, PPROF_TYPE_UNIT, pprof_write_string(writer, unit));
	pprof_write_put_message(writer, field);
}

/* An event of values below 0 has the columns of the other one. */
static bool has_columns(const struct writer *writer, size_t event)
{
	return !writer->prof->events[event].is_negative ||
	       writer->opposites[event] == PROF_NO_EVENT;
}

static size_t n_columns(const struct writer *writer)
{
	size_t n = 0;

	for (size_t i = 0; i < writer->prof->n_events; i++)
		n += has_columns(writer, i);
	return n;
}

static void name_columns(struct writer *writer, size_t i)
{
	const struct prof_event *event = &writer->prof->events[i];
	const char *fact = samples_fact(writer->prof, event->name);

	if (fact) {
		writer->columns[i].samples = *fact ? op_copy(fact) : NULL;
		writer->columns[i].events = op_copy(event->name);
	} else if (writer->n_columns == 1) {
		writer->columns[i].samples = op_copy("samples");
		writer->columns[i].events = op_copy(event->name);
	} else {
		writer->columns[i].samples = op_format("%s_sample", event->name);
		writer->columns[i].events = op_format("%s_event", event->name);
	}
}

static void put_types(struct writer *writer)
{
	const struct prof *prof = writer->prof;

	writer->columns = op_alloc(prof->n_events, sizeof(*writer->columns));
	for (size_t i = 0; i < prof->n_events; i++) {
		const char *unit = prof->events[i].unit ? prof->events[i].unit : "count";

		if (!has_columns(writer, i))
			continue;
		name_columns(writer, i);
		if (writer->columns[i].samples)
			put_type(writer, PPROF_SAMPLE_TYPE, writer->columns[i].samples, "count");
		put_type(writer, PPROF_SAMPLE_TYPE, writer->columns[i].events, unit);
	}
}

/* A sample that is no sample of pprof's: values are below 2^63 there. */
static void add_value(struct writer *writer, uint64_t above, uint64_t below)
{
	uint64_t value = above < below ? below - above : above - below;

	value = value < INT64_MAX ? value : INT64_MAX;
	op_buffer_leb128(&writer->part, above < below ? -value : value);
}

static struct prof_value find_value(const struct prof_sample *sample, size_t event)
{
	for (size_t i = 0; i < sample->n_values; i++)
		if (sample->values[i].event == event)
			return sample->values[i];
	return (struct prof_value){0};
}

static void put_values(struct writer *writer, const struct prof_sample *sample)
{
	const struct prof *prof = writer->prof;

	for (size_t i = 0; i < prof->n_events; i++) {
		struct prof_value above = find_value(sample, i), below = {0};

		if (!has_columns(writer, i))
			continue;
		if (writer->opposites[i] != PROF_NO_EVENT)
			below = find_value(sample, writer->opposites[i]);
		if (prof->events[i].is_negative) {
			below = above;
			above = (struct prof_value){0};
		}
		if (writer->columns[i].samples)
			add_value(writer, above.count, below.count);
		add_value(writer, above.events, below.events);
	}
	wire_put_message(&writer->message, PPROF_SAMPLE_VALUE, &writer->part);
}

static void put_label(struct writer *writer, const char *key, const char *text, int64_t number)
{
	wire_put_number(&writer->part, PPROF_LABEL_KEY, pprof_write_string(writer, key));
	if (text)
		wire_put_number(&writer->part, PPROF_LABEL_TEXT, pprof_write_string(writer, text));
	else
		wire_put_number(&writer->part, PPROF_LABEL_NUMBER, (uint64_t)number);
	wire_put_message(&writer->message, PPROF_SAMPLE_LABEL, &writer->part);
}

/* One of the profile's own. */
static void put_named_label(struct writer *writer, const struct prof_label *label)
{
	const char *const *strings = writer->prof->strings;

	if (label->unit && !label->value)
		wire_put_number(&writer->part, PPROF_LABEL_UNIT,
				pprof_write_string(writer, strings[label->unit]));
	put_label(writer, strings[label->name], label->value ? strings[label->value] : NULL,
		  label->number);
}

/* Without other information, readers take the file that is mapped first for the program. */
static void put_app(struct writer *writer, uint32_t app)
{
	struct mapping mapping;

	if (app == writer->app && app)
		return;
	if (app <= PROF_NO_KERNEL_IMAGE) {
		if (writer->has_files)
			put_label(writer, PPROF_LABEL_APP, PPROF_NO_APP, 0);
		return;
	}
	mapping = mapping_of(&writer->prof->images[app]);
	put_label(writer, PPROF_LABEL_APP, mapping.name, 0);
	free(mapping.name);
}

static void put_labels(struct writer *writer, const struct prof_sample *sample)
{
	const struct prof *prof = writer->prof;

	if (sample->comm)
		put_label(writer, PPROF_LABEL_THREAD, prof->strings[sample->comm], 0);
	if (sample->pid != PROF_ANY)
		put_label(writer, PPROF_LABEL_PID, NULL, sample->pid);
	if (sample->tid != PROF_ANY)
		put_label(writer, PPROF_LABEL_TID, NULL, sample->tid);
	if (sample->cpu != PROF_ANY)
		put_label(writer, PPROF_LABEL_CPU, NULL, sample->cpu);
	put_app(writer, sample->app);
	for (size_t i = 0; i < sample->n_labels; i++)
		put_named_label(writer, &sample->labels[i]);
}

/* @ids: its locations */
static void put_sample(struct writer *writer, const struct prof_sample *sample,
		       struct op_buffer *ids)
{
	wire_put_message(&writer->message, PPROF_SAMPLE_LOCATION, ids);
	op_buffer_free(ids);
	put_values(writer, sample);
	put_labels(writer, sample);
	pprof_write_put_message(writer, PPROF_SAMPLE);
}

static void add_sample(void *context, const struct prof_sample *sample)
{
	struct writer *writer = context;
	struct op_buffer ids = {0};

	for (size_t i = 0; i < sample->depth; i++) {
		const struct prof_frame place =
			names_place_or(writer->output->names, writer->prof, sample, i);

		op_buffer_leb128(&ids, pprof_write_location(writer, &place));
	}
	put_sample(writer, sample, &ids);
}

static void add_left_out(void *context, const struct prof_sample *sample)
{
	struct writer *writer = context;
	struct op_buffer ids = {0};

	op_buffer_leb128(&ids, pprof_write_left_out(writer, sample->app));
	put_sample(writer, sample, &ids);
}

/* ---- their bytes ---- */

static uint64_t bytes_used(void *context)
{
	return ((struct writer *)context)->bytes;
}

static uint64_t left_out_cost(void *context, const struct prof_sample *sample)
{
	const struct writer *writer = context;

	return (8 + writer->n_columns) * ITEM_BYTES +
	       2 * bounded_text_bytes(writer->prof->images[sample->app].path);
}

static uint64_t cost_of_sample(void *context, const struct prof_sample *sample)
{
	struct writer *writer = context;
	const char *const *strings = writer->prof->strings;
	uint64_t bytes =
		left_out_cost(context, sample) + ITEM_BYTES + strlen(strings[sample->comm]);

	bytes += bounded_labels_bytes(writer->prof, sample, 4 * ITEM_BYTES);
	/* a line has a function, and three texts; an image has a build-id, too */
	return bytes +
	       names_bytes_of_stack(writer->output->names, writer->prof, sample, 6 * ITEM_BYTES);
}

static const struct bounded_writer bounded_writer = {
	.used = bytes_used,
	.cost = cost_of_sample,
	.add = add_sample,
	.left_out_cost = left_out_cost,
	.add_left_out = add_left_out,
};

static void find_app(struct writer *writer)
{
	uint64_t *apps = op_alloc(writer->prof->n_images, sizeof(*apps));
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	while (prof_next(writer->prof, &cursor, &sample))
		if (sample.n_values)
			apps[sample.app] += sample.values[0].count;
	for (uint32_t i = PROF_NO_KERNEL_IMAGE + 1; i < writer->prof->n_images; i++) {
		if (writer->prof->images[i].kind != PROF_FILE)
			continue;
		writer->has_files = true;
		if (apps[i] && (!writer->app || apps[i] > apps[writer->app]))
			writer->app = i;
	}
	free(apps);
	prof_cursor_free(&cursor);
}

static void pprof_write_put_samples(struct writer *writer)
{
	/* pprof takes the first mapping for the program's */
	find_app(writer);
	pprof_write_mapping(writer, writer->app);
	bounded_add_samples(writer->prof, writer->output->most, &bounded_writer, writer);
}

/* ---- what is about the whole profile ---- */

/* "N TYPE UNIT"; either may have any bytes but blanks. */
static bool put_period_fact(struct writer *writer, const char *fact)
{
	char type[128], unit[128];
	uint64_t period;

	/* sscanf() splits words here; the number is read before */
	if (!op_number_take(&fact, 10, UINT64_MAX, &period) ||
	    sscanf(fact, " %127s %127s", type, unit) != 2)
		return false;
	put_type(writer, PPROF_PERIOD_TYPE, type, unit);
	wire_put_number(&writer->out, PPROF_PERIOD, period);
	return true;
}

static void put_period(struct writer *writer)
{
	const struct prof *prof = writer->prof;

	for (size_t i = 0; i < prof->n_events; i++) {
		const struct prof_event *event = &prof->events[i];

		if (!event->period || !has_columns(writer, i))
			continue;
		put_type(writer, PPROF_PERIOD_TYPE, writer->columns[i].events,
			 event->unit ? event->unit : "count");
		wire_put_number(&writer->out, PPROF_PERIOD, event->period);
		return;
	}
	for (size_t i = 0; i < prof->n_facts; i++)
		if (!strcmp(prof->facts[i].key, PPROF_FACT_PERIOD) &&
		    put_period_fact(writer, prof->facts[i].value))
			return;
}

static void put_facts(struct writer *writer)
{
	static const struct {
		const char *key;
		enum pprof_profile_field field;
	} fields[] = {
		{PPROF_FACT_COMMENT, PPROF_COMMENT},
		{PPROF_FACT_DROP_FRAMES, PPROF_DROP_FRAMES},
		{PPROF_FACT_KEEP_FRAMES, PPROF_KEEP_FRAMES},
		{PPROF_FACT_DEFAULT_TYPE, PPROF_DEFAULT_SAMPLE_TYPE},
		{PPROF_FACT_DOC_URL, PPROF_DOC_URL},
	};
	const struct prof *prof = writer->prof;

	for (size_t i = 0; i < prof->n_facts; i++)
		for (size_t j = 0; j < OP_ARRAY_SIZE(fields); j++)
			if (!strcmp(prof->facts[i].key, fields[j].key))
				wire_put_number(&writer->out, fields[j].field,
						pprof_write_string(writer, prof->facts[i].value));
	wire_put_number(&writer->out, PPROF_TIME_NANOS, prof->host.start_time);
	wire_put_number(&writer->out, PPROF_DURATION_NANOS, prof->host.duration);
}

static void put_strings(struct writer *writer)
{
	for (size_t i = 0; i < writer->n_strings; i++) {
		wire_put_safe_text(&writer->out, PPROF_STRING_TABLE, writer->strings[i]);
		if (writer->out.used >= FLUSH_BYTES)
			pprof_write_pack(writer, Z_NO_FLUSH);
	}
}

static void free_writer(struct writer *writer)
{
	for (size_t i = 0; i < writer->n_strings; i++)
		free(writer->strings[i]);
	for (size_t i = 0; i < writer->prof->n_events && writer->columns; i++) {
		free(writer->columns[i].samples);
		free(writer->columns[i].events);
	}
	free(writer->strings);
	free(writer->columns);
	free(writer->opposites);
	free(writer->functions);
	free(writer->locations);
	free(writer->mappings);
	free(writer->has_functions);
	free(writer->has_lines);
	free(writer->packed);
	op_hash_free(&writer->by_string);
	op_hash_free(&writer->by_function);
	op_hash_free(&writer->by_location);
	op_buffer_free(&writer->out);
	op_buffer_free(&writer->message);
	op_buffer_free(&writer->part);
}

int pprof_write(struct prof *prof, struct output *output, struct op_error *error)
{
	struct writer writer = {.prof = prof, .output = output};

	if (deflateInit2(&writer.stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return op_error_memory(error);
	prof_layout(prof);
	writer.packed = op_alloc(FLUSH_BYTES, 1);
	writer.mappings = op_alloc(prof->n_images, sizeof(*writer.mappings));
	writer.has_functions = op_alloc(prof->n_images, sizeof(*writer.has_functions));
	writer.has_lines = op_alloc(prof->n_images, sizeof(*writer.has_lines));
	pprof_write_string(&writer, ""); /* number 0 must be it */
	writer.opposites = prof_opposites(prof);
	writer.n_columns = n_columns(&writer);
	put_types(&writer);
	pprof_write_put_samples(&writer);
	pprof_write_put_functions(&writer);
	pprof_write_put_mappings(&writer);
	put_period(&writer);
	put_facts(&writer);
	put_strings(&writer);
	pprof_write_pack(&writer, Z_FINISH);
	deflateEnd(&writer.stream);
	free_writer(&writer);
	return 0;
}
