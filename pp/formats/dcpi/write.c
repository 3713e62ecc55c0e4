// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing DCPI's profiles: a file for each image and event.  Only the addresses that were
 * interrupted have a place there.
 */
#include "dcpi.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/base/strings.h"
#include "pp/symbols/dcpi_image.h"
#include "header.h"
#include "libop/base/memory.h"
#include "libop/foreign/output.h"
#include "pp/symbols/elf_file.h"

#define ALIGNMENT 4 /* of the numbers behind the header */
#define PAGE	  UINT64_C(4096)

/* The samples at one place. */
struct spot {
	uint32_t image, event;
	uint64_t offset, count;
};

struct writer {
	const struct prof *prof;
	const struct output *output;
	struct op_error *error;
	struct spot *spots;
	size_t n, capacity;
	struct op_strings names; /* of files that are written */
	FILE *file;
	uint64_t tstart, tsize; /* of the image whose file it is */
	uint64_t first;		/* offset in the image of what is at tstart */
	uint64_t stride;
};

static int compare_spots(const void *a, const void *b)
{
	const struct spot *spot = a, *other = b;

	if (spot->image != other->image)
		return spot->image < other->image ? -1 : 1;
	if (spot->event != other->event)
		return spot->event < other->event ? -1 : 1;
	return op_compare_u64(spot->offset, other->offset);
}

static void collect(struct writer *writer)
{
	static const struct prof_frame nowhere = {PROF_NO_IMAGE, 0};
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	size_t n = 0;

	while (prof_next(writer->prof, &cursor, &sample)) {
		const struct prof_frame *leaf = sample.depth ? sample.frames : &nowhere;

		for (size_t i = 0; i < sample.n_values; i++) {
			if (!sample.values[i].count)
				continue;
			writer->spots = op_grow(writer->spots, &writer->capacity, writer->n + 1,
						sizeof(*writer->spots));
			writer->spots[writer->n++] = (struct spot){
				.image = leaf->image,
				.event = sample.values[i].event,
				.offset = leaf->offset,
				.count = sample.values[i].count,
			};
		}
	}
	prof_cursor_free(&cursor);
	if (!writer->n)
		return;
	qsort(writer->spots, writer->n, sizeof(*writer->spots), compare_spots);
	for (size_t i = 1; i < writer->n; i++) {
		if (compare_spots(&writer->spots[n], &writer->spots[i]))
			writer->spots[++n] = writer->spots[i];
		else
			writer->spots[n].count += writer->spots[i].count;
	}
	writer->n = n + 1;
}

/* ---- the header ---- */

static bool is_header_of(const struct writer *writer, const struct spot *spot,
			 const struct dcpi_header *header)
{
	char *image = dcpi_header_image(header);
	bool is = !strcmp(image, writer->prof->images[spot->image].path) &&
		  !strcmp(header->event, writer->prof->events[spot->event].name);

	free(image);
	return is;
}

/* The header of the file that the samples were read from, if they were: all is as it was. */
static bool find_header(const struct writer *writer, const struct spot *spot,
			struct dcpi_header *header)
{
	const struct prof *prof = writer->prof;
	bool is_last;

	for (size_t i = 0; i < prof->n_facts; i++) {
		if (strcmp(prof->facts[i].key, DCPI_FACT_FILE) != 0)
			continue;
		*header = (struct dcpi_header){0};
		while (i + 1 < prof->n_facts && !strcmp(prof->facts[i + 1].key, DCPI_FACT_LINE)) {
			const char *line = prof->facts[++i].value;

			if (dcpi_header_add(header, line, strlen(line), &is_last, NULL))
				break;
		}
		if (!dcpi_header_check(header, NULL) && is_header_of(writer, spot, header))
			return true;
		dcpi_header_free(header);
	}
	return false;
}

/* A text that is on a line of its own. */
static void dcpi_write_put_line(struct writer *writer, const char *word, const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	fprintf(writer->file, "%s ", word);
	for (; *text; text++)
		putc(*text == '\n' || *text == '\r' ? '?' : *text, writer->file);
	putc('\n', writer->file);
}

static uint64_t period_of(const struct writer *writer, uint32_t event)
{
	const struct prof_value *total = &writer->prof->totals[event];

	if (writer->prof->events[event].period)
		return writer->prof->events[event].period;
	return total->count ? total->events / total->count : 0;
}

static void put_platform(struct writer *writer)
{
	const struct prof_host *host = &writer->prof->host;
	const char *release = host->os_release, *arch = host->arch;
	char *platform;

	if (!release && host->cpu_description)
		platform = op_copy(host->cpu_description);
	else
		platform = op_format("Linux %s %s", release ? release : "unknown",
				     arch ? arch : "unknown");
	dcpi_write_put_line(writer, "platform", platform);
	free(platform);
}

static void put_new_header(struct writer *writer, const struct spot *spot)
{
	const struct prof_image *image = &writer->prof->images[spot->image];
	const struct prof_host *host = &writer->prof->host;
	char id[PP_DCPI_IMAGE_ID], epoch[16];

	fputs("version pdb-0.07\n", writer->file);
	pp_dcpi_image_id(id, image->mtime, image->build_id, image->build_id_length, image->path);
	pp_dcpi_time(epoch, sizeof(epoch), "%y%m%d%H%M", host->start_time / 1000000000);
	fprintf(writer->file, "image %s\nepoch %s\n", id, epoch);
	put_platform(writer);
	dcpi_write_put_line(writer, "event", writer->prof->events[spot->event].name);
	fprintf(writer->file, "period %" PRIu64 "\ntstart %" PRIx64 "\ntsize %" PRIu64 "\n",
		period_of(writer, spot->event), writer->tstart, writer->tsize);
	fprintf(writer->file, "cpuspeed %.0f\n", host->cpu_mhz);
	if (host->cpus_online)
		fprintf(writer->file, "cpucount %" PRIu64 "\n", host->cpus_online);
	dcpi_write_put_line(writer, "path", image->path);
	fprintf(writer->file, "stride %" PRIu64 "\noffset %" PRIx64 "\n", writer->stride,
		writer->first);
}

static void put_header(struct writer *writer, const struct spot *spot,
		       const struct dcpi_header *header)
{
	long length;

	if (!header)
		put_new_header(writer, spot);
	for (size_t i = 0; header && i < header->lines.count; i++)
		fprintf(writer->file, "%s\n", header->lines.item[i]);
	/* what could be told from the chunks need not be told from ours */
	if (header && !header->stride && writer->stride != DCPI_STRIDE_ALPHA)
		fprintf(writer->file, "stride %" PRIu64 "\n", writer->stride);
	fputs("samples", writer->file);
	for (length = ftell(writer->file) + 1; length % ALIGNMENT; length++)
		putc(' ', writer->file);
	putc('\n', writer->file);
}

/* ---- where the text is ---- */

/* The part of an ELF file that the samples are in, at the addresses that it is linked to. */
static bool find_segment(struct writer *writer, const char *path, uint64_t low, uint64_t high)
{
	struct pp_segments segments;
	bool found = false;

	if (!pp_segments_read(&segments, path))
		return false;
	for (size_t i = 0; i < segments.n && !found; i++) {
		const struct pp_segment *segment = &segments.items[i];

		found = low >= segment->offset && high - segment->offset < segment->size;
		writer->first = segment->offset;
		writer->tstart = segment->address;
		writer->tsize = segment->size;
	}
	free(segments.items);
	return found;
}

/* Where the image was mapped, or else where its samples are. */
static void find_text(struct writer *writer, const struct spot *spots, size_t n)
{
	const struct prof_image *image = &writer->prof->images[spots->image];
	uint64_t low = spots[0].offset, high = spots[n - 1].offset;

	writer->stride = DCPI_STRIDE_BYTES;
	if (image->kind == PROF_FILE && find_segment(writer, image->path, low, high))
		return;
	writer->first = image->offset;
	writer->tstart = image->start;
	writer->tsize = image->end - image->start;
	if (image->end > image->start && low >= image->offset &&
	    high - image->offset < writer->tsize)
		return;
	writer->first = writer->tstart = low & ~(PAGE - 1);
	writer->tsize = (high | (PAGE - 1)) - writer->first + 1;
}

/* Return: false if the samples are not where the header says that there are counts. */
static bool take_text(struct writer *writer, const struct dcpi_header *header,
		      const struct spot *spots, size_t n)
{
	bool is_aligned = true;

	writer->tstart = header->tstart;
	writer->tsize = header->tsize;
	writer->first = header->path ? header->offset : 0;
	writer->stride = header->stride ? header->stride : DCPI_STRIDE_ALPHA;
	for (size_t i = 0; i < n; i++) {
		uint64_t offset = spots[i].offset - writer->first;

		is_aligned &=
			offset % writer->stride == 0 && offset + writer->stride <= writer->tsize;
	}
	if (!is_aligned && !header->stride)
		writer->stride = DCPI_STRIDE_BYTES;
	return (is_aligned || !header->stride) && spots[0].offset >= writer->first &&
	       spots[n - 1].offset - writer->first < writer->tsize;
}

/* ---- the samples ---- */

static void put_word(struct writer *writer, uint64_t value)
{
	const unsigned char bytes[] = {(unsigned char)value, (unsigned char)(value >> 8),
				       (unsigned char)(value >> 16), (unsigned char)(value >> 24)};

	fwrite(bytes, 1, sizeof(bytes), writer->file);
}

static uint64_t index_of(const struct writer *writer, const struct spot *spot)
{
	return (spot->offset - writer->first) / writer->stride;
}

/* Spots that one chunk holds: a gap of one count takes less room than another chunk. */
static size_t chunk_of(const struct writer *writer, const struct spot *spots, size_t n)
{
	size_t i = 1;

	while (i < n && index_of(writer, &spots[i]) - index_of(writer, &spots[i - 1]) <= 2)
		i++;
	return i;
}

static void put_chunk(struct writer *writer, const struct spot *spots, size_t n)
{
	uint64_t at = index_of(writer, &spots[0]);

	put_word(writer, at * writer->stride);
	put_word(writer, index_of(writer, &spots[n - 1]) - at + 1);
	for (size_t i = 0; i < n; i++, at++) {
		for (; at < index_of(writer, &spots[i]); at++)
			put_word(writer, 0);
		put_word(writer, spots[i].count);
	}
}

static void dcpi_write_put_samples(struct writer *writer, const struct spot *spots, size_t n,
				   uint64_t total)
{
	for (size_t i = 0, length; i < n; i += length) {
		length = chunk_of(writer, spots + i, n - i);
		put_chunk(writer, spots + i, length);
	}
	put_word(writer, n);
	put_word(writer, total);
}

/* ---- files ---- */

/* A name that no other file has: of the image, without directories, and the event. */
static char *name_file(struct writer *writer, const struct spot *spot)
{
	const char *path = writer->prof->images[spot->image].path;
	const char *slash = strrchr(path, '/');
	char *base = op_format("%.150s.%.80s", slash && slash[1] ? slash + 1 : path,
			       writer->prof->events[spot->event].name);
	char *name;

	for (char *c = base; *c; c++)
		if (*c == '/' || *c == '\n' || (c == base && *c == '.'))
			*c = '_';
	name = op_copy(base);
	for (unsigned int i = 2; op_strings_contain(&writer->names, name); i++) {
		free(name);
		name = op_format("%s-%u", base, i);
	}
	if (op_strings_add(&writer->names, name))
		op_out_of_memory();
	free(base);
	return name;
}

static int check_size(struct writer *writer, const struct spot *spots, uint64_t total)
{
	const struct prof *prof = writer->prof;

	if (total <= UINT32_MAX && writer->tsize <= UINT32_MAX)
		return 0;
	return op_error_set(writer->error, EOVERFLOW,
			    "a DCPI profile holds 2^32-1 samples and bytes of text at most; %s has "
			    "%" PRIu64 " of %s in %" PRIu64,
			    prof->images[spots->image].path, total, prof->events[spots->event].name,
			    writer->tsize);
}

static int write_file(struct writer *writer, const char *path, const struct spot *spots, size_t n,
		      const struct dcpi_header *header, uint64_t total)
{
	bool failed;

	writer->file =
		foreign_create_stream(path, FOREIGN_PARENTS_FIND, FOREIGN_REFUSE, writer->error);
	if (!writer->file)
		return -1;
	put_header(writer, spots, header);
	dcpi_write_put_samples(writer, spots, n, total);
	failed = ferror(writer->file);
	if (fclose(writer->file) || failed)
		return op_error_set(writer->error, EIO, "%s: some files could not be written",
				    path);
	return 0;
}

/* The file of the samples of one image and event. */
static int put_profile(struct writer *writer, const struct spot *spots, size_t n)
{
	struct dcpi_header header = {0};
	uint64_t total = 0;
	bool is_known = find_header(writer, spots, &header);
	char *name, *path;
	int result;

	for (size_t i = 0; i < n; i++)
		if (__builtin_add_overflow(total, spots[i].count, &total))
			total = UINT64_MAX;
	if (is_known && !take_text(writer, &header, spots, n)) {
		dcpi_header_free(&header);
		is_known = false;
	}
	if (!is_known)
		find_text(writer, spots, n);
	name = name_file(writer, spots);
	path = op_format("%s/%s", writer->output->path, name);
	result = check_size(writer, spots, total);
	if (!result)
		result = write_file(writer, path, spots, n, is_known ? &header : NULL, total);
	free(path);
	free(name);
	dcpi_header_free(&header);
	return result;
}

int dcpi_write(struct prof *prof, struct output *output, struct op_error *error)
{
	struct writer writer = {.prof = prof, .output = output, .error = error};
	int result = 0;

	collect(&writer);
	for (size_t i = 0, end; i < writer.n && !result; i = end) {
		for (end = i + 1; end < writer.n; end++)
			if (writer.spots[end].image != writer.spots[i].image ||
			    writer.spots[end].event != writer.spots[i].event)
				break;
		result = put_profile(&writer, writer.spots + i, end - i);
	}
	op_strings_free(&writer.names);
	free(writer.spots);
	return result;
}
