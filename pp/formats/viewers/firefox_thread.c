// SPDX-License-Identifier: GPL-2.0-or-later
/* The samples of a thread of a profile of the Firefox Profiler: see firefox_read.c. */
#include "firefox_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

#define NS_PER_MS 1e6
#define NS_MOST	  0x1p62

void firefox_tables_clear(struct firefox_tables *tables)
{
	for (size_t i = 0; i < tables->n_strings; i++)
		free(tables->strings[i]);
	for (int i = 0; i < FIREFOX_COLUMNS; i++)
		free(tables->columns[i].items);
	free(tables->strings);
	free(tables->weights);
	free(tables->times);
	free(tables->weight_type);
	*tables = (struct firefox_tables){0};
}

/* ---- tables ---- */

/* A thread's own, or those that all share. */
static uint32_t firefox_reading_look_up(const struct firefox_reading *reading,
					enum firefox_column column, uint32_t index)
{
	const struct firefox_numbers *numbers = &reading->thread.tables.columns[column];

	if (!numbers->n)
		numbers = &reading->shared.columns[column];
	return index < numbers->n ? numbers->items[index] : FIREFOX_NONE;
}

static const char *string(const struct firefox_reading *reading, uint32_t index)
{
	const struct firefox_tables *tables = &reading->thread.tables;

	if (!tables->n_strings)
		tables = &reading->shared;
	return index < tables->n_strings ? tables->strings[index] : "";
}

static uint32_t image_of(const struct firefox_reading *reading, uint32_t function)
{
	uint32_t resource = firefox_reading_look_up(reading, FUNCTION_RESOURCE, function);
	uint32_t lib = firefox_reading_look_up(reading, RESOURCE_LIB, resource);
	const char *name = lib < reading->n_libs ? reading->libs[lib] : "";

	if (!*name)
		name = string(reading, firefox_reading_look_up(reading, RESOURCE_NAME, resource));
	if (!*name)
		return reading->image;
	return named_places_image(reading->places, name, !strncmp(name, "[kernel", 7));
}

static struct prof_frame frame_of(const struct firefox_reading *reading, uint32_t frame,
				  bool is_caller)
{
	uint32_t function = firefox_reading_look_up(reading, FRAME_FUNCTION, frame);
	uint32_t number = firefox_reading_look_up(reading, FRAME_LINE, frame);
	uint32_t start = firefox_reading_look_up(reading, FUNCTION_LINE, function);
	const char *file =
		string(reading, firefox_reading_look_up(reading, FUNCTION_FILE, function));
	const struct prof_line line = {
		.function =
			string(reading, firefox_reading_look_up(reading, FUNCTION_NAME, function)),
		.file = *file ? file : NULL,
		.line = number == FIREFOX_NONE ? 0 : (int64_t)number,
		.start_line = start == FIREFOX_NONE ? 0 : (int64_t)start,
	};

	return named_places_frame(reading->places, image_of(reading, function), &line, is_caller);
}

/* ---- samples ---- */

/* Each prefix stands before its stack, or the stack would be its own caller. */
static size_t make_stack(struct firefox_reading *reading, uint32_t stack)
{
	size_t depth = 0;

	while (stack != FIREFOX_NONE) {
		uint32_t prefix = firefox_reading_look_up(reading, STACK_PREFIX, stack);
		uint32_t frame = firefox_reading_look_up(reading, STACK_FRAME, stack);

		if (depth == PROF_DEPTH_MOST) {
			reading->cut++;
			return depth;
		}
		if (frame == FIREFOX_NONE || (prefix != FIREFOX_NONE && prefix >= stack)) {
			reading->broken++;
			return depth;
		}
		reading->frames[depth] = frame_of(reading, frame, depth > 0);
		depth++;
		stack = prefix;
	}
	return depth;
}

static bool has_type(const struct firefox_reading *reading, const char *type)
{
	const char *known = reading->thread.tables.weight_type;

	return known && !strcmp(known, type);
}

/*
 * Where the event begins in the name of a thread of ours, "NAME (EVENT)" if there are several
 * events; NULL: it has none.  Files that do not say how many they have, have "PROGRAM (EVENT)"
 * then.
 */
static const char *own_event_at(const struct firefox_reading *reading)
{
	const struct firefox_thread *thread = &reading->thread;
	const char *at = thread->name ? thread->name : "", *found = NULL;
	size_t length = strlen(at), n = thread->process ? strlen(thread->process) : 0;

	if (!reading->is_ours || reading->own_events == 1 || !length || at[length - 1] != ')')
		return NULL;
	if (!reading->own_events)
		return n && length > n + 3 && !strncmp(at, thread->process, n) &&
				       !strncmp(at + n, " (", 2)
			       ? at + n
			       : NULL;
	while ((at = strstr(at, " (")))
		found = at++;
	return found;
}

static char *own_event(const struct firefox_reading *reading)
{
	const char *at = own_event_at(reading);

	return at ? op_format("%.*s", (int)(strlen(at) - 3), at + 2) : NULL;
}

static uint32_t event_of(const struct firefox_reading *reading)
{
	char *name = own_event(reading);
	struct prof_event event = {
		.name = name ? name : "samples", .period = 1, .type = PROF_NO_TYPE};
	uint32_t number;

	if (has_type(reading, "tracing-ms"))
		event = (struct prof_event){
			.name = name ? name : "time", .unit = "nanoseconds", .type = PROF_NO_TYPE};
	else if (has_type(reading, "bytes"))
		event = (struct prof_event){
			.name = name ? name : "bytes", .unit = "bytes", .type = PROF_NO_TYPE};
	number = reading->sink->event(reading->sink, &event);
	free(name);
	return number;
}

/* Return: false if it counts nothing. */
static bool weigh(struct firefox_reading *reading, size_t i, struct prof_value *value)
{
	const struct firefox_tables *tables = &reading->thread.tables;
	double weight = i < tables->n_weights ? tables->weights[i] : 1;

	reading->negative += weight < 0;
	if (!(weight > 0))
		return false;
	if (has_type(reading, "tracing-ms"))
		weight *= NS_PER_MS;
	value->events = weight < NS_MOST ? (uint64_t)llround(weight) : (uint64_t)NS_MOST;
	value->count =
		has_type(reading, "tracing-ms") || has_type(reading, "bytes") ? 1 : value->events;
	return value->count;
}

/* In ns; 0: not known.  Ours have invented times unless samples had some. */
static uint64_t time_of(const struct firefox_reading *reading, size_t i, double *sum)
{
	const struct firefox_tables *tables = &reading->thread.tables;
	double time;

	if (i >= tables->n_times || reading->is_ours)
		return 0;
	*sum = tables->are_deltas ? *sum + tables->times[i] : tables->times[i];
	time = (reading->start + *sum) * NS_PER_MS;
	return time >= 1 && time < NS_MOST ? (uint64_t)time : 0;
}

/* The name of the thread, or of its program; the caller frees it. */
static char *firefox_reading_name_of(const struct firefox_reading *reading, const char *program)
{
	const char *name = reading->thread.name, *event = own_event_at(reading);

	return event ? op_format("%.*s", (int)(event - name), name)
		     : op_copy(name ? name : program);
}

int firefox_push_thread(struct firefox_reading *reading, struct op_error *error)
{
	const struct firefox_thread *thread = &reading->thread;
	const struct firefox_numbers *stacks = &thread->tables.columns[SAMPLE_STACK];
	const char *program = thread->process && *thread->process ? thread->process : thread->name;
	struct prof_value value = {0};
	double sum = 0;
	char *comm;
	struct prof_sample sample = {.frames = reading->frames,
				     .values = &value,
				     .n_values = 1,
				     .pid = thread->pid,
				     .tid = thread->tid,
				     .cpu = PROF_ANY};

	if (!stacks->n)
		return 0;
	program = program ? program : "";
	value.event = event_of(reading);
	sample.app = named_places_image(reading->places, program, false);
	comm = firefox_reading_name_of(reading, program);
	sample.comm = reading->sink->string(reading->sink, comm);
	free(comm);
	for (size_t i = 0; i < stacks->n; i++) {
		sample.time = time_of(reading, i, &sum);
		if (!weigh(reading, i, &value))
			continue;
		sample.depth = make_stack(reading, stacks->items[i]);
		if (reading->sink->sample(reading->sink, &sample, error))
			return -1;
	}
	return 0;
}
