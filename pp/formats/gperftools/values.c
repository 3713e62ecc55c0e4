// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of memory, and of waiting for locks:
 *
 *	4: 2000 [ 8: 4000] @ 0x55d4c0de1179	blocks and bytes in use, and of all
 *	2000 4 @ 0x3 0x4			bytes and blocks, as Java has them
 *	19490304 27 @ 0x55d4c0de1179		time and how often
 */
#include "text_reader.h"

#include <math.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/number.h"

/* Java's agent says nothing of its rate, and pprof assumes this one. */
#define JAVA_RATE 524288

static enum text_stack stack_of(const struct text_reader *reader)
{
	return reader->is_java ? TEXT_NUMBERS : TEXT_RETURNS;
}

/* Takes "KEY = NUMBER". */
static bool take_setting(const char *line, const char *key, uint64_t *number)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n))
		return false;
	line += n;
	return text_take_mark(&line, '=') && text_take_number(&line, number);
}

/* ---- heaps ---- */

/* A sample of memory stands for what is as large and was not sampled, as pprof has it. */
static struct prof_value memory(const struct text_reader *reader, uint32_t event, uint64_t count,
				uint64_t bytes)
{
	struct prof_value value = {event, count, bytes};
	double scale;

	if (reader->rate <= 1 || !count || !bytes)
		return value;
	scale = 1 / (1 - exp(-((double)bytes / (double)count) / (double)reader->rate));
	value.count = (uint64_t)fmin((double)count * scale, (double)TEXT_NUMBER_MOST);
	value.events = (uint64_t)fmin((double)bytes * scale, (double)TEXT_NUMBER_MOST);
	return value;
}

static int take_java_heap(struct text_reader *reader, const char *line)
{
	struct prof_value value;
	uint64_t bytes, count;
	const char *at = line;

	if (!strncmp(line, "format", 6) || !strncmp(line, "resolution", 10))
		return 1;
	if (!text_take_number(&at, &bytes) || !text_take_number(&at, &count) ||
	    !text_take_mark(&at, '@'))
		return 0;
	reader->depth = 0;
	if (!text_take_stack(reader, at, TEXT_NUMBERS))
		return 0;
	reader->rate = JAVA_RATE;
	value = memory(reader, reader->events[0], count, bytes);
	return count && text_push(reader, &value, 1) ? -1 : 1;
}

int text_take_heap(struct text_reader *reader, const char *line)
{
	uint64_t count, bytes, all, all_bytes;
	struct prof_value values[2];
	const char *at = line;
	size_t n = 0;

	if (reader->is_java)
		return take_java_heap(reader, line);
	if (!text_take_pair(&at, &count, &bytes) || !text_take_mark(&at, '[') ||
	    !text_take_pair(&at, &all, &all_bytes) || !text_take_mark(&at, ']') ||
	    !text_take_mark(&at, '@'))
		return 0;
	reader->depth = 0;
	if (!text_take_stack(reader, at, TEXT_RETURNS))
		return 0;
	if (count)
		values[n++] = memory(reader, reader->events[0], count, bytes);
	if (all)
		values[n++] = memory(reader, reader->events[1], all, all_bytes);
	return text_push(reader, values, n) ? -1 : 1;
}

static uint32_t make_event(struct text_reader *reader, const char *name)
{
	const struct prof_event event = {.name = name, .unit = "bytes", .type = PROF_NO_TYPE};

	return reader->sink->event(reader->sink, &event);
}

/* "heap" counts at twice the rate. */
void text_begin_heap(struct text_reader *reader, const char *line)
{
	const char *type = strchr(line, '@'), *digits;
	bool is_growth;

	type = type ? type + 1 + strspn(type + 1, " ") : "";
	digits = strchr(type, '/');
	if (digits && (!strncmp(type, "heap_v2/", 8) || !strncmp(type, "heapz_v2/", 9) ||
		       !strncmp(type, "heap/", 5))) {
		digits++;
		if (op_number_take(&digits, 10, TEXT_NUMBER_MOST, &reader->rate) &&
		    !strncmp(type, "heap/", 5))
			reader->rate /= 2;
	}
	is_growth = !strncmp(type, "growth", 6);
	reader->events[0] = make_event(reader, is_growth ? "growth" : "inuse_space");
	reader->events[1] = make_event(reader, is_growth ? "growth_total" : "alloc_space");
}

/* ---- contention ---- */

static uint64_t in_ns(const struct text_reader *reader, uint64_t delay)
{
	long double ns = (long double)delay * (long double)reader->period;

	if (reader->hz)
		ns = ns * 1e9L / (long double)reader->hz;
	return ns < (long double)TEXT_NUMBER_MOST ? (uint64_t)ns : TEXT_NUMBER_MOST;
}

/* "resolution = microseconds" */
static bool take_resolution(struct text_reader *reader, const char *line)
{
	static const struct {
		const char *unit;
		uint64_t hz;
	} units[] = {{"nanoseconds", 1000000000},
		     {"microseconds", 1000000},
		     {"milliseconds", 1000},
		     {"seconds", 1}};
	const char *at = line + strlen("resolution");

	if (strncmp(line, "resolution", strlen("resolution")) || !text_take_mark(&at, '='))
		return false;
	text_skip_blanks(&at);
	for (size_t i = 0; i < OP_ARRAY_SIZE(units); i++)
		if (!strcmp(at, units[i].unit)) {
			reader->hz = units[i].hz;
			return true;
		}
	return false;
}

/* Return: whether the line says something of the samples. */
static bool take_settings(struct text_reader *reader, const char *line)
{
	uint64_t number;

	if (take_setting(line, "cycles/second", &reader->hz))
		return true;
	if (take_setting(line, "ms since reset", &number)) {
		const struct prof_host host = {
			.duration = number < TEXT_NUMBER_MOST / 1000000 ? number * 1000000 : 0};

		reader->sink->host(reader->sink, &host);
		return true;
	}
	if (take_setting(line, "sampling period", &reader->period)) {
		reader->period = reader->period ? reader->period : 1;
		return true;
	}
	if (take_setting(line, "discarded samples", &number)) {
		if (number)
			reader->sink->lost(reader->sink, "discarded by the profiler", number);
		return true;
	}
	return reader->is_java && (!strncmp(line, "format", 6) || take_resolution(reader, line));
}

int text_take_contention(struct text_reader *reader, const char *line)
{
	struct prof_value value = {.event = reader->events[0]};
	const char *at = line;
	uint64_t delay;

	if (take_settings(reader, line))
		return 1;
	if (!text_take_number(&at, &delay) || !text_take_number(&at, &value.count) ||
	    !text_take_mark(&at, '@'))
		return 0;
	reader->depth = 0;
	if (!text_take_stack(reader, at, stack_of(reader)))
		return 0;
	value.events = in_ns(reader, delay);
	if (__builtin_mul_overflow(value.count, reader->period, &value.count))
		value.count = TEXT_NUMBER_MOST;
	return value.count && text_push(reader, &value, 1) ? -1 : 1;
}
