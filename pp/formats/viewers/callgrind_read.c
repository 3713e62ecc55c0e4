// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading what callgrind and cachegrind write: costs of functions, by object file and source file.
 *
 * Positions are not kept, so that relative ones need no care.  Costs of calls include those of
 * callees, and no stacks are in the file: they are counted, and left out.
 */
#include "callgrind.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "pp/formats/model/named_places.h"

#define LINE_MOST   ((size_t)1 << 20)
#define EVENTS_MOST 64

/* Names by the numbers that the file gives them, in any order: "(3) main", later "(3)". */
struct names {
	struct numbered_name {
		uint64_t number;
		char *name;
	} * items;
	size_t n, capacity;
	struct op_hash by_number;
};

enum kind { OBJECT, SOURCE, FUNCTION, KINDS };

struct reader {
	struct input *input;
	struct prof_sink *sink;
	struct op_error *error;
	struct named_places *places;
	uint64_t at; /* of the line that is read */
	struct names names[KINDS];
	char *current[KINDS]; /* where costs are counted */
	uint32_t app;
	bool has_app, is_ours;
	uint32_t events[EVENTS_MOST];
	size_t n_events, n_positions;
	bool is_call; /* the next costs are those of a call */
	bool is_jump; /* the next line is where a jump is */
	uint64_t calls;
};

static int callgrind_read_fail(const struct reader *reader, const char *what)
{
	return input_fail(reader->input, reader->error, EINVAL, reader->at, "the line here has %s",
			  what);
}

/* ---- names ---- */

static struct numbered_name *names_find(const struct names *names, uint64_t number)
{
	uint32_t i;

	op_hash_for_each_possible (&names->by_number, op_hash_mix(0, number), i)
		if (names->items[i].number == number)
			return &names->items[i];
	return NULL;
}

static void names_set(struct names *names, uint64_t number, const char *name)
{
	struct numbered_name *known = names_find(names, number);

	if (known) {
		free(known->name);
		known->name = op_copy(name);
		return;
	}
	names->items = op_grow(names->items, &names->capacity, names->n + 1, sizeof(*names->items));
	names->items[names->n] = (struct numbered_name){number, op_copy(name)};
	op_hash_add_or_exit(&names->by_number, op_hash_mix(0, number), (uint32_t)names->n++);
}

static void names_free(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i].name);
	free(names->items);
	op_hash_free(&names->by_number);
}

/* "(3) main", "(3)" or "main".  Return: the name, which lives until it is given anew; or NULL. */
static const char *find_name(struct reader *reader, enum kind kind, const char *text)
{
	struct names *names = &reader->names[kind];
	const struct numbered_name *known;
	const char *digits = text + 1;
	uint64_t number;

	if (*text != '(' || !op_number_take(&digits, 10, UINT32_MAX, &number) || *digits != ')')
		return text;
	digits++;
	digits += strspn(digits, " \t");
	if (*digits)
		names_set(names, number, digits);
	known = names_find(names, number);
	if (known)
		return known->name;
	callgrind_read_fail(reader, "a number of a name that was not given");
	return NULL;
}

static int set_name(struct reader *reader, enum kind kind, const char *text, bool is_called)
{
	const char *name = find_name(reader, kind, text);

	if (!name)
		return -1;
	if (is_called)
		return 0;
	free(reader->current[kind]);
	reader->current[kind] = op_copy(name);
	return 0;
}

/* ---- lines "key=value" and "key: value" ---- */

static const struct {
	const char *key;
	enum kind kind;
	bool is_called;
} specifications[] = {
	{"fn=", FUNCTION, false}, {"fl=", SOURCE, false}, {"fi=", SOURCE, false},
	{"fe=", SOURCE, false},	  {"ob=", OBJECT, false}, {"cfn=", FUNCTION, true},
	{"cfi=", SOURCE, true},	  {"cfl=", SOURCE, true}, {"cob=", OBJECT, true},
	{"jfi=", SOURCE, true},	  {"jfn=", FUNCTION, true},
};

static int take_events(struct reader *reader, char *text)
{
	struct prof_event event = {.period = 1, .type = PROF_NO_TYPE};

	reader->n_events = 0;
	while ((event.name = strsep(&text, " \t"))) {
		if (!*event.name)
			continue;
		if (reader->n_events == EVENTS_MOST)
			return callgrind_read_fail(reader, "more events than can be read (64)");
		reader->events[reader->n_events++] = reader->sink->event(reader->sink, &event);
	}
	return 0;
}

static void take_positions(struct reader *reader, char *text)
{
	const char *word;

	reader->n_positions = 0;
	while ((word = strsep(&text, " \t")))
		reader->n_positions += *word != '\0';
}

/* The program is the first word of the command; what we exported has ours. */
static void take_command(struct reader *reader, char *text)
{
	const struct prof_host host = {.command_line = text};
	const char *program;

	reader->sink->host(reader->sink, &host);
	if (reader->is_ours)
		return;
	program = strsep(&text, " \t");
	reader->has_app = *program;
	if (reader->has_app)
		reader->app = named_places_image(reader->places, program, false);
}

static bool begins(char *line, const char *with, char **rest)
{
	size_t n = strlen(with);

	if (strncmp(line, with, n))
		return false;
	*rest = line + n + strspn(line + n, " \t");
	return true;
}

static int take_head(struct reader *reader, char *line)
{
	char *rest;

	if (begins(line, "events:", &rest))
		return take_events(reader, rest);
	if (begins(line, "positions:", &rest))
		take_positions(reader, rest);
	else if (begins(line, "cmd:", &rest))
		take_command(reader, rest);
	else if (begins(line, "creator:", &rest))
		reader->is_ours = !strncmp(rest, "oprofile ", 9);
	return 0;
}

static int take_specification(struct reader *reader, char *line)
{
	char *rest;

	for (size_t i = 0; i < sizeof(specifications) / sizeof(specifications[0]); i++)
		if (begins(line, specifications[i].key, &rest))
			return set_name(reader, specifications[i].kind, rest,
					specifications[i].is_called);
	if (begins(line, "calls=", &rest)) {
		reader->is_call = true;
		reader->calls++;
	} else if (begins(line, "jump=", &rest) || begins(line, "jcnd=", &rest)) {
		reader->is_jump = true;
	}
	/* other keys are of later versions */
	return 0;
}

/* ---- costs ---- */

static int callgrind_read_push(struct reader *reader, const struct prof_value *values, size_t n)
{
	const char *object = reader->current[OBJECT] ? reader->current[OBJECT] : "";
	const char *source = reader->current[SOURCE] ? reader->current[SOURCE] : "";
	const struct prof_line line = {
		.function = reader->current[FUNCTION] ? reader->current[FUNCTION] : "",
		.file = *source && strcmp(source, "???") ? source : NULL,
	};
	uint32_t image = named_places_image(reader->places, object,
					    !strncmp(object, "[kernel", 7));
	struct prof_frame frame = named_places_frame(reader->places, image, &line, false);
	const struct prof_sample sample = {
		.frames = &frame,
		.depth = 1,
		.values = values,
		.n_values = n,
		.app = reader->has_app ? reader->app : image,
		.pid = PROF_ANY,
		.tid = PROF_ANY,
		.cpu = PROF_ANY,
	};

	return n ? reader->sink->sample(reader->sink, &sample, reader->error) : 0;
}

/* Positions: "12", "0x401136", "+3", "-2", "*". */
static bool skip_positions(const struct reader *reader, char **text)
{
	for (size_t i = 0; i < reader->n_positions; i++) {
		size_t n = strspn(*text, "0123456789abcdefxABCDEF+-*");

		if (!n)
			return false;
		*text += n;
		*text += strspn(*text, " \t");
	}
	return true;
}

static int take_costs(struct reader *reader, char *text)
{
	struct prof_value values[EVENTS_MOST];
	bool is_counted = !reader->is_call && !reader->is_jump;
	size_t n = 0;

	reader->is_call = reader->is_jump = false;
	if (!skip_positions(reader, &text))
		return callgrind_read_fail(reader, "neither a position nor a key");
	for (size_t i = 0; *text; i++) {
		const char *digits = text;
		uint64_t cost;

		if (i == reader->n_events || !op_number_take(&digits, 10, INT64_MAX, &cost))
			return callgrind_read_fail(
				reader, "costs that are no numbers, or more than events");
		text += digits - text;
		text += strspn(text, " \t");
		if (cost)
			values[n++] = (struct prof_value){reader->events[i], cost, cost};
	}
	return is_counted ? callgrind_read_push(reader, values, n) : 0;
}

/* ---- all ---- */

static int callgrind_read_take_line(struct reader *reader, char *line)
{
	size_t key = strcspn(line, "=: \t");

	if (!*line || *line == '#')
		return 0;
	if (isdigit((unsigned char)*line) || strchr("+-*", *line))
		return take_costs(reader, line);
	if (line[key] == '=')
		return take_specification(reader, line);
	if (line[key] == ':')
		return take_head(reader, line);
	return callgrind_read_fail(reader, "neither a cost nor a key");
}

static int callgrind_read_lines(struct reader *reader)
{
	char *line;
	size_t n;
	int got;

	while (reader->at = input_offset(reader->input),
	       (got = input_line(reader->input, LINE_MOST, &line, &n, reader->error)) > 0) {
		while (n && strchr("\r \t", line[n - 1]))
			line[--n] = '\0';
		if (callgrind_read_take_line(reader, line))
			return -1;
	}
	return got;
}

int callgrind_read(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {.input = input, .sink = sink, .error = error, .n_positions = 1};
	int result;

	reader.places = named_places_new(sink);
	result = callgrind_read_lines(&reader);
	if (reader.calls)
		prof_sink_note(sink,
			       "costs of %" PRIu64 " calls, which include those of callees, are "
			       "left out: there are no stacks",
			       reader.calls);
	for (int kind = 0; kind < KINDS; kind++) {
		names_free(&reader.names[kind]);
		free(reader.current[kind]);
	}
	named_places_free(reader.places);
	return result;
}

static bool has_line(const uint8_t *bytes, size_t n, const char *begin)
{
	size_t length = strlen(begin);
	const uint8_t *at = memmem(bytes, n, begin, length);

	return at && (at == bytes || at[-1] == '\n');
}

int callgrind_probe(const uint8_t *bytes, size_t n)
{
	static const char magic[] = "# callgrind format";

	if (n >= sizeof(magic) - 1 && !memcmp(bytes, magic, sizeof(magic) - 1))
		return 95;
	return has_line(bytes, n, "events:") && has_line(bytes, n, "fn=") ? 60 : 0;
}
