// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading what callgrind and cachegrind write: costs of lines of functions, by object file and
 * source file.
 *
 * Costs of calls include those of callees, and no stacks are in the file: they are calls of the
 * model, so that inclusive costs are known, and who calls whom.
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

enum { POSITIONS_MOST = 8 };

struct reader {
	struct input *input;
	struct prof_sink *sink;
	struct op_error *error;
	struct named_places *places;
	uint64_t at; /* of the line that is read */
	struct names names[KINDS];
	char *current[KINDS]; /* where costs are counted */
	char *called[KINDS];  /* of the call that follows; NULL: as current */
	uint32_t app;
	bool has_app, is_ours;
	uint32_t events[EVENTS_MOST];
	size_t n_events, n_positions;
	size_t line_position;	       /* which of them is the line; n_positions: none */
	uint64_t last[POSITIONS_MOST]; /* positions of the costs before */
	bool is_call;		       /* the next costs are those of a call */
	bool is_jump;		       /* the next line is where a jump is */
	uint64_t n_calls, target_line; /* of that call */
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
	name = op_copy(name);
	free(is_called ? reader->called[kind] : reader->current[kind]);
	*(is_called ? &reader->called[kind] : &reader->current[kind]) = (char *)name;
	return 0;
}

/* ---- positions ---- */

/* "12", "0x401136", or from the one before: "+3", "-2", "*".  Return: false if it is none. */
static bool take_position(char **text, uint64_t last, uint64_t *position)
{
	const char *digits = *text;
	bool is_hex, is_taken;
	uint64_t number = 0;
	char sign = *digits;

	if (strchr("+-*", sign))
		digits++;
	is_hex = digits[0] == '0' && digits[1] == 'x';
	if (is_hex)
		digits += 2;
	is_taken = sign == '*' || op_number_take(&digits, is_hex ? 16 : 10, UINT64_MAX, &number);
	*position = sign == '+' || sign == '*' ? last + number
		    : sign == '-'	       ? last - number
					       : number;
	*text += digits - *text;
	*text += strspn(*text, " \t");
	return is_taken;
}

/* The positions before costs, which later ones may be relative to, or those of a callee, which
 * are not.  Return: false if they are none; else @line is set, to 0 if there is no line. */
static bool take_positions(struct reader *reader, char **text, bool is_kept, uint64_t *line)
{
	uint64_t position, ignored = 0;

	*line = 0;
	for (size_t i = 0; i < reader->n_positions; i++) {
		uint64_t *last = i < POSITIONS_MOST ? &reader->last[i] : &ignored;

		if (!**text || !take_position(text, *last, &position))
			return false;
		if (i == reader->line_position)
			*line = position;
		if (is_kept)
			*last = position;
	}
	return true;
}

/* "3 12": the callee was called three times, and begins at line 12. */
static int take_call(struct reader *reader, char *text)
{
	const char *digits = text;

	reader->n_calls = reader->target_line = 0;
	op_number_take(&digits, 10, INT64_MAX, &reader->n_calls);
	text += digits - text;
	text += strspn(text, " \t");
	take_positions(reader, &text, false, &reader->target_line);
	reader->is_call = true;
	reader->calls++;
	return 0;
}

/* ---- lines "key=value" and "key: value" ---- */

static const struct {
	const char *key;
	enum kind kind;
	bool is_called;
} specifications[] = {
	{"fn=", FUNCTION, false}, {"fl=", SOURCE, false},   {"fi=", SOURCE, false},
	{"fe=", SOURCE, false},	  {"ob=", OBJECT, false},   {"cfn=", FUNCTION, true},
	{"cfi=", SOURCE, true},	  {"cfl=", SOURCE, true},   {"cob=", OBJECT, true},
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

static void take_kinds_of_positions(struct reader *reader, char *text)
{
	const char *word;

	reader->n_positions = 0;
	reader->line_position = SIZE_MAX;
	while ((word = strsep(&text, " \t"))) {
		if (!strcmp(word, "line"))
			reader->line_position = reader->n_positions;
		reader->n_positions += *word != '\0';
	}
	memset(reader->last, 0, sizeof(reader->last));
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
		take_kinds_of_positions(reader, rest);
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
	if (begins(line, "calls=", &rest))
		return take_call(reader, rest);
	if (begins(line, "jump=", &rest) || begins(line, "jcnd=", &rest))
		reader->is_jump = true;
	/* other keys are of later versions */
	return 0;
}

/* ---- costs ---- */

static const char *text_or_none(const char *text)
{
	return text ? text : "";
}

/* Where the reader is, or the callee of the call that it is at. */
static struct prof_frame place_at(struct reader *reader, bool is_called, uint64_t number,
				  uint32_t *image)
{
	const char *names[KINDS], *object;
	struct prof_line line;

	for (int kind = 0; kind < KINDS; kind++)
		names[kind] =
			text_or_none(is_called && reader->called[kind] ? reader->called[kind]
								       : reader->current[kind]);
	object = names[OBJECT];
	line = (struct prof_line){
		.function = names[FUNCTION],
		.file = *names[SOURCE] && strcmp(names[SOURCE], "???") ? names[SOURCE] : NULL,
		.line = number <= INT32_MAX ? (int64_t)number : 0,
	};
	*image = named_places_image(reader->places, object, !strncmp(object, "[kernel", 7));
	return named_places_frame(reader->places, *image, &line, false);
}

static int push_costs(struct reader *reader, uint64_t line, const struct prof_value *values,
		      size_t n)
{
	uint32_t image;
	struct prof_frame frame = place_at(reader, false, line, &image);
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

static int push_call(struct reader *reader, uint64_t line, const struct prof_value *values,
		     size_t n)
{
	uint32_t image, callee_image;
	struct prof_call call = {.caller = place_at(reader, false, line, &image),
				 .calls = reader->n_calls};
	int result = 0;

	call.callee = place_at(reader, true, reader->target_line, &callee_image);
	call.app = reader->has_app ? reader->app : image;
	for (size_t i = 0; !result && i < n; i++) {
		call.value = values[i];
		result = reader->sink->call(reader->sink, &call, reader->error);
	}
	return result;
}

static void end_call(struct reader *reader)
{
	for (int kind = 0; kind < KINDS; kind++) {
		free(reader->called[kind]);
		reader->called[kind] = NULL;
	}
	reader->is_call = reader->is_jump = false;
}

static int take_costs(struct reader *reader, char *text)
{
	struct prof_value values[EVENTS_MOST];
	uint64_t line;
	size_t n = 0;
	int result = 0;

	if (!take_positions(reader, &text, true, &line))
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
	if (reader->is_call)
		result = push_call(reader, line, values, n);
	else if (!reader->is_jump)
		result = push_costs(reader, line, values, n);
	end_call(reader);
	return result;
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
			       "there are no stacks: the costs of %" PRIu64
			       " calls go to reports, sessions and callgrind's format only",
			       reader.calls);
	for (int kind = 0; kind < KINDS; kind++) {
		names_free(&reader.names[kind]);
		free(reader.current[kind]);
		free(reader.called[kind]);
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
