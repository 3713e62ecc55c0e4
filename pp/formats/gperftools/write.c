// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing CPU profiles as gperftools does, so that google-pprof and go tool pprof read them.
 *
 * Both take a frame next to the leaf that (nearly) all stacks share for that of the signal handler
 * that took the samples, and leave it out: of a program that calls all it does from one place,
 * they would lose the caller.  Records with a count of 0 and no caller, which add to nothing,
 * keep them from it.
 */
#include "cpuprofile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pp/formats/model/mapped_image.h"
#include "libop/base/memory.h"

/* The default period of gperftools, in microseconds. */
#define PERIOD_DEFAULT 10000
/* Of so many stacks one may have another frame next to the leaf for pprof to leave it out. */
#define HANDLER_MARGIN 32
/* For what has no address: 0 would end the profile. */
#define NO_ADDRESS 1

struct writer {
	const struct prof *prof;
	FILE *file;
	uint32_t event;
	uint32_t app; /* the image of the program with the most samples */
	size_t n_records;
	/* A frame that has a majority next to the leaf, if any has. */
	uint64_t frame;
	size_t n_frame;
};

static void put_slot(struct writer *writer, uint64_t value)
{
	unsigned char bytes[8];

	for (unsigned int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
	fwrite(bytes, 1, sizeof(bytes), writer->file);
}

/* The only event with samples, for there is no place for two. */
static int choose_event(struct writer *writer, struct op_error *error)
{
	const struct prof *prof = writer->prof;
	size_t n = 0;

	for (size_t i = prof->n_events; i; i--)
		if (prof->totals[i - 1].count) {
			writer->event = (uint32_t)i - 1;
			n++;
		}
	if (n > 1)
		return op_error_set(error, EINVAL,
				    "a CPU profile holds one event, and the samples are of %zu, "
				    "such as %s: choose one",
				    n, prof->events[writer->event].name);
	return 0;
}

static uint64_t count_of(const struct writer *writer, const struct prof_sample *sample)
{
	for (size_t i = 0; i < sample->n_values; i++)
		if (sample->values[i].event == writer->event)
			return sample->values[i].count;
	return 0;
}

static uint64_t address_at(const struct writer *writer, const struct prof_sample *sample, size_t i)
{
	uint64_t address;

	if (i >= sample->depth)
		return NO_ADDRESS;
	address = prof_address(writer->prof, &sample->frames[i]);
	/* readers take all callers for return addresses */
	address += writer->prof->has_entries && prof_is_entry(writer->prof, sample, i);
	return address ? address : NO_ADDRESS;
}

/* Looks for the program and for what pprof would take for the signal handler. */
static void survey(struct writer *writer)
{
	uint64_t *apps = op_alloc(writer->prof->n_images, sizeof(*apps));
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	size_t votes = 0;

	while (prof_next(writer->prof, &cursor, &sample)) {
		uint64_t count = count_of(writer, &sample);
		uint64_t frame = sample.depth > 1 ? address_at(writer, &sample, 1) : 0;

		if (!count)
			continue;
		apps[sample.app] += count;
		writer->n_records++;
		if (!votes)
			writer->frame = frame;
		votes += frame == writer->frame ? 1 : -1;
	}
	for (size_t i = 0; i < writer->prof->n_images; i++)
		if (apps[i] > apps[writer->app])
			writer->app = (uint32_t)i;
	free(apps);
	prof_cursor_free(&cursor);
}

/* Microseconds. */
static uint64_t period_of(const struct writer *writer)
{
	const struct prof_event *event = &writer->prof->events[writer->event];
	const struct prof_value *total = &writer->prof->totals[writer->event];
	bool is_time = event->unit && !strcmp(event->unit, "nanoseconds");
	uint64_t ns = event->period;

	if (!ns && is_time && total->count)
		ns = total->events / total->count;
	if (is_time && ns)
		return ns < 1000 ? 1 : ns / 1000;
	if (event->frequency && event->frequency <= 1000000)
		return 1000000 / event->frequency;
	return PERIOD_DEFAULT;
}

static void put_header(struct writer *writer)
{
	put_slot(writer, 0);
	put_slot(writer, 3);
	put_slot(writer, 0);
	put_slot(writer, writer->prof->n_events ? period_of(writer) : PERIOD_DEFAULT);
	put_slot(writer, 0);
}

static void put_record(struct writer *writer, const struct prof_sample *sample)
{
	size_t depth = sample->depth ? sample->depth : 1;

	put_slot(writer, count_of(writer, sample));
	put_slot(writer, depth);
	for (size_t i = 0; i < depth; i++)
		put_slot(writer, address_at(writer, sample, i));
	writer->n_frame += sample->depth > 1 && address_at(writer, sample, 1) == writer->frame;
}

/* So many that pprof does not find one frame nearly everywhere. */
static void put_no_handlers(struct writer *writer, uint64_t leaf)
{
	if (!writer->n_frame ||
	    writer->n_frame < writer->n_records - writer->n_records / HANDLER_MARGIN)
		return;
	for (size_t i = 0; i <= writer->n_records / (HANDLER_MARGIN - 1); i++) {
		put_slot(writer, 0);
		put_slot(writer, 1);
		put_slot(writer, leaf);
	}
}

static void put_records(struct writer *writer)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	uint64_t leaf = NO_ADDRESS;

	while (prof_next(writer->prof, &cursor, &sample)) {
		if (!count_of(writer, &sample))
			continue;
		put_record(writer, &sample);
		leaf = address_at(writer, &sample, 0);
	}
	put_no_handlers(writer, leaf);
	prof_cursor_free(&cursor);
	put_slot(writer, 0);
	put_slot(writer, 1);
	put_slot(writer, 0);
}

/* As the kernel does for line ends in paths. */
static void put_path(struct writer *writer, const char *path)
{
	for (; *path; path++) {
		if (*path == '\n')
			fputs("\\012", writer->file);
		else
			putc(*path, writer->file);
	}
	putc('\n', writer->file);
}

static void put_map(struct writer *writer, const struct prof_image *image)
{
	struct mapping mapping;

	if (image->kind == PROF_UNKNOWN || image->end <= image->start)
		return;
	mapping = mapping_of(image);
	fprintf(writer->file, "%" PRIx64 "-%" PRIx64 " r-xp %08" PRIx64 " 00:00 0 ", mapping.start,
		mapping.end, mapping.offset);
	put_path(writer, mapping.name);
	free(mapping.name);
}

/* The program first, for pprof takes the first file for it. */
static void put_maps(struct writer *writer)
{
	put_map(writer, &writer->prof->images[writer->app]);
	for (size_t i = 0; i < writer->prof->n_images; i++)
		if (i != writer->app)
			put_map(writer, &writer->prof->images[i]);
}

int cpuprofile_write(struct prof *prof, struct output *output, struct op_error *error)
{
	struct writer writer = {.prof = prof, .file = output->file};

	if (choose_event(&writer, error))
		return -1;
	prof_layout(prof);
	survey(&writer);
	put_header(&writer);
	put_records(&writer);
	put_maps(&writer);
	return 0;
}
