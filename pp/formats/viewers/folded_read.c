// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading folded stacks, of whatever made them: "program;main;f 12".
 *
 * Lines may have two numbers, as those of difffolded.pl: before and after.
 *
 * What stands first is the program.  Names may end as those of stackcollapse-perf.pl: "_[k]" is of
 * the kernel, "_[i]" inlined, "_[j]" of a JIT compiler.
 */
#include "folded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "pp/formats/model/format.h"
#include "pp/formats/model/named_places.h"

#define LINE_MOST   ((size_t)4 << 20)
#define PROBE_LINES 16

struct reader {
	struct prof_sink *sink;
	struct named_places *places;
	uint32_t events[2];
	size_t n_columns;   /* 1, or 2: before and after, as difffolded.pl writes */
	uint64_t fractions; /* lines whose number had one */
	uint64_t cut;	    /* frames beyond the deepest stack */
	uint64_t lines, stacks, unread, unread_line; /* the first one, from 1 */
	struct prof_frame *frames; /* root first, then leaf first */
	size_t depth, capacity;
};

/* Splits "a;b 12.5": the number is cut off the line.  Return: false if there is none. */
static bool take_count(char *line, size_t n, uint64_t *count, bool *has_fraction)
{
	const char *digits;
	char *blank;

	while (n && strchr(" \t\r", line[n - 1]))
		line[--n] = '\0';
	blank = strrchr(line, ' ');
	if (!blank || blank == line || strlen(line) != n)
		return false;
	digits = blank + 1;
	if (!op_number_take(&digits, 10, INT64_MAX, count))
		return false;
	*has_fraction = *digits == '.';
	if (*has_fraction)
		digits += 1 + strspn(digits + 1, "0123456789");
	if (*digits)
		return false;
	while (blank > line && blank[-1] == ' ')
		blank--;
	*blank = '\0';
	return true;
}

/* The same of as many numbers as there are columns.  The line is cut in any case. */
static bool take_counts(char *line, size_t n_columns, uint64_t *counts, bool *has_fraction)
{
	bool is_fraction;

	*has_fraction = false;
	for (size_t i = n_columns; i--;) {
		if (!take_count(line, strlen(line), &counts[i], &is_fraction))
			return false;
		*has_fraction |= is_fraction;
	}
	return true;
}

static bool cut_suffix(char *name, const char *suffix)
{
	size_t n = strlen(name), length = strlen(suffix);

	if (n <= length || strcmp(name + n - length, suffix))
		return false;
	name[n - length] = '\0';
	return true;
}

static void folded_read_add_frame(struct reader *reader, uint32_t app, char *name)
{
	const bool is_kernel = cut_suffix(name, "_[k]");
	const struct prof_line line = {.function = name};
	uint32_t image = app;

	if (is_kernel)
		image = named_places_image(reader->places, "[kernel]", true);
	else if (!cut_suffix(name, "_[j]"))
		cut_suffix(name, "_[i]");
	reader->frames = op_grow(reader->frames, &reader->capacity, reader->depth + 1,
				 sizeof(*reader->frames));
	reader->frames[reader->depth++] = named_places_frame(reader->places, image, &line, true);
}

/* Leaf first, which is called by nobody, and as deep as stacks may be. */
static void turn_stack(struct reader *reader)
{
	struct prof_frame *frames = reader->frames;

	for (size_t i = 0, k = reader->depth; i + 1 < k; i++) {
		struct prof_frame frame = frames[--k];

		frames[k] = frames[i];
		frames[i] = frame;
	}
	frames[0].offset--;
	if (reader->depth <= PROF_DEPTH_MOST)
		return;
	reader->cut += reader->depth - PROF_DEPTH_MOST;
	reader->depth = PROF_DEPTH_MOST;
}

static int take_stack(struct reader *reader, char *line, const uint64_t *counts,
		      struct op_error *error)
{
	struct prof_value values[2];
	char *rest = line, *program = strsep(&rest, ";");
	struct prof_sample sample = {
		.values = values,
		.app = named_places_image(reader->places, program, false),
		.comm = reader->sink->string(reader->sink, program),
		.pid = PROF_ANY,
		.tid = PROF_ANY,
		.cpu = PROF_ANY,
	};

	for (size_t i = 0; i < reader->n_columns; i++)
		if (counts[i])
			values[sample.n_values++] =
				(struct prof_value){reader->events[i], counts[i], counts[i]};
	if (!sample.n_values)
		return 0;
	reader->depth = 0;
	while (rest)
		folded_read_add_frame(reader, sample.app, strsep(&rest, ";"));
	if (!reader->depth)
		folded_read_add_frame(reader, sample.app, program);
	turn_stack(reader);
	sample.frames = reader->frames;
	sample.depth = reader->depth;
	return reader->sink->sample(reader->sink, &sample, error);
}

static int folded_read_take_line(struct reader *reader, char *line, size_t n,
				 struct op_error *error)
{
	uint64_t counts[2];
	bool has_fraction;

	reader->lines++;
	if (!n || *line == '#')
		return 0;
	/* a NUL would hide what follows it */
	if (strlen(line) != n || !take_counts(line, reader->n_columns, counts, &has_fraction)) {
		if (!reader->unread++)
			reader->unread_line = reader->lines;
		return 0;
	}
	reader->stacks++;
	reader->fractions += has_fraction;
	return take_stack(reader, line, counts, error);
}

static int folded_read_lines(struct reader *reader, struct input *input,
				  struct op_error *error)
{
	char *line;
	size_t n;
	int got;

	while ((got = input_line(input, LINE_MOST, &line, &n, error)) > 0)
		if (folded_read_take_line(reader, line, n, error))
			return -1;
	if (!got && reader->unread && !reader->stacks)
		return input_fail(input, error, EINVAL, 0,
				  "no line ends in a number of samples, beginning with line "
				  "%" PRIu64,
				  reader->unread_line);
	return got;
}

/* What the first lines of a text have. */
struct census {
	size_t lines, stacks, semicolons;
	size_t two;  /* stacks of two frames at least with two numbers behind them */
	bool begins; /* the first line is a stack */
};

static struct census count_lines(const uint8_t *bytes, size_t n)
{
	char *text = op_alloc(1, n + 1), *rest = text, *line;
	struct census census = {0};
	bool has_fraction, is_stack;
	uint64_t count;

	memcpy(text, bytes, n);
	/* not a line that is cut off */
	while (census.lines < PROBE_LINES && rest && (line = strsep(&rest, "\n")) &&
	       (rest || !census.lines)) {
		line[strcspn(line, "\r")] = '\0';
		if (!*line || *line == '#')
			continue;
		is_stack = take_count(line, strlen(line), &count, &has_fraction);
		census.begins |= is_stack && !census.lines;
		census.lines++;
		census.stacks += is_stack;
		census.semicolons += is_stack && strchr(line, ';');
		census.two += is_stack && strchr(line, ';') &&
			      take_count(line, strlen(line), &count, &has_fraction);
	}
	free(text);
	return census;
}

/* Two columns, if all of the first lines have them: a name may end in a number, too. */
static int find_columns(struct reader *reader, struct input *input, struct op_error *error)
{
	const uint8_t *bytes;
	ptrdiff_t n = input_peek(input, FORMAT_PROBE_BYTES, &bytes, error);
	struct census census;

	if (n < 0)
		return -1;
	census = count_lines(bytes, (size_t)n);
	reader->n_columns = census.two && census.two == census.stacks ? 2 : 1;
	return 0;
}

static void make_events(struct reader *reader)
{
	static const char *const names[] = {FOLDED_BEFORE, FOLDED_AFTER};

	for (size_t i = 0; i < reader->n_columns; i++) {
		const struct prof_event event = {
			.name = reader->n_columns > 1 ? names[i] : "samples",
			.period = 1,
			.type = PROF_NO_TYPE,
		};

		reader->events[i] = reader->sink->event(reader->sink, &event);
	}
}

static void folded_read_tell(const struct reader *reader)
{
	if (reader->n_columns > 1)
		prof_sink_note(reader->sink, "lines have two numbers: they are the events before "
					     "and after");
	if (reader->unread && reader->stacks)
		prof_sink_note(reader->sink,
			       "%" PRIu64 " lines do not end in a number of samples and were left "
			       "out; the first one is line %" PRIu64,
			       reader->unread, reader->unread_line);
	if (reader->fractions)
		prof_sink_note(reader->sink,
			       "%" PRIu64 " stacks had fractions of a sample, which were cut",
			       reader->fractions);
	if (reader->cut)
		prof_sink_note(reader->sink,
			       "%" PRIu64 " frames beyond %d of a stack were left out", reader->cut,
			       PROF_DEPTH_MOST);
}

int folded_read(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {.sink = sink};
	int result;

	if (input_skip_mark(input, error) || find_columns(&reader, input, error))
		return -1;
	reader.places = named_places_new(sink);
	make_events(&reader);
	result = folded_read_lines(&reader, input, error);
	folded_read_tell(&reader);
	named_places_free(reader.places);
	free(reader.frames);
	return result;
}

/*
 * Text whose first lines end in numbers; semicolons make it likely, and then half of the lines may
 * be damaged.
 */
int folded_probe(const uint8_t *bytes, size_t n)
{
	struct census census = count_lines(bytes, n);

	if (!census.begins || census.stacks * 2 < census.lines)
		return 0;
	if (census.semicolons)
		return census.stacks == census.lines ? 40 : 30;
	return census.stacks == census.lines ? 10 : 0;
}
