// SPDX-License-Identifier: GPL-2.0-or-later
/* The data of a page: see columns.h. */
#include "columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "deflated.h"
#include "libop/base/buffer.h"
#include "libop/base/memory.h"
#include "libop/base/text_stream.h"
#include "libop/text/json.h"
#include "pp/formats/model/timeline.h"

struct columns {
	const struct stack_tree *tree;
	const struct prof *prof;
	struct deflated *out;
	struct op_buffer column; /* that is being made */
	bool *weighted;		 /* by event: samples stand for different numbers of events */
	bool any_weighted;
};

/* Writes the column that was made, and begins another one. */
static void end_column(struct columns *columns)
{
	uint8_t length[OP_LEB128_MOST];

	pp_buffer_check(&columns->column);
	deflated_put(columns->out, length, op_leb128_write(length, columns->column.used));
	deflated_put(columns->out, columns->column.bytes, columns->column.used);
	columns->column.used = 0;
}

/* ---- facts ---- */

static void put_pair(struct op_json *json, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	op_json_array(json, NULL);
	op_json_string(json, NULL, key);
	op_json_string(json, NULL, value);
	op_json_end(json);
}

static void put_started(struct op_json *json, uint64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;
	char text[64];

	if (!ns || !localtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm))
		return;
	put_pair(json, "Started", text);
}

static void put_duration(struct op_json *json, uint64_t ns)
{
	char text[64];

	if (!ns)
		return;
	snprintf(text, sizeof(text), "%.3f s", (double)ns / 1e9);
	put_pair(json, "Duration", text);
}

static void put_facts(struct op_json *json, const struct prof_host *host)
{
	op_json_array(json, "facts");
	put_pair(json, "Command", host->command_line);
	put_pair(json, "Host", host->hostname);
	put_started(json, host->start_time);
	put_duration(json, host->duration);
	put_pair(json, "System", host->os_release);
	put_pair(json, "Machine", host->arch);
	put_pair(json, "CPU", host->cpu_description);
	put_pair(json, "CPU type", host->cpu_type);
	put_pair(json, "Recorded by", host->tool);
	op_json_end(json);
}

static void put_troubles(struct op_json *json, const struct prof *prof)
{
	op_json_array(json, "notes");
	for (size_t i = 0; i < prof->n_notes; i++)
		op_json_string(json, NULL, prof->notes[i]);
	op_json_end(json);
	op_json_array(json, "lost");
	for (size_t i = 0; i < prof->n_losses; i++) {
		op_json_array(json, NULL);
		op_json_string(json, NULL, prof->losses[i].cause);
		op_json_number(json, NULL, prof->losses[i].count);
		op_json_end(json);
	}
	op_json_end(json);
}

/* ---- names ---- */

static void put_events(const struct columns *columns, struct op_json *json)
{
	op_json_array(json, "events");
	for (size_t i = 0; i < columns->prof->n_events; i++) {
		const struct prof_event *event = &columns->prof->events[i];

		op_json_object(json, NULL);
		op_json_string(json, "name", event->name);
		op_json_string(json, "unit", event->unit ? event->unit : "count");
		op_json_number(json, "period", event->period);
		op_json_number(json, "frequency", event->frequency);
		op_json_bool(json, "weighted", columns->weighted[i]);
		op_json_end(json);
	}
	op_json_end(json);
}

static void put_images(struct op_json *json, const struct prof *prof)
{
	op_json_array(json, "images");
	for (uint32_t i = 0; i < prof->n_images; i++) {
		op_json_array(json, NULL);
		op_json_string(json, NULL, names_image(prof, i));
		op_json_string(json, NULL, prof->images[i].path);
		op_json_number(json, NULL, prof->images[i].is_kernel);
		op_json_end(json);
	}
	op_json_end(json);
}

static void put_functions(struct op_json *json, const struct named_functions *functions)
{
	op_json_array(json, "functions");
	for (size_t i = 0; i < functions->n; i++) {
		const struct named_function *function = &functions->items[i];

		op_json_array(json, NULL);
		op_json_string(json, NULL, function->name);
		op_json_number(json, NULL, function->image);
		if (function->file)
			op_json_string(json, NULL, function->file);
		op_json_end(json);
	}
	op_json_end(json);
}

static void put_id(struct op_json *json, int64_t id)
{
	op_json_raw(json, NULL, "%" PRId64, id);
}

static void put_threads(struct op_json *json, const struct stack_tree *tree)
{
	op_json_array(json, "threads");
	for (size_t i = 0; i < tree->n_threads; i++) {
		op_json_array(json, NULL);
		op_json_number(json, NULL, tree->threads[i].program);
		put_id(json, tree->threads[i].pid);
		put_id(json, tree->threads[i].tid);
		op_json_end(json);
	}
	op_json_end(json);
}

static void write_json(struct columns *columns, const char *title)
{
	const struct stack_tree *tree = columns->tree;
	struct op_text_stream stream;
	struct op_json json = {0};

	op_text_stream_open(&stream);
	json.out = stream.out;
	op_json_object(&json, NULL);
	op_json_string(&json, "title", title);
	put_facts(&json, &columns->prof->host);
	put_troubles(&json, columns->prof);
	put_events(columns, &json);
	put_images(&json, columns->prof);
	put_functions(&json, &tree->functions);
	put_threads(&json, tree);
	op_json_number(&json, "nodes", tree->n_nodes);
	op_json_number(&json, "entries", tree->n_entries);
	op_json_number(&json, "moments", columns->prof->n_moments);
	op_json_end(&json);
	op_text_stream_close(&stream);
	op_buffer_put(&columns->column, stream.text, stream.length);
	free(stream.text);
	end_column(columns);
}

/* ---- columns ---- */

static void write_nodes(struct columns *columns)
{
	const struct stack_tree *tree = columns->tree;
	uint32_t depth = 0;

	for (size_t i = 0; i < tree->n_nodes; i++) {
		op_buffer_leb128(&columns->column, i ? depth + 1 - tree->nodes[i].depth : 0);
		depth = tree->nodes[i].depth;
	}
	end_column(columns);
	for (size_t i = 0; i < tree->n_nodes; i++)
		op_buffer_leb128(&columns->column, tree->nodes[i].function);
	end_column(columns);
}

static void write_entries(struct columns *columns)
{
	const struct stack_tree *tree = columns->tree;
	uint32_t node = 0;

	for (size_t i = 0; i < tree->n_entries; i++) {
		op_buffer_leb128(&columns->column, tree->entries[i].node - node);
		node = tree->entries[i].node;
	}
	end_column(columns);
	for (size_t i = 0; i < tree->n_entries; i++)
		op_buffer_leb128(&columns->column, tree->entries[i].thread);
	end_column(columns);
}

/* How many events a sample of @event stands for, if it is the same number for all; else 0. */
static uint64_t common_period(const struct stack_tree *tree, size_t event)
{
	uint64_t period = 0;

	for (size_t i = 0; i < tree->n_entries; i++) {
		const struct prof_value *value = &tree->values[tree->entries[i].values + event];

		if (!value->count)
			continue;
		if (!period)
			period = value->events / value->count;
		if (!period || value->events != value->count * period)
			return 0;
	}
	return period;
}

static void find_weighted(struct columns *columns)
{
	size_t n = columns->prof->n_events;

	columns->weighted = pp_alloc(n ? n : 1, sizeof(*columns->weighted));
	for (size_t i = 0; i < n; i++) {
		columns->weighted[i] = !common_period(columns->tree, i);
		columns->any_weighted |= columns->weighted[i];
	}
}

static void write_values(struct columns *columns)
{
	const struct stack_tree *tree = columns->tree;

	for (size_t event = 0; event < columns->prof->n_events; event++) {
		for (size_t i = 0; i < tree->n_entries; i++)
			op_buffer_leb128(&columns->column,
					 tree->values[tree->entries[i].values + event].count);
		end_column(columns);
		for (size_t i = 0; columns->weighted[event] && i < tree->n_entries; i++)
			op_buffer_leb128(&columns->column,
					 tree->values[tree->entries[i].values + event].events);
		end_column(columns);
	}
}

/* The event of each value, in the order of prof_next(), as moments number them. */
static uint32_t *events_of_values(const struct columns *columns)
{
	uint32_t *events = pp_alloc(columns->tree->n_sample_values + 1, sizeof(*events));
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	size_t n = 0;

	while (prof_next(columns->prof, &cursor, &sample))
		for (size_t i = 0; i < sample.n_values; i++)
			events[n++] = sample.values[i].event;
	prof_cursor_free(&cursor);
	return events;
}

static void write_moments(struct columns *columns)
{
	const struct prof *prof = columns->prof;
	uint32_t *events = prof->n_moments ? events_of_values(columns) : NULL;
	uint64_t time = prof->n_moments ? prof->moments[0].time / 1000 : 0;

	for (size_t i = 0; i < prof->n_moments; i++) {
		op_buffer_leb128(&columns->column, prof->moments[i].time / 1000 - time);
		time = prof->moments[i].time / 1000;
	}
	end_column(columns);
	for (size_t i = 0; i < prof->n_moments; i++) {
		uint32_t value = prof->moments[i].value;

		op_buffer_leb128(&columns->column,
				 (uint64_t)columns->tree->entry_of_value[value] * prof->n_events +
					 events[value]);
	}
	end_column(columns);
	for (size_t i = 0; i < prof->n_moments; i++)
		op_buffer_leb128(&columns->column, prof->moments[i].count);
	end_column(columns);
	for (size_t i = 0; columns->any_weighted && i < prof->n_moments; i++)
		op_buffer_leb128(&columns->column, prof->moments[i].events);
	end_column(columns);
	free(events);
}

void columns_write(const struct stack_tree *tree, struct prof *prof, const char *title, FILE *out)
{
	struct columns columns = {.tree = tree, .prof = prof};

	prof_sort_moments(prof, PROF_IN_TIME);
	columns.out = deflated_new(out);
	find_weighted(&columns);
	write_json(&columns, title);
	write_nodes(&columns);
	write_entries(&columns);
	write_values(&columns);
	write_moments(&columns);
	deflated_end(columns.out);
	free(columns.weighted);
	op_buffer_free(&columns.column);
}
