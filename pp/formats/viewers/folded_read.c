// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading folded stacks, of whatever made them: "program;main;f 12".
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
#include "pp/formats/model/named_places.h"

#define LINE_MOST   ((size_t)4 << 20)
#define PROBE_LINES 16

struct reader {
	struct prof_sink *sink;
	struct named_places *places;
	uint32_t event;
	uint64_t fractions; /* lines whose number had one */
	uint64_t cut;	    /* frames beyond the deepest stack */
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

static bool cut_suffix(char *name, const char *suffix)
{
	size_t n = strlen(name), length = strlen(suffix);

	if (n <= length || strcmp(name + n - length, suffix))
		return false;
	name[n - length] = '\0';
	return true;
}

static void add_frame(struct reader *reader, uint32_t app, char *name)
{
	const bool is_kernel = cut_suffix(name, "_[k]");
	const struct prof_line line = {.function = name};
	uint32_t image = app;

	if (is_kernel)
		image = named_places_image(reader->places, "[kernel]", true);
	else if (!cut_suffix(name, "_[j]"))
		cut_suffix(name, "_[i]");
	reader->frames = pp_grow(reader->frames, &reader->capacity, reader->depth + 1,
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

static int take_stack(struct reader *reader, char *line, uint64_t count, struct op_error *error)
{
	struct prof_value value = {reader->event, count, count};
	char *rest = line, *program = strsep(&rest, ";");
	struct prof_sample sample = {
		.values = &value,
		.n_values = 1,
		.app = named_places_image(reader->places, program, false),
		.comm = reader->sink->string(reader->sink, program),
		.pid = PROF_ANY,
		.tid = PROF_ANY,
		.cpu = PROF_ANY,
	};

	reader->depth = 0;
	while (rest)
		add_frame(reader, sample.app, strsep(&rest, ";"));
	if (!reader->depth)
		add_frame(reader, sample.app, program);
	turn_stack(reader);
	sample.frames = reader->frames;
	sample.depth = reader->depth;
	return reader->sink->sample(reader->sink, &sample, error);
}

static int read_lines(struct reader *reader, struct input *input, struct op_error *error)
{
	uint64_t at = input_offset(input), count;
	bool has_fraction = false;
	char *line;
	size_t n;
	int got;

	for (; (got = input_line(input, LINE_MOST, &line, &n, error)) > 0;
	     at = input_offset(input)) {
		if (!n || *line == '#')
			continue;
		if (!take_count(line, n, &count, &has_fraction))
			return input_fail(input, error, EINVAL, at,
					  "the line here does not end in a number of samples");
		reader->fractions += has_fraction;
		if (count && take_stack(reader, line, count, error))
			return -1;
	}
	return got;
}

int folded_read(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	const struct prof_event event = {.name = "samples", .period = 1, .type = PROF_NO_TYPE};
	struct reader reader = {.sink = sink};
	int result;

	reader.places = named_places_new(sink);
	reader.event = sink->event(sink, &event);
	result = read_lines(&reader, input, error);
	if (reader.fractions)
		prof_sink_note(sink, "%" PRIu64 " stacks had fractions of a sample, which were cut",
			       reader.fractions);
	if (reader.cut)
		prof_sink_note(sink, "%" PRIu64 " frames beyond %d of a stack were left out",
			       reader.cut, PROF_DEPTH_MOST);
	named_places_free(reader.places);
	free(reader.frames);
	return result;
}

/* Text, and each line ends in a number; semicolons make it likely. */
int folded_probe(const uint8_t *bytes, size_t n)
{
	char *text = pp_alloc(1, n + 1), *rest = text, *line;
	int lines = 0, stacks = 0, semicolons = 0;
	bool has_fraction;
	uint64_t count;

	memcpy(text, bytes, n);
	while (lines < PROBE_LINES && rest && (line = strsep(&rest, "\n")) && (rest || !lines)) {
		if (!*line || *line == '#')
			continue;
		lines++;
		stacks += take_count(line, strlen(line), &count, &has_fraction);
		semicolons += strchr(line, ';') != NULL;
	}
	free(text);
	if (!lines || stacks < lines)
		return 0;
	return semicolons ? 40 : 10;
}
