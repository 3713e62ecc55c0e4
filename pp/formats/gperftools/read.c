// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading CPU profiles of gperftools, and those of Java programs in the same format. */
#include "cpuprofile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "maps.h"
#include "names.h"
#include "records.h"
#include "pp/formats/model/mapped_image.h"
#include "libop/base/memory.h"
#include "libop/base/search.h"

/* It is looked at as a whole: mappings stand behind what they are needed for. */
#define SIZE_MOST ((size_t)128 << 20)

struct reader {
	struct prof_sink *sink;
	struct cpuprofile_records records;
	struct cpuprofile_maps maps; /* by start */
	uint32_t *images;	     /* of each map; 0: not made yet */
	uint32_t app, event;
	uint64_t period; /* ns */
	uint64_t *stack;
	struct prof_frame *frames;
};

static int compare_maps(const void *a, const void *b)
{
	const struct cpuprofile_map *map = a, *other = b;

	return (map->start > other->start) - (map->start < other->start);
}

static uint32_t make_image(struct reader *reader, const struct cpuprofile_map *map)
{
	struct prof_image image = mapped_image(map->path, map->start, map->end, map->offset);

	mapped_image_build_id(&image, map->build_id);
	return reader->sink->image(reader->sink, &image);
}

static uint32_t image_of(struct reader *reader, size_t map)
{
	if (!reader->images[map])
		reader->images[map] = make_image(reader, &reader->maps.items[map]);
	return reader->images[map];
}

/* The program is the first file (by line) that is no library, as it is for pprof. */
static void find_app(struct reader *reader)
{
	for (size_t i = 0; i < reader->maps.n; i++) {
		const struct cpuprofile_map *map = &reader->maps.items[i];

		if (mapped_image(map->path, map->start, map->end, 0).kind == PROF_FILE &&
		    !mapped_image_is_library(map->path)) {
			reader->app = make_image(reader, map);
			return;
		}
	}
}

static void read_maps(struct reader *reader)
{
	struct cpuprofile_maps *maps = &reader->maps;

	cpuprofile_maps_read(maps, reader->records.text.bytes, reader->records.text.length);
	find_app(reader);
	if (maps->n > 1)
		qsort(maps->items, maps->n, sizeof(*maps->items), compare_maps);
	reader->images = pp_alloc(maps->n, sizeof(*reader->images));
	if (!maps->n)
		reader->sink->note(reader->sink, "there are no mappings, so samples have addresses "
						 "and no images");
}

/* The first map that ends behind @address, or the number of maps. */
static size_t find_map(const struct cpuprofile_maps *maps, uint64_t address)
{
	return op_first_above(maps->items, maps->n, end, address);
}

static struct prof_frame find_place(struct reader *reader, uint64_t address)
{
	size_t i = find_map(&reader->maps, address);
	struct prof_frame frame = {PROF_NO_IMAGE, address};
	const struct cpuprofile_map *map;

	if (i == reader->maps.n)
		return frame;
	map = &reader->maps.items[i];
	/* Some write down only the second part of what lies there: the rest is before it. */
	if (address < map->start && map->start - address > map->offset)
		return frame;
	frame.image = image_of(reader, i);
	frame.offset = address - map->start +
		       mapped_image(map->path, map->start, map->end, map->offset).offset;
	return frame;
}

/* For a caller, it is the call that is in an image: what is behind it may be not. */
static struct prof_frame find_frame(struct reader *reader, uint64_t address, size_t index)
{
	struct prof_frame frame;

	if (!index || !address)
		return find_place(reader, address);
	frame = find_place(reader, address - 1);
	frame.offset++;
	return frame;
}

static void take_name(void *context, uint64_t address, const struct prof_line *lines, size_t n)
{
	struct reader *reader = context;
	struct prof_frame place = find_place(reader, address);

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
			.app = reader->app,
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
			reader->frames[i] = find_frame(reader, reader->stack[i], i);
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
		cpuprofile_java_names(records->text, take_name, reader);
	} else {
		read_maps(reader);
		cpuprofile_symbols(records->symbols, take_name, reader);
	}
	reader->stack = pp_alloc(records->deepest, sizeof(*reader->stack));
	reader->frames = pp_alloc(records->deepest, sizeof(*reader->frames));
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
	cpuprofile_maps_free(&reader.maps);
	free(reader.images);
	free(reader.stack);
	free(reader.frames);
	free(bytes);
	return result;
}

static int probe(const uint8_t *bytes, size_t n)
{
	return cpuprofile_recognise(bytes, n) ? 60 : 0;
}

const struct format format_cpuprofile = {
	.name = "cpuprofile",
	.description = "CPU profile of gperftools (google-pprof, go tool pprof)",
	.probe = probe,
	.read = read_cpuprofile,
	.write = cpuprofile_write,
};
