// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text formats of gperftools, Go and Java: memory that is in use, growth of the heap, waiting
 * for locks, stacks of threads.  All end in the mappings of the process, or in the names of Java.
 *
 *	heap profile:   10: 5000 [   20: 9000] @ heap_v2/524288
 *	     4: 2000 [    8: 4000] @ 0x55d4c0de1179 0x55d4c0de1279
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "pp/formats/model/format.h"
#include "names.h"
#include "text_reader.h"

/* Mappings stand behind what they are needed for. */
#define SIZE_MOST ((size_t)128 << 20)

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

/* ---- heads ---- */

static uint32_t make_event(struct text_reader *reader, const char *name, const char *unit)
{
	const struct prof_event event = {.name = name, .unit = unit, .type = PROF_NO_TYPE};

	return reader->sink->event(reader->sink, &event);
}

/* The length of KIND in "KIND profile: total 12", as Go writes; 0: it is another line. */
static size_t counted_kind(const char *line)
{
	static const char mark[] = " profile: total ";
	size_t n = 0;

	while (isalnum((unsigned char)line[n]) || line[n] == '_')
		n++;
	return begins(line + n, mark) && isdigit((unsigned char)line[n + sizeof(mark) - 1]) ? n : 0;
}

static void begin_counts(struct text_reader *reader, const char *line, size_t n)
{
	char *kind = op_format("%.*s", (int)n, line);

	reader->kind = TEXT_COUNTS;
	reader->events[0] = make_event(reader, kind, NULL);
	free(kind);
}

/* Return: whether the line is a head. */
static bool take_head(struct text_reader *reader, const char *line)
{
	size_t counted = counted_kind(line);

	if (counted) {
		begin_counts(reader, line, counted);
	} else if (begins(line, "heap profile:")) {
		reader->kind = TEXT_HEAP;
		text_begin_heap(reader, line);
	} else if (reader->is_java && begins(line, "--- heapz")) {
		reader->kind = TEXT_HEAP;
		reader->events[0] = make_event(reader, "inuse_space", "bytes");
	} else if (begins(line, "--- contention") || begins(line, "--- mutex")) {
		reader->kind = TEXT_CONTENTION;
		reader->events[0] = make_event(reader, "contention", "nanoseconds");
	} else if (begins(line, "--- threadz") || begins(line, "--- Thread ")) {
		reader->kind = TEXT_THREADS;
		reader->events[0] = make_event(reader, "threads", NULL);
	} else {
		return false;
	}
	return true;
}

/* ---- lines ---- */

static int text_reader_take_line(struct text_reader *reader, const char *line)
{
	static int (*const takers[])(struct text_reader *reader, const char *line) = {
		[TEXT_HEAP] = text_take_heap,
		[TEXT_CONTENTION] = text_take_contention,
		[TEXT_THREADS] = text_take_thread,
		[TEXT_COUNTS] = text_take_count,
	};

	if (*line == '#') {
		text_take_name(reader, line);
		return 1;
	}
	text_end_names(reader);
	/* the names of Java are read before */
	if (reader->is_java && begins(line + strspn(line, " \t"), "0x"))
		return 1;
	return line[strspn(line, " \t")] ? takers[reader->kind](reader, line) : 1;
}

/* Whether the line is the first one of the mappings. */
static bool begins_maps(const char *line)
{
	return begins(line, "MAPPED_LIBRARIES:") || begins(line, "--- Memory map");
}

static int text_reader_read_lines(struct text_reader *reader, const struct input *input, char *text)
{
	char *line, *start = text;
	bool has_head = false;
	int took;

	while ((line = strsep(&text, "\n")) && !begins_maps(line)) {
		line[strcspn(line, "\r")] = '\0';
		if (!has_head) {
			has_head = take_head(reader, line);
			if (!has_head || !begins(line, "--- Thread "))
				continue;
		}
		took = text_reader_take_line(reader, line);
		if (!took)
			return input_fail(input, reader->error, EINVAL, (uint64_t)(line - start),
					  "the line here is no record");
		if (took < 0)
			return -1;
	}
	if (!has_head)
		return input_fail(input, reader->error, EINVAL, 0,
				  "there is no line that says what is counted");
	return text_end_thread(reader);
}

/* ---- all ---- */

static struct cpuprofile_text find_maps(char *text, size_t n)
{
	for (char *line = text; line && line < text + n; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (begins_maps(line))
			return (struct cpuprofile_text){line, n - (size_t)(line - text)};
	}
	return (struct cpuprofile_text){text + n, 0};
}

/* "format = java" in one of the first lines. */
static bool is_java(const char *text)
{
	static const char mark[] = "\nformat = java";
	const char *found = strstr(text, mark), *samples = strchr(text, '@');

	return begins(text, "---") && found && (!samples || found < samples);
}

static void take_java_name(void *context, uint64_t number, const struct prof_line *lines, size_t n)
{
	struct text_reader *reader = context;
	const struct prof_frame place = cpuprofile_place(&reader->places, number);

	reader->sink->lines(reader->sink, &place, lines, n);
}

/* What addresses are: before lines are cut up. */
static void read_places(struct text_reader *reader, char *text, size_t n)
{
	reader->is_java = is_java(text);
	if (!reader->is_java) {
		cpuprofile_places_read(&reader->places, reader->sink, find_maps(text, n));
		return;
	}
	reader->places.sink = reader->sink;
	cpuprofile_java_names((struct cpuprofile_text){text, n}, take_java_name, reader);
}

static int read_heap(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct text_reader reader = {
		.sink = sink, .error = error, .period = 1, .tid = PROF_ANY};
	size_t n, end;
	char *text = (char *)input_rest(input, SIZE_MOST, &n, error);
	int result;

	if (!text)
		return -1;
	read_places(&reader, text, n);
	text_reader_open(&reader);
	end = strlen(text);
	result = text_reader_read_lines(&reader, input, text);
	if (!result && end < n)
		result = input_fail(input, error, EINVAL, end, "a byte of 0 ends the text");
	if (reader.cut)
		prof_sink_note(sink, "%" PRIu64 " frames beyond %d of a stack were left out",
			       reader.cut, PROF_DEPTH_MOST);
	text_reader_close(&reader);
	free(text);
	return result;
}

static int heap_probe(const uint8_t *bytes, size_t n)
{
	static const char *const heads[] = {"heap profile:", "--- contention", "--- mutex:",
					    "--- threadz", "--- Thread ", "--- heapz"};
	char line[128];

	for (size_t i = 0; i < OP_ARRAY_SIZE(heads); i++)
		if (n >= strlen(heads[i]) && !memcmp(bytes, heads[i], strlen(heads[i])))
			return 90;
	n = n < sizeof(line) ? n : sizeof(line) - 1;
	memcpy(line, bytes, n);
	line[n] = '\0';
	return counted_kind(line) ? 90 : 0;
}

const struct format format_heap = {
	.name = "heap",
	.description = "text of gperftools and Go: heap, growth, contention, threads, goroutines",
	.probe = heap_probe,
	.read = read_heap,
};
