// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text formats of gperftools and of older runtimes of Go: memory that is in use, growth of the
 * heap, waiting for locks, stacks of threads.  All end in the mappings of the process.
 *
 *	heap profile:   10: 5000 [   20: 9000] @ heap_v2/524288
 *	     4: 2000 [    8: 4000] @ 0x55d4c0de1179 0x55d4c0de1279
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "pp/formats/model/format.h"
#include "places.h"

/* Mappings stand behind what they are needed for. */
#define SIZE_MOST   ((size_t)128 << 20)
#define NUMBER_MOST (UINT64_C(1) << 62)

enum kind { HEAP, CONTENTION, THREADS };

struct reader {
	struct input *input;
	struct prof_sink *sink;
	struct op_error *error;
	struct cpuprofile_places places;
	enum kind kind;
	uint32_t in_use, allocated, event;
	uint64_t rate;	     /* of memory that is sampled: bytes; 0: all is counted */
	uint64_t period, hz; /* of contention; 0: not said */
	struct prof_frame *frames;
	size_t depth;
	uint64_t cut; /* frames */

	/* The thread that is read. */
	bool has_thread;
	uint32_t comm;
	int64_t tid;
};

/* ---- words of a line ---- */

static void skip_blanks(const char **at)
{
	*at += strspn(*at, " \t");
}

static bool take_mark(const char **at, char mark)
{
	skip_blanks(at);
	if (**at != mark)
		return false;
	++*at;
	return true;
}

static bool take_number(const char **at, uint64_t *number)
{
	skip_blanks(at);
	return op_number_take(at, 10, NUMBER_MOST, number);
}

/* "4: 2000" */
static bool take_pair(const char **at, uint64_t *count, uint64_t *bytes)
{
	return take_number(at, count) && take_mark(at, ':') && take_number(at, bytes);
}

/* " 0x55d4c0de1179 0x55d4c0de1279": the leaf of what was called, too, is a return address. */
static bool take_stack(struct reader *reader, const char *at, bool is_leaf_exact)
{
	while (skip_blanks(&at), *at) {
		uint64_t address;

		if (at[0] != '0' || at[1] != 'x')
			return false;
		at += 2;
		if (!op_number_take(&at, 16, UINT64_MAX, &address))
			return false;
		if (reader->depth == PROF_DEPTH_MOST) {
			reader->cut++;
			continue;
		}
		if (!reader->depth && !is_leaf_exact && address)
			address--;
		reader->frames[reader->depth] =
			cpuprofile_frame(&reader->places, address, reader->depth);
		reader->depth++;
	}
	return true;
}

static int push(struct reader *reader, const struct prof_value *values, size_t n)
{
	const struct prof_sample sample = {
		.frames = reader->frames,
		.depth = reader->depth,
		.values = values,
		.n_values = n,
		.app = reader->places.app,
		.comm = reader->comm,
		.pid = PROF_ANY,
		.tid = reader->tid,
		.cpu = PROF_ANY,
	};

	return n ? reader->sink->sample(reader->sink, &sample, reader->error) : 0;
}

/* ---- heaps ---- */

/* A sample of memory stands for what is as large and was not sampled, as pprof has it. */
static struct prof_value memory(const struct reader *reader, uint32_t event, uint64_t count,
				uint64_t bytes)
{
	struct prof_value value = {event, count, bytes};
	double scale;

	if (reader->rate <= 1 || !count || !bytes)
		return value;
	scale = 1 / (1 - exp(-((double)bytes / (double)count) / (double)reader->rate));
	value.count = (uint64_t)fmin((double)count * scale, (double)NUMBER_MOST);
	value.events = (uint64_t)fmin((double)bytes * scale, (double)NUMBER_MOST);
	return value;
}

/* Return: 1, 0 if the line is none, or -1: the sink's error. */
static int take_heap_line(struct reader *reader, const char *at)
{
	uint64_t count, bytes, all, all_bytes;
	struct prof_value values[2];
	size_t n = 0;

	if (!take_pair(&at, &count, &bytes) || !take_mark(&at, '[') ||
	    !take_pair(&at, &all, &all_bytes) || !take_mark(&at, ']') || !take_mark(&at, '@'))
		return 0;
	reader->depth = 0;
	if (!take_stack(reader, at, false))
		return 0;
	if (count)
		values[n++] = memory(reader, reader->in_use, count, bytes);
	if (all)
		values[n++] = memory(reader, reader->allocated, all, all_bytes);
	return push(reader, values, n) ? -1 : 1;
}

static uint32_t make_event(struct reader *reader, const char *name, const char *unit)
{
	const struct prof_event event = {.name = name, .unit = unit, .type = PROF_NO_TYPE};

	return reader->sink->event(reader->sink, &event);
}

/* "heap profile: 10: 5000 [ 20: 9000] @ heap_v2/524288": "heap" counts at twice the rate. */
static void take_heap_head(struct reader *reader, const char *line)
{
	const char *type = strchr(line, '@'), *digits;

	type = type ? type + 1 + strspn(type + 1, " ") : "";
	digits = strchr(type, '/');
	if (digits && (!strncmp(type, "heap_v2/", 8) || !strncmp(type, "heap/", 5))) {
		digits++;
		if (op_number_take(&digits, 10, NUMBER_MOST, &reader->rate) &&
		    !strncmp(type, "heap/", 5))
			reader->rate /= 2;
	}
	if (!strncmp(type, "growth", 6)) {
		reader->in_use = make_event(reader, "growth", "bytes");
		reader->allocated = make_event(reader, "growth_total", "bytes");
		return;
	}
	reader->in_use = make_event(reader, "inuse_space", "bytes");
	reader->allocated = make_event(reader, "alloc_space", "bytes");
}

/* ---- contention ---- */

static uint64_t in_ns(const struct reader *reader, uint64_t delay)
{
	long double ns = (long double)delay * (long double)reader->period;

	if (reader->hz)
		ns = ns * 1e9L / (long double)reader->hz;
	return ns < (long double)NUMBER_MOST ? (uint64_t)ns : NUMBER_MOST;
}

/* "cycles/second = 3201000000" */
static bool take_setting(const char *line, const char *key, uint64_t *number)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n))
		return false;
	line += n;
	return take_mark(&line, '=') && take_number(&line, number);
}

static int take_contention_line(struct reader *reader, const char *line)
{
	struct prof_value value = {.event = reader->event};
	uint64_t ignored, delay;
	const char *at = line;

	if (take_setting(line, "cycles/second", &reader->hz) ||
	    take_setting(line, "ms since reset", &ignored))
		return 1;
	if (take_setting(line, "sampling period", &reader->period)) {
		reader->period = reader->period ? reader->period : 1;
		return 1;
	}
	if (take_setting(line, "discarded samples", &ignored)) {
		if (ignored)
			reader->sink->lost(reader->sink, "discarded by the profiler", ignored);
		return 1;
	}
	if (!take_number(&at, &delay) || !take_number(&at, &value.count) || !take_mark(&at, '@'))
		return 0;
	reader->depth = 0;
	if (!take_stack(reader, at, false))
		return 0;
	value.events = in_ns(reader, delay);
	if (__builtin_mul_overflow(value.count, reader->period, &value.count))
		value.count = NUMBER_MOST;
	return value.count && push(reader, &value, 1) ? -1 : 1;
}

/* ---- threads ---- */

static int end_thread(struct reader *reader)
{
	const struct prof_value value = {reader->event, 1, 1};

	if (!reader->has_thread)
		return 0;
	reader->has_thread = false;
	return push(reader, &value, 1);
}

/* "--- Thread 7ff86e5da700 (name: sandbox/4) stack: ---" */
static void begin_thread(struct reader *reader, const char *line)
{
	const char *name = strstr(line, "(name: "), *slash = name ? strchr(name, '/') : NULL;
	char *text;
	uint64_t tid;

	reader->has_thread = true;
	reader->comm = 0;
	reader->tid = PROF_ANY;
	if (!slash)
		return;
	name += strlen("(name: ");
	text = pp_format("%.*s", (int)(slash - name), name);
	reader->comm = reader->sink->string(reader->sink, text);
	free(text);
	slash++;
	if (op_number_take(&slash, 10, INT32_MAX, &tid))
		reader->tid = (int64_t)tid;
}

static int take_thread_line(struct reader *reader, const char *line)
{
	static const char head[] = "--- Thread ";
	const char *at = line;

	if (!strncmp(line, "---", 3)) {
		if (end_thread(reader))
			return -1;
		if (!strncmp(line, head, sizeof(head) - 1)) {
			reader->depth = 0;
			begin_thread(reader, line);
		}
		return 1;
	}
	/* "[same as previous thread]": its stack is still there */
	if (strstr(line, "same as previous thread"))
		return 1;
	skip_blanks(&at);
	if (!strncmp(at, "PC:", 3))
		at += 3;
	return reader->has_thread && take_stack(reader, at, true);
}

/* ---- all ---- */

static int take_line(struct reader *reader, const char *line)
{
	if (reader->kind == HEAP)
		return take_heap_line(reader, line);
	return reader->kind == CONTENTION ? take_contention_line(reader, line)
					  : take_thread_line(reader, line);
}

/* Whether the line is the first one of the mappings. */
static bool begins_maps(const char *line)
{
	return !strncmp(line, "MAPPED_LIBRARIES:", 17) || !strncmp(line, "--- Memory map", 14);
}

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

/* Return: whether the line is a head. */
static bool take_head(struct reader *reader, const char *line)
{
	if (begins(line, "heap profile:")) {
		reader->kind = HEAP;
		take_heap_head(reader, line);
	} else if (begins(line, "--- contention") || begins(line, "--- mutex")) {
		reader->kind = CONTENTION;
		reader->event = make_event(reader, "contention", "nanoseconds");
	} else if (begins(line, "--- threadz") || begins(line, "--- Thread ")) {
		reader->kind = THREADS;
		reader->event = make_event(reader, "threads", NULL);
	} else {
		return false;
	}
	return true;
}

static int read_lines(struct reader *reader, char *text)
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
		if (!line[strspn(line, " \t")] || *line == '#')
			continue;
		took = take_line(reader, line);
		if (!took)
			return input_fail(reader->input, reader->error, EINVAL,
					  (uint64_t)(line - start), "the line here is no record");
		if (took < 0)
			return -1;
	}
	if (!has_head)
		return input_fail(reader->input, reader->error, EINVAL, 0,
				  "there is no line that says what is counted");
	return end_thread(reader);
}

static struct cpuprofile_text find_maps(char *text, size_t n)
{
	for (char *line = text; line && line < text + n; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (begins_maps(line))
			return (struct cpuprofile_text){line, n - (size_t)(line - text)};
	}
	return (struct cpuprofile_text){text + n, 0};
}

static int read_heap(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {.input = input,
				.sink = sink,
				.error = error,
				.period = 1,
				.tid = PROF_ANY};
	size_t n, end;
	char *text = (char *)input_rest(input, SIZE_MOST, &n, error);
	int result;

	if (!text)
		return -1;
	cpuprofile_places_read(&reader.places, sink, find_maps(text, n));
	reader.frames = pp_alloc(PROF_DEPTH_MOST, sizeof(*reader.frames));
	end = strlen(text);
	result = read_lines(&reader, text);
	if (!result && end < n)
		result = input_fail(input, error, EINVAL, end, "a byte of 0 ends the text");
	if (reader.cut)
		prof_sink_note(sink, "%" PRIu64 " frames beyond %d of a stack were left out",
			       reader.cut, PROF_DEPTH_MOST);
	cpuprofile_places_free(&reader.places);
	free(reader.frames);
	free(text);
	return result;
}

static int probe(const uint8_t *bytes, size_t n)
{
	static const char *const heads[] = {"heap profile:", "--- contention", "--- mutex:",
					    "--- threadz", "--- Thread ", "--- heapz"};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (n >= strlen(heads[i]) && !memcmp(bytes, heads[i], strlen(heads[i])))
			return 90;
	return 0;
}

const struct format format_heap = {
	.name = "heap",
	.description = "text of gperftools: heap, growth, contention, threads",
	.probe = probe,
	.read = read_heap,
};
