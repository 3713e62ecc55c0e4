// SPDX-License-Identifier: GPL-2.0-or-later
/* Sample types of pprof as events. */
#include "values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

#define SUFFIX_SAMPLES "_sample"
#define SUFFIX_EVENTS  "_event"

static const char *pprof_tables_name_of(const struct pprof_tables *tables, size_t column)
{
	return pprof_string(tables, tables->types[column].type);
}

static const char *unit_of(const struct pprof_tables *tables, size_t column)
{
	return pprof_string(tables, tables->types[column].unit);
}

/* The length of @name without @suffix; 0 if it does not end so. */
static size_t stem(const char *name, const char *suffix)
{
	size_t length = strlen(name), cut = strlen(suffix);

	return length > cut && !strcmp(name + length - cut, suffix) ? length - cut : 0;
}

static bool have_same_stem(const char *samples, const char *events)
{
	size_t length = stem(samples, SUFFIX_SAMPLES);

	return length && length == stem(events, SUFFIX_EVENTS) && !memcmp(samples, events, length);
}

/* True if @column counts the samples of the next one. */
static bool is_pair(const struct pprof_tables *tables, size_t column)
{
	const char *name = pprof_tables_name_of(tables, column);

	if (column + 1 >= tables->n_types || strcmp(unit_of(tables, column), "count") != 0)
		return false;
	return strcmp(unit_of(tables, column + 1), "count") != 0 ||
	       have_same_stem(name, pprof_tables_name_of(tables, column + 1)) ||
	       (tables->n_types == 2 && !strcmp(name, "samples"));
}

static bool is_period_of(const struct pprof_tables *tables, size_t column)
{
	const char *type = pprof_string(tables, tables->period_type.type);
	const char *unit = pprof_string(tables, tables->period_type.unit);

	return type && unit && !strcmp(type, pprof_tables_name_of(tables, column)) &&
	       !strcmp(unit, unit_of(tables, column));
}

static void tell_samples(const struct pprof_tables *tables, const struct pprof_event *event,
			 struct prof_sink *sink)
{
	const char *samples;

	if (event->samples == PPROF_NO_COLUMN) {
		sink->fact(sink, PPROF_FACT_SAMPLES, event->name);
		return;
	}
	samples = pprof_tables_name_of(tables, event->samples);
	if ((strcmp(samples, "samples") != 0 || tables->n_types != 2) &&
	    !have_same_stem(samples, pprof_tables_name_of(tables, event->events)))
		prof_sink_fact(sink, PPROF_FACT_SAMPLES, "%s %s", event->name, samples);
}

static uint32_t event_of(const struct pprof_event *made, bool is_negative, struct prof_sink *sink)
{
	const struct prof_event event = {
		.name = made->name,
		.unit = made->unit,
		.period = made->period,
		.type = PROF_NO_TYPE,
		.is_negative = is_negative,
	};

	return sink->event(sink, &event);
}

/* Makes the event of @column, or of it and the next one. */
static void make_event(struct pprof_event *made, const struct pprof_tables *tables, size_t column,
		       struct prof_sink *sink)
{
	bool pair = is_pair(tables, column);
	const char *name = pprof_tables_name_of(tables, column + pair);

	*made = (struct pprof_event){
		.samples = pair ? column : PPROF_NO_COLUMN,
		.events = column + pair,
	};
	if (pair && have_same_stem(pprof_tables_name_of(tables, column), name))
		made->name = op_format("%.*s", (int)stem(name, SUFFIX_EVENTS), name);
	else
		made->name = op_copy(*name ? name : "samples");
	if (is_period_of(tables, column + pair) || (!pair && is_period_of(tables, column)))
		made->period = tables->numbers[PPROF_PERIOD];
	if (made->period > INT64_MAX)
		made->period = 0;
	if (*unit_of(tables, column + pair))
		made->unit = op_copy(unit_of(tables, column + pair));
	made->event = event_of(made, false, sink);
	tell_samples(tables, made, sink);
}

static void tell_period(const struct pprof_values *values, const struct pprof_tables *tables,
			struct prof_sink *sink)
{
	const char *type = pprof_string(tables, tables->period_type.type);
	const char *unit = pprof_string(tables, tables->period_type.unit);

	for (size_t i = 0; i < values->n; i++)
		if (values->items[i].period)
			return;
	if (tables->numbers[PPROF_PERIOD] && type && unit)
		prof_sink_fact(sink, PPROF_FACT_PERIOD, "%" PRIu64 " %s %s",
			       tables->numbers[PPROF_PERIOD], type, unit);
}

void pprof_values_make(struct pprof_values *values, const struct pprof_tables *tables,
		       struct prof_sink *sink)
{
	values->items = op_alloc(tables->n_types, sizeof(*values->items));
	values->n = 0;
	for (size_t column = 0; column < tables->n_types; column++) {
		make_event(&values->items[values->n], tables, column, sink);
		column = values->items[values->n++].events;
	}
	tell_period(values, tables, sink);
}

void pprof_values_free(struct pprof_values *values)
{
	for (size_t i = 0; i < values->n; i++) {
		free(values->items[i].name);
		free(values->items[i].unit);
	}
	free(values->items);
	*values = (struct pprof_values){0};
}

static uint64_t magnitude(int64_t number)
{
	if (number == INT64_MIN)
		return INT64_MAX;
	return (uint64_t)(number < 0 ? -number : number);
}

/* The part of one sign. */
static struct prof_value part_of(const struct pprof_event *event, int64_t samples, int64_t events)
{
	struct prof_value value = {.event = event->event, .events = magnitude(events)};

	/* what has events, is a sample */
	if (event->samples != PPROF_NO_COLUMN)
		value.count = magnitude(samples);
	else if (event->period > 1)
		value.count = value.events / event->period + (value.events % event->period != 0);
	else
		value.count = value.events;
	return value;
}

size_t pprof_value(struct pprof_event *event, const int64_t *columns, struct prof_sink *sink,
		   struct prof_value values[static 2])
{
	int64_t events = columns[event->events];
	int64_t samples = event->samples == PPROF_NO_COLUMN ? 0 : columns[event->samples];
	size_t n = 0;

	if (event->samples != PPROF_NO_COLUMN && !samples)
		samples = (events > 0) - (events < 0);
	if (samples > 0 || events > 0)
		values[n++] = part_of(event, samples > 0 ? samples : 0, events > 0 ? events : 0);
	if (samples >= 0 && events >= 0)
		return n;
	if (!event->has_below)
		event->below = event_of(event, true, sink);
	event->has_below = true;
	values[n] = part_of(event, samples < 0 ? samples : 0, events < 0 ? events : 0);
	values[n++].event = event->below;
	return n;
}
