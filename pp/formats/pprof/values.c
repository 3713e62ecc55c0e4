// SPDX-License-Identifier: GPL-2.0-or-later
/* Sample types of pprof as events. */
#include "values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

#define SUFFIX_SAMPLES "_sample"
#define SUFFIX_EVENTS  "_event"

static const char *name_of(const struct pprof_tables *tables, size_t column)
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
	const char *name = name_of(tables, column);

	if (column + 1 >= tables->n_types || strcmp(unit_of(tables, column), "count") != 0)
		return false;
	return strcmp(unit_of(tables, column + 1), "count") != 0 ||
	       have_same_stem(name, name_of(tables, column + 1)) ||
	       (tables->n_types == 2 && !strcmp(name, "samples"));
}

static bool is_period_of(const struct pprof_tables *tables, size_t column)
{
	const char *type = pprof_string(tables, tables->period_type.type);
	const char *unit = pprof_string(tables, tables->period_type.unit);

	return type && unit && !strcmp(type, name_of(tables, column)) &&
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
	samples = name_of(tables, event->samples);
	if ((strcmp(samples, "samples") != 0 || tables->n_types != 2) &&
	    !have_same_stem(samples, name_of(tables, event->events)))
		prof_sink_fact(sink, PPROF_FACT_SAMPLES, "%s %s", event->name, samples);
}

/* Makes the event of @column, or of it and the next one. */
static void make_event(struct pprof_event *made, const struct pprof_tables *tables, size_t column,
		       struct prof_sink *sink)
{
	bool pair = is_pair(tables, column);
	struct prof_event event = {.type = PROF_NO_TYPE};
	const char *name = name_of(tables, column + pair);

	*made = (struct pprof_event){
		.samples = pair ? column : PPROF_NO_COLUMN,
		.events = column + pair,
	};
	if (pair && have_same_stem(name_of(tables, column), name))
		made->name = pp_format("%.*s", (int)stem(name, SUFFIX_EVENTS), name);
	else
		made->name = pp_copy(*name ? name : "samples");
	if (is_period_of(tables, column + pair) || (!pair && is_period_of(tables, column)))
		made->period = tables->numbers[PPROF_PERIOD];
	if (made->period > INT64_MAX)
		made->period = 0;
	event.name = made->name;
	event.unit = *unit_of(tables, column + pair) ? unit_of(tables, column + pair) : NULL;
	event.period = made->period;
	made->event = sink->event(sink, &event);
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
	values->items = pp_alloc(tables->n_types, sizeof(*values->items));
	values->n = 0;
	for (size_t column = 0; column < tables->n_types; column++) {
		make_event(&values->items[values->n], tables, column, sink);
		column = values->items[values->n++].events;
	}
	tell_period(values, tables, sink);
}

void pprof_values_free(struct pprof_values *values)
{
	for (size_t i = 0; i < values->n; i++)
		free(values->items[i].name);
	free(values->items);
	*values = (struct pprof_values){0};
}

struct prof_value pprof_value(const struct pprof_event *event, const uint64_t *columns)
{
	struct prof_value value = {.event = event->event, .events = columns[event->events]};

	/* what has events, is a sample */
	if (event->samples != PPROF_NO_COLUMN)
		value.count = columns[event->samples] ? columns[event->samples] : value.events != 0;
	else if (event->period > 1)
		value.count = value.events / event->period + (value.events % event->period != 0);
	else
		value.count = value.events;
	return value;
}
