// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading DCPI's profiles: one, or all of a directory. */
#include "dcpi.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "header.h"
#include "libop/base/memory.h"
#include "libop/base/reader.h"

#define FOOTER_BYTES 8
#define HEAD_BYTES   8 /* of a chunk */
#define COUNT_BYTES  4
#define PIECE	     1024 /* counts that are read at once */

struct reader {
	struct input *input;
	struct prof_sink *sink;
	struct op_error *error;
	struct dcpi_header header;
	uint64_t stride;
	uint64_t begin;	       /* of the chunks */
	uint64_t end;	       /* of those that make sense */
	struct op_error fault; /* why there are no more; code 0: there are none */
	struct {
		uint64_t stride;
		bool fits;
		uint64_t next; /* the first offset that the next chunk may have */
	} ways[2];	       /* to understand the chunks */
	uint64_t n_offsets, n_samples;
	uint32_t image, event;
	uint64_t first; /* offset in the image of the start of the text */
};

/* Called for pieces of a chunk: counts from @offset on, where the first is number @first. */
typedef int piece_fn(struct reader *reader, uint64_t offset, uint64_t first, const uint8_t *counts,
		     size_t n);

static uint32_t word_at(const uint8_t *bytes)
{
	return op_load_u32(bytes, op_swap_for(false));
}

static int read_header(struct reader *reader)
{
	struct op_error cause;
	bool is_last = false;
	uint64_t at;
	char *line;
	size_t n;
	int found;

	while (!is_last) {
		at = input_offset(reader->input);
		found = input_line(reader->input, DCPI_LINE_MOST, &line, &n, reader->error);
		if (found < 0)
			return -1;
		if (!found)
			return input_fail(reader->input, reader->error, EINVAL, at,
					  "the header of the DCPI profile has no end");
		if (dcpi_header_add(&reader->header, line, n, &is_last, &cause))
			return input_fail(reader->input, reader->error, cause.code, at, "%s",
					  cause.text);
	}
	reader->begin = input_offset(reader->input);
	if (dcpi_header_check(&reader->header, &cause))
		return input_fail(reader->input, reader->error, cause.code, 0, "%s", cause.text);
	return 0;
}

static int read_counts(struct reader *reader, uint64_t offset, uint64_t number, piece_fn *take)
{
	for (uint64_t first = 0; first < number; first += PIECE) {
		size_t n = number - first < PIECE ? (size_t)(number - first) : PIECE;
		const uint8_t *counts = input_take(reader->input, n * COUNT_BYTES, reader->error);

		if (!counts || take(reader, offset, first, counts, n))
			return -1;
	}
	return 0;
}

/* Whether a chunk makes sense, for either stride. */
static int check_chunk(struct reader *reader, uint64_t at, uint64_t offset, uint64_t number)
{
	uint64_t left = (input_size(reader->input) - at - HEAD_BYTES) / COUNT_BYTES;
	bool fits = false;

	if (number > left || (left - number) * COUNT_BYTES < FOOTER_BYTES)
		return input_fail(reader->input, &reader->fault, EINVAL, at,
				  "the chunk has %" PRIu64 " counts, more than the file holds",
				  number);
	for (size_t i = 0; i < 2; i++) {
		uint64_t stride = reader->ways[i].stride, end = offset + number * stride;

		reader->ways[i].fits &= offset % stride == 0 && offset >= reader->ways[i].next &&
					end <= reader->header.tsize;
		reader->ways[i].next = end;
		fits |= reader->ways[i].fits;
	}
	if (!fits)
		return input_fail(reader->input, &reader->fault, EINVAL, at,
				  "the chunk (%" PRIu64 " counts at offset 0x%" PRIx64
				  ") overlaps its neighbours or exceeds the text of %" PRIu64
				  " bytes",
				  number, offset, reader->header.tsize);
	return 0;
}

static int sum_up(struct reader *reader, uint64_t offset, uint64_t first, const uint8_t *counts,
		  size_t n)
{
	(void)offset;
	(void)first;
	for (size_t i = 0; i < n; i++) {
		uint32_t count = word_at(counts + i * COUNT_BYTES);

		reader->n_offsets += count != 0;
		reader->n_samples += count;
	}
	return 0;
}

static void check_footer(struct reader *reader, const uint8_t *footer, uint64_t at)
{
	if (word_at(footer) == (uint32_t)reader->n_offsets &&
	    word_at(footer + COUNT_BYTES) == (uint32_t)reader->n_samples)
		return;
	input_fail(reader->input, &reader->fault, EINVAL, at,
		   "the sums at the end are %" PRIu32 " samples at %" PRIu32
		   " addresses, but the profile has %" PRIu64 " at %" PRIu64,
		   word_at(footer + COUNT_BYTES), word_at(footer), reader->n_samples,
		   reader->n_offsets);
}

/*
 * Reads the chunks up to @end, or to the footer, and calls @take for their counts; with @check, as
 * far as they make sense, which moves the end.
 */
static int read_chunks(struct reader *reader, piece_fn *take, bool check)
{
	uint64_t size = input_size(reader->input), at, offset, number;
	const uint8_t *head;

	if (input_seek(reader->input, reader->begin, reader->error))
		return -1;
	while ((at = input_offset(reader->input)) + HEAD_BYTES <= size && at < reader->end) {
		head = input_take(reader->input, HEAD_BYTES, reader->error);
		if (!head)
			return -1;
		if (at + FOOTER_BYTES == size) {
			if (check)
				check_footer(reader, head, at);
			reader->end = at;
			return 0;
		}
		offset = word_at(head);
		number = word_at(head + COUNT_BYTES);
		if (check && check_chunk(reader, at, offset, number)) {
			reader->end = at;
			return 0;
		}
		if (read_counts(reader, offset, number, take))
			return -1;
	}
	if (check && at < reader->end) {
		reader->end = at;
		input_fail(reader->input, &reader->fault, EINVAL, at,
			   "the profile ends without its sums");
	}
	return 0;
}

static void list_strides(struct reader *reader)
{
	uint64_t stride = reader->header.stride;

	reader->ways[0].stride = stride ? stride : DCPI_STRIDE_ALPHA;
	reader->ways[1].stride = stride ? stride : DCPI_STRIDE_BYTES;
	reader->ways[0].fits = reader->ways[1].fits = true;
}

/* Alpha's unless the file says otherwise or the chunks have no room for it. */
static void choose_stride(struct reader *reader)
{
	bool first = reader->ways[0].fits || !reader->ways[1].fits;

	reader->stride = reader->ways[!first].stride;
	if (!first)
		reader->sink->note(reader->sink, "counts are of single bytes, because those of "
						 "whole instructions would overlap");
}

static int take_counts(struct reader *reader, uint64_t offset, uint64_t first,
		       const uint8_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t count = word_at(counts + i * COUNT_BYTES);
		struct prof_frame frame = {reader->image,
					   reader->first + offset + (first + i) * reader->stride};
		struct prof_value value = {.event = reader->event, .count = count};
		const struct prof_sample sample = {
			.frames = &frame,
			.depth = 1,
			.values = &value,
			.n_values = 1,
			.app = reader->image,
			.pid = PROF_ANY,
			.tid = PROF_ANY,
			.cpu = PROF_ANY,
		};

		if (__builtin_mul_overflow(value.count, reader->header.period, &value.events))
			value.events = UINT64_MAX;
		if (count && reader->sink->sample(reader->sink, &sample, reader->error))
			return -1;
	}
	return 0;
}

static void make_image(struct reader *reader)
{
	const struct dcpi_header *header = &reader->header;
	char *name = dcpi_header_image(header);
	struct prof_image image = {
		.kind = header->path ? PROF_FILE : PROF_UNKNOWN,
		.path = name,
		.pid = PROF_ANY,
		.start = header->tstart,
		.end = header->tstart + header->tsize,
		.offset = header->path ? header->offset : 0,
	};

	if (image.end < image.start)
		image.start = image.end = 0;
	reader->first = image.offset;
	reader->image = reader->sink->image(reader->sink, &image);
	free(name);
}

static void tell_header(struct reader *reader, const char *name)
{
	const struct dcpi_header *header = &reader->header;
	const struct prof_event event = {
		.name = header->event,
		.period = header->period,
		.type = PROF_NO_TYPE,
	};
	const struct prof_host host = {
		.tool = "DCPI",
		.cpu_description = header->platform,
		.cpus_online = header->cpucount,
		.cpu_mhz = (double)header->cpuspeed,
		.start_time = header->epoch * 1000000000,
	};

	reader->sink->host(reader->sink, &host);
	reader->event = reader->sink->event(reader->sink, &event);
	make_image(reader);
	reader->sink->fact(reader->sink, DCPI_FACT_FILE, name);
	for (size_t i = 0; i < header->lines.count; i++)
		reader->sink->fact(reader->sink, DCPI_FACT_LINE, header->lines.item[i]);
}

static int read_profile(struct reader *reader, const char *name)
{
	if (input_seekable(reader->input, reader->error) || read_header(reader))
		return -1;
	reader->end = UINT64_MAX;
	list_strides(reader);
	if (read_chunks(reader, sum_up, true))
		return -1;
	choose_stride(reader);
	tell_header(reader, name);
	if (read_chunks(reader, take_counts, false))
		return -1;
	if (!reader->fault.code)
		return 0;
	*reader->error = reader->fault;
	return -1;
}

static int read_input(struct input *input, const char *name, struct prof_sink *sink,
		      struct op_error *error)
{
	struct reader reader = {.input = input, .sink = sink, .error = error};
	int result = read_profile(&reader, name);

	dcpi_header_free(&reader.header);
	return result;
}

/* ---- directories ---- */

static int dcpi_read_probe(const uint8_t *bytes, size_t n)
{
	return dcpi_header_recognise((const char *)bytes, n) ? 90 : 0;
}

struct walk {
	size_t root_length; /* of the directory's path, with the slash */
	struct prof_sink *sink;
	struct op_error *error;
	size_t n;
};

/* Return: 1 if the file is a profile, 0 if not, -1 with @error set. */
static int open_profile(const char *path, struct input **input, struct op_error *error)
{
	const uint8_t *bytes;
	ptrdiff_t n;

	*input = input_open(path, error);
	if (!*input)
		return -1;
	n = input_peek(*input, FORMAT_PROBE_BYTES, &bytes, error);
	return n < 0 ? -1 : dcpi_read_probe(bytes, (size_t)n) > 0;
}

static int dcpi_read_file(const char *path, const struct stat *status, void *context)
{
	struct walk *walk = context;
	struct input *input = NULL;
	int is_profile;

	if (!S_ISREG(status->st_mode))
		return 0;
	is_profile = open_profile(path, &input, walk->error);
	if (is_profile > 0) {
		walk->n++;
		is_profile = read_input(input, path + walk->root_length, walk->sink, walk->error);
	}
	input_close(input);
	return is_profile < 0 ? 2 : 0;
}

static int find_profile(const char *path, const struct stat *status, void *context)
{
	struct input *input = NULL;
	struct op_error error;
	int is_profile;

	(void)context;
	if (!S_ISREG(status->st_mode))
		return 0;
	is_profile = open_profile(path, &input, &error);
	input_close(input);
	return is_profile > 0 ? 1 : 2; /* the first file tells */
}

static int probe_directory(const char *path)
{
	struct op_error error;

	return op_walk(path, find_profile, NULL, &error) == 1 ? 80 : 0;
}

static int read_dcpi(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct walk walk = {.sink = sink, .error = error};

	if (!input_is_directory(input))
		return read_input(input, "", sink, error);
	walk.root_length = strlen(input_path(input)) + 1;
	if (op_walk(input_path(input), dcpi_read_file, &walk, error))
		return -1;
	if (!walk.n)
		return op_error_set(error, ENOENT, "%s: no DCPI profile in this directory",
				    input_name(input));
	return 0;
}

const struct format format_dcpi = {
	.name = "dcpi",
	.description = "profiles of DCPI 0.06 and 0.07, one file per image and event",
	.probe = dcpi_read_probe,
	.probe_directory = probe_directory,
	.read = read_dcpi,
	.write = dcpi_write,
	.writes_directory = true,
	.has_no_names = true,
};
