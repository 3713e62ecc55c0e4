// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Profiles as Firefox records them (MOZ_PROFILER_SHUTDOWN, "raw"), before its Profiler's pages have
 * processed them: JSON of tables by row, with a schema that says which column is where.
 *
 *	"stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1]]}
 *
 * Functions are what the page makes of the location of a frame: "work (file.js:3:5)", a label of
 * Firefox's own, or "0x7f3a12", an address in a library.  Each process is such a profile in that of
 * its parent.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/search.h"
#include "pp/formats/model/format.h"
#include "pp/formats/input/json_input.h"
#include "pp/formats/model/named_places.h"

#define IMAGE	  "firefox"
#define NONE	  UINT32_MAX /* null */
#define NS_PER_MS 1e6
#define NS_MOST	  0x1p62

enum {
	TOP = 1, /* a process */
	PROCESSES,
	META,
	LIBS,
	LIB,
	THREADS,
	THREAD,
	STRINGS,
	TABLE,		    /* and the enum table */
	SCHEMA = TABLE + 8, /* likewise */
	DATA = SCHEMA + 8,  /* likewise */
	ROW = DATA + 8,	    /* likewise */
	NESTED = ROW + 8,   /* in a row */
};

enum table { FRAMES, STACKS, SAMPLES, TABLES };

#define TABLE_STEPS(key, table)                                                                    \
	{THREAD, key, TABLE + (table)}, {TABLE + (table), "schema", SCHEMA + (table)},             \
		{TABLE + (table), "data", DATA + (table)}, {DATA + (table), NULL, ROW + (table)},  \
	{                                                                                          \
		ROW + (table), NULL, NESTED                                                        \
	}

static const struct json_step steps[] = {{JSON_TOP, NULL, TOP},
					 {TOP, "processes", PROCESSES},
					 {PROCESSES, NULL, TOP},
					 {TOP, "meta", META},
					 {TOP, "libs", LIBS},
					 {LIBS, NULL, LIB},
					 {TOP, "threads", THREADS},
					 {THREADS, NULL, THREAD},
					 {THREAD, "stringTable", STRINGS},
					 TABLE_STEPS("frameTable", FRAMES),
					 TABLE_STEPS("stackTable", STACKS),
					 TABLE_STEPS("samples", SAMPLES),
					 {0}};

/* The columns that are used, by table; see struct row. */
static const char *const column_names[TABLES][2] = {
	[FRAMES] = {"location", "line"},
	[STACKS] = {"prefix", "frame"},
	[SAMPLES] = {"stack", "time"},
};

struct lib {
	uint64_t start, end;
	char *path;
};

struct row {
	uint32_t first, second; /* numbers of the two columns, or NONE */
	double time;		/* of samples, ms */
};

struct reader {
	struct prof_sink *sink;
	struct named_places *places;
	uint32_t image; /* of what is in none */
	double start;	/* of the process, ms since 1970 */
	struct lib *libs;
	size_t n_libs, libs_capacity;

	/* The thread that is read. */
	char *name, *process;
	int64_t pid, tid;
	char **strings;
	size_t n_strings, strings_capacity;
	struct rows {
		struct row *items;
		size_t n, capacity;
		uint64_t columns[2]; /* where they are in a row */
	} tables[TABLES];
	uint64_t column; /* of the next value of the row */
	struct prof_frame *frames;
	uint64_t broken, cut; /* samples */
};

/* ---- values ---- */

static void gecko_set_text(char **text, const struct json_value *value)
{
	free(*text);
	*text = op_copy(value->is_string ? value->text : "");
}

/* "1234", 1234, or what is no number. */
static int64_t take_id(const struct json_value *value)
{
	const char *digits = value->text;
	uint64_t number;

	return digits && op_number_take(&digits, 10, INT32_MAX, &number) ? (int64_t)number
									 : PROF_ANY;
}

static void take_of_thread(struct reader *reader, const char *key, const struct json_value *value)
{
	if (!strcmp(key, "name"))
		gecko_set_text(&reader->name, value);
	else if (!strcmp(key, "processName"))
		gecko_set_text(&reader->process, value);
	else if (!strcmp(key, "pid"))
		reader->pid = take_id(value);
	else if (!strcmp(key, "tid"))
		reader->tid = take_id(value);
}

static void take_of_lib(struct lib *lib, const char *key, const struct json_value *value)
{
	if (!strcmp(key, "path"))
		gecko_set_text(&lib->path, value);
	else if (!strcmp(key, "start"))
		json_natural(value, &lib->start);
	else if (!strcmp(key, "end"))
		json_natural(value, &lib->end);
}

static void take_of_schema(struct rows *rows, enum table table, const char *key,
			   const struct json_value *value)
{
	for (size_t i = 0; i < 2; i++)
		if (column_names[table][i] && !strcmp(key, column_names[table][i]))
			json_natural(value, &rows->columns[i]);
}

static void take_of_row(struct reader *reader, enum table table, const struct json_value *value)
{
	struct rows *rows = &reader->tables[table];
	struct row *row = &rows->items[rows->n - 1];
	uint64_t column = reader->column++, number;

	if (table == SAMPLES && column == rows->columns[1]) {
		json_real(value, &row->time);
		return;
	}
	if (!json_natural(value, &number) || number >= NONE)
		return;
	if (column == rows->columns[0])
		row->first = (uint32_t)number;
	else if (column == rows->columns[1])
		row->second = (uint32_t)number;
}

static void add_string(struct reader *reader, const struct json_value *value)
{
	reader->strings = op_grow(reader->strings, &reader->strings_capacity, reader->n_strings + 1,
				  sizeof(*reader->strings));
	reader->strings[reader->n_strings++] = op_copy(value->is_string ? value->text : "");
}

static bool is_table(int place, int first)
{
	return place >= first && place < first + TABLES;
}

static int gecko_take(struct json_input *json, int place, const char *key,
		      const struct json_value *value)
{
	struct reader *reader = json_context(json);

	if (is_table(place, ROW) && !key)
		take_of_row(reader, (enum table)(place - ROW), value);
	else if (place == STRINGS && !key)
		add_string(reader, value);
	else if (!key)
		return 0;
	else if (is_table(place, SCHEMA))
		take_of_schema(&reader->tables[place - SCHEMA], (enum table)(place - SCHEMA), key,
			       value);
	else if (place == THREAD)
		take_of_thread(reader, key, value);
	else if (place == LIB)
		take_of_lib(&reader->libs[reader->n_libs - 1], key, value);
	else if (place == META && !strcmp(key, "startTime"))
		json_real(value, &reader->start);
	return 0;
}

/* ---- functions ---- */

static int compare_libs(const void *a, const void *b)
{
	const struct lib *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* The library of an address, or NULL: they are sorted, and do not overlap. */
static const struct lib *find_lib(const struct reader *reader, uint64_t address)
{
	size_t i = op_first_above(reader->libs, reader->n_libs, end, address);

	return i < reader->n_libs && reader->libs[i].start <= address ? &reader->libs[i] : NULL;
}

/* "work (file.js:3:5)" is work in file.js, where it begins in line 3. */
static char *split_location(char *name, int64_t *start_line)
{
	size_t n = strlen(name);
	char *open = strrchr(name, '('), *colon;
	uint64_t number;

	if (!open || open < name + 2 || open[-1] != ' ' || name[n - 1] != ')')
		return NULL;
	name[n - 1] = '\0';
	/* one or two numbers behind it, or it is a part of the name */
	for (int i = 0; i < 2; i++) {
		colon = strrchr(open, ':');
		if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
			break;
		*colon = '\0';
		/* a column stands behind the line */
		if (op_number_all(colon + 1, 10, INT32_MAX, &number))
			*start_line = (int64_t)number;
		if (!i)
			open[-1] = '\0';
	}
	if (open[-1]) {
		name[n - 1] = ')';
		return NULL;
	}
	return open + 1;
}

static struct prof_frame frame_of(struct reader *reader, const struct row *row, bool is_caller)
{
	uint32_t location = row->first;
	const char *text = location < reader->n_strings ? reader->strings[location] : "";
	char *name = op_copy(text);
	struct prof_line line = {.function = name};
	uint32_t image = reader->image;
	const char *digits = text + 2;
	const struct lib *lib;
	struct prof_frame frame;
	uint64_t address;

	if (!strncmp(text, "0x", 2) && op_number_all(digits, 16, UINT64_MAX, &address)) {
		lib = find_lib(reader, address);
		if (lib) {
			free(name);
			name = op_format("0x%" PRIx64, address - lib->start);
			line.function = name;
			image = named_places_image(reader->places, lib->path, false);
		}
	} else {
		line.file = split_location(name, &line.start_line);
		line.line = row->second == NONE ? 0 : (int64_t)row->second;
	}
	frame = named_places_frame(reader->places, image, &line, is_caller);
	free(name);
	return frame;
}

/* ---- samples ---- */

/* A prefix stands before its stack, or the stack would be its own caller. */
static size_t make_stack(struct reader *reader, uint32_t stack)
{
	const struct rows *stacks = &reader->tables[STACKS], *frames = &reader->tables[FRAMES];
	size_t depth = 0;

	while (stack != NONE) {
		const struct row *row = stack < stacks->n ? &stacks->items[stack] : NULL;

		if (depth == PROF_DEPTH_MOST) {
			reader->cut++;
			return depth;
		}
		if (!row || row->second >= frames->n ||
		    (row->first != NONE && row->first >= stack)) {
			reader->broken++;
			return depth;
		}
		reader->frames[depth] = frame_of(reader, &frames->items[row->second], depth > 0);
		depth++;
		stack = row->first;
	}
	return depth;
}

static int push_thread(struct reader *reader, struct op_error *error)
{
	const struct prof_event event = {.name = "samples", .period = 1, .type = PROF_NO_TYPE};
	const char *name = reader->name ? reader->name : "";
	const char *program = reader->process && *reader->process ? reader->process : name;
	const struct rows *samples = &reader->tables[SAMPLES];
	struct prof_value value = {.count = 1, .events = 1};
	struct prof_sample sample = {.frames = reader->frames,
				     .values = &value,
				     .n_values = 1,
				     .pid = reader->pid,
				     .tid = reader->tid,
				     .cpu = PROF_ANY};

	if (!samples->n)
		return 0;
	value.event = reader->sink->event(reader->sink, &event);
	sample.app = named_places_image(reader->places, program, false);
	sample.comm = reader->sink->string(reader->sink, name);
	for (size_t i = 0; i < samples->n; i++) {
		double time = (reader->start + samples->items[i].time) * NS_PER_MS;

		sample.time = time >= 1 && time < NS_MOST ? (uint64_t)time : 0;
		sample.depth = make_stack(reader, samples->items[i].first);
		if (reader->sink->sample(reader->sink, &sample, error))
			return -1;
	}
	return 0;
}

/* ---- objects ---- */

static void clear_thread(struct reader *reader)
{
	free(reader->name);
	free(reader->process);
	reader->name = reader->process = NULL;
	reader->pid = reader->tid = PROF_ANY;
	for (size_t i = 0; i < reader->n_strings; i++)
		free(reader->strings[i]);
	reader->n_strings = 0;
	for (int i = 0; i < TABLES; i++) {
		reader->tables[i].n = 0;
		reader->tables[i].columns[0] = reader->tables[i].columns[1] = UINT64_MAX;
	}
}

static void clear_libs(struct reader *reader)
{
	for (size_t i = 0; i < reader->n_libs; i++)
		free(reader->libs[i].path);
	reader->n_libs = 0;
}

static int gecko_begin(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);

	if (place == TOP || place == LIBS) {
		clear_libs(reader);
	} else if (place == LIB) {
		reader->libs = op_grow(reader->libs, &reader->libs_capacity, reader->n_libs + 1,
				       sizeof(*reader->libs));
		reader->libs[reader->n_libs++] = (struct lib){.path = op_copy("")};
	} else if (place == THREAD) {
		clear_thread(reader);
	} else if (is_table(place, ROW)) {
		struct rows *rows = &reader->tables[place - ROW];

		rows->items =
			op_grow(rows->items, &rows->capacity, rows->n + 1, sizeof(*rows->items));
		rows->items[rows->n++] = (struct row){NONE, NONE, 0};
		reader->column = 0;
	} else if (place == NESTED) {
		reader->column++;
	}
	return 0;
}

static int gecko_end(struct json_input *json, int place)
{
	struct reader *reader = json_context(json);

	if (place == LIBS && reader->n_libs)
		qsort(reader->libs, reader->n_libs, sizeof(*reader->libs), compare_libs);
	return place == THREAD ? push_thread(reader, json_error(json)) : 0;
}

/* ---- all ---- */

static void gecko_tell(const struct reader *reader)
{
	if (reader->broken)
		prof_sink_note(reader->sink,
			       "%" PRIu64 " stacks refer to what is not there: their callers are "
			       "left out",
			       reader->broken);
	if (reader->cut)
		prof_sink_note(reader->sink, "%" PRIu64 " stacks were cut off after %d frames",
			       reader->cut, PROF_DEPTH_MOST);
}

static int read_gecko(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {.sink = sink, .places = named_places_new(sink)};
	const struct json_reader json = {.steps = steps,
					 .value = gecko_take,
					 .begin = gecko_begin,
					 .end = gecko_end,
					 .context = &reader};
	int result;

	reader.image = named_places_image(reader.places, IMAGE, false);
	reader.frames = op_alloc(PROF_DEPTH_MOST, sizeof(*reader.frames));
	clear_thread(&reader);
	input_gather(input);
	result = json_input_read(input, &json, error);
	gecko_tell(&reader);
	clear_thread(&reader);
	clear_libs(&reader);
	for (int i = 0; i < TABLES; i++)
		free(reader.tables[i].items);
	free(reader.strings);
	free(reader.libs);
	free(reader.frames);
	named_places_free(reader.places);
	return result;
}

static bool has(const uint8_t *bytes, size_t n, const char *mark)
{
	return memmem(bytes, n, mark, strlen(mark));
}

/* Processed profiles have their version beside that of the recorder. */
static int gecko_probe(const uint8_t *bytes, size_t n)
{
	static const char *const keys[] = {"meta", "libs", "threads", NULL};

	if (json_keys(bytes, n, keys) < 2 || has(bytes, n, "\"preprocessedProfileVersion\""))
		return 0;
	return has(bytes, n, "\"stackwalk\"") || has(bytes, n, "\"schema\"") ? 75 : 0;
}

const struct format format_gecko = {
	.name = "gecko",
	.description = "profiles as Firefox records them",
	.probe = gecko_probe,
	.read = read_gecko,
};
