// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading CPU profiles of gperftools, and those of Java programs in the same format. */
#include "cpuprofile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "places.h"
#include "records.h"
#include "libop/base/memory.h"

/* It is looked at as a whole: mappings stand behind what they are needed for. */
#define SIZE_MOST ((size_t)128 << 20)

struct reader {
	struct prof_sink *sink;
	struct cpuprofile_records records;
	struct cpuprofile_places places;
	uint32_t event;
	uint64_t period; /* ns */
	uint64_t *stack;
	struct prof_frame *frames;
};

static void gperftools_read_take_name(void *context, uint64_t address,
				      const struct prof_line *lines, size_t n)
{
	struct reader *reader = context;
	struct prof_frame place = cpuprofile_place(&reader->places, address);

	reader->sink->lines(reader->sink, &place, lines, n);
}

static void make_event(struct reader *reader)
{
	struct prof_event event = {.name = "cpu", .unit = "nanoseconds", .type = PROF_NO_TYPE};

	if (__builtin_mul_overflow(reader->records.period, 1000, &event.period))
		event.period = 0;
	reader->period = event.period;
	reader->event = reader->sink->event(reader->sink, &event);
}

static int read_samples(struct reader *reader, struct op_error *error)
{
	const struct cpuprofile_records *records = &reader->records;
	struct cpuprofile_record record;

	for (size_t at = records->begin; cpuprofile_next(records, &at, &record);) {
		struct prof_value value = {.event = reader->event, .count = record.count};
		struct prof_sample sample = {
			.frames = reader->frames,
			.values = &value,
			.n_values = 1,
			.app = reader->places.app,
			.pid = PROF_ANY,
			.tid = PROF_ANY,
			.cpu = PROF_ANY,
		};

		if (!record.count)
			continue;
		if (__builtin_mul_overflow(record.count, reader->period, &value.events))
			value.events = UINT64_MAX;
		sample.depth = cpuprofile_stack(records, &record, reader->stack);
		if (sample.depth > PROF_DEPTH_MOST)
			sample.depth = PROF_DEPTH_MOST;
		for (size_t i = 0; i < sample.depth; i++)
			reader->frames[i] = cpuprofile_frame(&reader->places, reader->stack[i], i);
		if (reader->sink->sample(reader->sink, &sample, error))
			return -1;
	}
	return 0;
}

static void tell_facts(struct reader *reader)
{
	const struct cpuprofile_records *records = &reader->records;
	const struct prof_host host = {
		.tool = records->is_java ? "a Java CPU profiler" : "a gperftools CPU profiler",
	};

	reader->sink->host(reader->sink, &host);
	prof_sink_fact(reader->sink, "cpuprofile.slot-bits", "%u", 8 * records->slot);
	prof_sink_fact(reader->sink, "cpuprofile.byte-order", "%s",
		       records->big_endian ? "big-endian" : "little-endian");
	prof_sink_fact(reader->sink, "cpuprofile.records", "%zu", records->n);
	if (records->n_handlers)
		prof_sink_note(
			reader->sink,
			"nearly all stacks have the same frame next to the leaf, which is the "
			"signal handler's: %u %s left out",
			records->n_handlers, records->n_handlers > 1 ? "were" : "was");
}

static int read_parts(struct reader *reader, struct input *input, struct op_error *error)
{
	const struct cpuprofile_records *records = &reader->records;

	make_event(reader);
	tell_facts(reader);
	if (records->is_java) {
		cpuprofile_java_names(records->text, gperftools_read_take_name, reader);
	} else {
		cpuprofile_places_read(&reader->places, reader->sink, records->text);
		cpuprofile_symbols(records->symbols, gperftools_read_take_name, reader);
	}
	reader->stack = op_alloc(records->deepest, sizeof(*reader->stack));
	reader->frames = op_alloc(records->deepest, sizeof(*reader->frames));
	if (read_samples(reader, error))
		return -1;
	if (!records->fault.code)
		return 0;
	return op_error_set(error, records->fault.code, "%.240s: %s", input_name(input),
			    records->fault.text);
}

static int read_cpuprofile(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {.sink = sink};
	struct op_error cause;
	uint8_t *bytes;
	size_t n;
	int result;

	bytes = input_rest(input, SIZE_MOST, &n, error);
	if (!bytes)
		return -1;
	if (cpuprofile_scan(&reader.records, bytes, n, &cause))
		result = op_error_set(error, cause.code, "%.240s: %s", input_name(input),
				      cause.text);
	else
		result = read_parts(&reader, input, error);
	cpuprofile_places_free(&reader.places);
	free(reader.stack);
	free(reader.frames);
	free(bytes);
	return result;
}

static int gperftools_read_probe(const uint8_t *bytes, size_t n)
{
	return cpuprofile_recognise(bytes, n) ? 60 : 0;
}

const struct format format_cpuprofile = {
	.name = "cpuprofile",
	.description = "CPU profile of gperftools (google-pprof, go tool pprof)",
	.probe = gperftools_read_probe,
	.read = read_cpuprofile,
	.write = cpuprofile_write,
	.has_no_names = true,
};
