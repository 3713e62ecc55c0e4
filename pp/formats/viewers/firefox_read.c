// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading profiles that the Firefox Profiler saves, and samply: JSON of tables by column.
 *
 * Tables may be those of a thread or, since version 56, shared by all; which stand before the
 * threads or behind them, so that the file is read twice.
 */
#include "firefox_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "pp/formats/input/json_input.h"

#define IMAGE "firefox"

enum {
	TOP = 1,
	META,
	LIBS,
	LIB,
	SHARED,
	THREADS,
	THREAD,
	STRINGS,
	FUNCTIONS,
	RESOURCES,
	FRAMES,
	STACKS,
	SAMPLES,
	WEIGHTS,
	TIMES,
	DELTAS,
	COLUMN, /* and the enum firefox_column */
};

/* The tables below a thread, or below what is shared. */
#define TABLES(from)                                                                               \
	{from, "stringArray", STRINGS}, {from, "funcTable", FUNCTIONS},                            \
		{from, "resourceTable", RESOURCES}, {from, "frameTable", FRAMES},                  \
		{from, "stackTable", STACKS}

#define COLUMNS                                                                                    \
	{FUNCTIONS, "name", COLUMN + FUNCTION_NAME},                                               \
		{FUNCTIONS, "fileName", COLUMN + FUNCTION_FILE},                                   \
		{FUNCTIONS, "lineNumber", COLUMN + FUNCTION_LINE},                                 \
		{FUNCTIONS, "resource", COLUMN + FUNCTION_RESOURCE},                               \
		{RESOURCES, "lib", COLUMN + RESOURCE_LIB},                                         \
		{RESOURCES, "name", COLUMN + RESOURCE_NAME},                                       \
		{FRAMES, "func", COLUMN + FRAME_FUNCTION},                                         \
		{FRAMES, "line", COLUMN + FRAME_LINE},                                             \
		{STACKS, "prefix", COLUMN + STACK_PREFIX},                                         \
		{STACKS, "frame", COLUMN + STACK_FRAME}

static const struct json_step shared_steps[] = {
	{JSON_TOP, NULL, TOP}, {TOP, "meta", META}, {TOP, "libs", LIBS},
	{LIBS, NULL, LIB},     {TOP, "shared", SHARED}, TABLES(SHARED), COLUMNS, {0}};

static const struct json_step thread_steps[] = {
	{JSON_TOP, NULL, TOP},
	{TOP, "threads", THREADS},
	{THREADS, NULL, THREAD},
	TABLES(THREAD),
	COLUMNS,
	{THREAD, "samples", SAMPLES},
	{SAMPLES, "stack", COLUMN + SAMPLE_STACK},
	{SAMPLES, "weight", WEIGHTS},
	{SAMPLES, "time", TIMES},
	{SAMPLES, "timeDeltas", DELTAS},
	{0}};

/* ---- values ---- */

static void firefox_read_set_text(char **text, const struct json_value *value)
{
	free(*text);
	*text = op_copy(value->is_string ? value->text : "");
}

static void add_string(struct firefox_tables *tables, const struct json_value *value)
{
	tables->strings = op_grow(tables->strings, &tables->strings_capacity, tables->n_strings + 1,
				  sizeof(*tables->strings));
	tables->strings[tables->n_strings++] = op_copy(value->is_string ? value->text : "");
}

/* What is null, or below 0, refers to nothing. */
static void add_number(struct firefox_numbers *numbers, const struct json_value *value)
{
	uint64_t number;

	if (!json_natural(value, &number) || number >= FIREFOX_NONE)
		number = FIREFOX_NONE;
	numbers->items = op_grow(numbers->items, &numbers->capacity, numbers->n + 1,
				 sizeof(*numbers->items));
	numbers->items[numbers->n++] = (uint32_t)number;
}

static int add_real(struct json_input *json, double **items, size_t *n, size_t *capacity,
		    const struct json_value *value)
{
	*items = op_grow(*items, capacity, *n + 1, sizeof(**items));
	if (!json_real(value, &(*items)[(*n)++]))
		return json_fail(json, "a weight or time is no number");
	return 0;
}

/* "1234", 1234, or what is no number. */
static int64_t take_id(const struct json_value *value)
{
	const char *digits = value->text;
	uint64_t number;

	return digits && op_number_take(&digits, 10, INT32_MAX, &number) ? (int64_t)number
									  : PROF_ANY;
}

static void take_of_thread(struct firefox_thread *thread, const char *key,
			   const struct json_value *value)
{
	if (!strcmp(key, "name"))
		firefox_read_set_text(&thread->name, value);
	else if (!strcmp(key, "processName"))
		firefox_read_set_text(&thread->process, value);
	else if (!strcmp(key, "pid"))
		thread->pid = take_id(value);
	else if (!strcmp(key, "tid"))
		thread->tid = take_id(value);
}

static void take_of_file(struct firefox_reading *reading, int place, const char *key,
			 const struct json_value *value)
{
	static const char ours[] = "oprofile ";

	if (place == LIB && !strcmp(key, "path"))
		firefox_read_set_text(&reading->libs[reading->n_libs - 1], value);
	else if (place == META && !strcmp(key, "startTime"))
		json_real(value, &reading->start);
	else if (place == META && !strcmp(key, "importedFrom"))
		reading->is_ours = value->is_string && !strncmp(value->text, ours, strlen(ours));
	else if (place == META && !strcmp(key, "oprofileEvents") && value->text)
		op_number_all(value->text, 10, UINT64_MAX, &reading->own_events);
}

/* An element of a column. */
static int take_element(struct json_input *json, struct firefox_tables *tables, int place,
			const struct json_value *value)
{
	if (place >= COLUMN)
		add_number(&tables->columns[place - COLUMN], value);
	else if (place == STRINGS)
		add_string(tables, value);
	else if (place == WEIGHTS)
		return add_real(json, &tables->weights, &tables->n_weights,
				&tables->weights_capacity, value);
	else if (place == TIMES || place == DELTAS)
		return add_real(json, &tables->times, &tables->n_times, &tables->times_capacity,
				value);
	return 0;
}

static int take_shared(struct json_input *json, int place, const char *key,
		       const struct json_value *value)
{
	struct firefox_reading *reading = json_context(json);

	if (!key)
		return take_element(json, &reading->shared, place, value);
	take_of_file(reading, place, key, value);
	return 0;
}

static int take_thread(struct json_input *json, int place, const char *key,
		       const struct json_value *value)
{
	struct firefox_reading *reading = json_context(json);

	if (!key)
		return take_element(json, &reading->thread.tables, place, value);
	if (place == THREAD)
		take_of_thread(&reading->thread, key, value);
	else if (place == SAMPLES && !strcmp(key, "weightType"))
		firefox_read_set_text(&reading->thread.tables.weight_type, value);
	return 0;
}

/* ---- objects ---- */

static void clear_thread(struct firefox_thread *thread)
{
	firefox_tables_clear(&thread->tables);
	free(thread->name);
	free(thread->process);
	*thread = (struct firefox_thread){.pid = PROF_ANY, .tid = PROF_ANY};
}

static int begin_shared(struct json_input *json, int place)
{
	struct firefox_reading *reading = json_context(json);

	if (place != LIB)
		return 0;
	reading->libs = op_grow(reading->libs, &reading->libs_capacity, reading->n_libs + 1,
				sizeof(*reading->libs));
	reading->libs[reading->n_libs++] = op_copy("");
	return 0;
}

static int begin_thread(struct json_input *json, int place)
{
	struct firefox_reading *reading = json_context(json);

	if (place == THREAD)
		clear_thread(&reading->thread);
	if (place == DELTAS)
		reading->thread.tables.are_deltas = true;
	return 0;
}

static int end_thread(struct json_input *json, int place)
{
	struct firefox_reading *reading = json_context(json);
	const struct firefox_tables *tables = &reading->thread.tables;

	if (place != THREAD)
		return 0;
	if (tables->n_weights && tables->n_weights != tables->columns[SAMPLE_STACK].n)
		return json_fail(json, "the thread before has %zu samples and %zu weights",
				 tables->columns[SAMPLE_STACK].n, tables->n_weights);
	return firefox_push_thread(reading, json_error(json));
}

/* ---- all ---- */

static int read_both(struct firefox_reading *reading, struct input *input, struct op_error *error)
{
	const struct json_reader shared = {.steps = shared_steps,
					   .value = take_shared,
					   .begin = begin_shared,
					   .context = reading};
	const struct json_reader threads = {.steps = thread_steps,
					    .value = take_thread,
					    .begin = begin_thread,
					    .end = end_thread,
					    .context = reading};

	if (input_seekable(input, error))
		return -1;
	/* of a damaged file, the threads before the damage are read all the same */
	json_input_read(input, &shared, error);
	return input_seek(input, 0, error) ? -1 : json_input_read(input, &threads, error);
}

static void firefox_reading_tell(const struct firefox_reading *reading)
{
	if (reading->negative)
		prof_sink_note(reading->sink,
			       "%" PRIu64 " samples have a weight below 0, such as memory that was "
			       "freed: they are left out",
			       reading->negative);
	if (reading->broken)
		prof_sink_note(reading->sink,
			       "%" PRIu64 " stacks refer to what is not there: their callers are "
			       "left out",
			       reading->broken);
	if (reading->cut)
		prof_sink_note(reading->sink, "%" PRIu64 " stacks were cut off after %d frames",
			       reading->cut, PROF_DEPTH_MOST);
}

int firefox_read(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct firefox_reading reading = {.sink = sink};
	int result;

	reading.places = named_places_new(sink);
	reading.image = named_places_image(reading.places, IMAGE, false);
	reading.frames = op_alloc(PROF_DEPTH_MOST, sizeof(*reading.frames));
	result = read_both(&reading, input, error);
	firefox_reading_tell(&reading);
	clear_thread(&reading.thread);
	firefox_tables_clear(&reading.shared);
	for (size_t i = 0; i < reading.n_libs; i++)
		free(reading.libs[i]);
	free(reading.libs);
	free(reading.frames);
	named_places_free(reading.places);
	return result;
}

int firefox_probe(const uint8_t *bytes, size_t n)
{
	static const char *const keys[] = {"meta", NULL};
	const char mark[] = "\"preprocessedProfileVersion\"";

	return json_keys(bytes, n, keys) && memmem(bytes, n, mark, sizeof(mark) - 1) ? 80 : 0;
}
