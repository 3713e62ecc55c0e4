// SPDX-License-Identifier: GPL-2.0-or-later
/* See file.h. */
#include "file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "byte_order.h"

#define HEADER_BYTES	   104
#define HEADER_BYTES_PIPE  16
#define HEADER_BYTES_FIRST 72 /* without features */

/* Features that are decoded are small; the others are not read. */
#define FEATURE_BYTES_MOST (16u << 20)

/* Ids are read in pieces of this many bytes. */
#define IDS_BYTES 65536u

bool perf_file_probe(const uint8_t *bytes, size_t n)
{
	return n >= PERF_MAGIC_SIZE &&
	       (!memcmp(bytes, "PERFILE2", 8) || !memcmp(bytes, "2ELIFREP", 8) ||
		!memcmp(bytes, "PERFFILE", 8));
}

/* The first version does not say its byte order, but its sizes make sense in one only. */
static bool is_entry_size(uint64_t size)
{
	return size >= PERF_ATTR_SIZE_FIRST + 16 && size <= 4096 && size % 8 == 0;
}

static int read_sections(struct perf_file *file, struct op_reader header)
{
	op_reader_u64(&header); /* magic, size */
	op_reader_u64(&header);
	file->entry_size = op_reader_u64(&header);
	file->attrs.offset = op_reader_u64(&header);
	file->attrs.size = op_reader_u64(&header);
	file->data.offset = op_reader_u64(&header);
	file->data.size = op_reader_u64(&header);
	op_reader_u64(&header); /* event types, which are of no use any more */
	op_reader_u64(&header);
	for (size_t i = 0; i < PERF_FEATURES / 64; i++)
		file->features[i] = op_reader_u64(&header);
	file->was_killed = !file->data.size;
	return is_entry_size(file->entry_size) ? 0 : -1;
}

static bool has_feature(const struct perf_file *file, unsigned int bit)
{
	return file->features[bit / 64] >> bit % 64 & 1;
}

/*
 * Big-endian machines of 32 bits write the bits as words of 32: then every other word of 32 is in
 * the wrong place.  Each recorder says its host's name, which shows it.
 */
static void mend_features(struct perf_file *file)
{
	struct perf_file mended = *file;

	if (!file->swap || has_feature(file, PERF_FEATURE_HOSTNAME))
		return;
	for (size_t i = 0; i < PERF_FEATURES / 64; i++)
		mended.features[i] = file->features[i] << 32 | file->features[i] >> 32;
	if (has_feature(&mended, PERF_FEATURE_HOSTNAME))
		*file = mended;
}

int perf_file_read(struct perf_file *file, struct input *input, struct op_error *error)
{
	const uint8_t *at;
	uint64_t size;
	ptrdiff_t got = input_peek(input, HEADER_BYTES_PIPE, &at, error);

	*file = (struct perf_file){0};
	if (got < 0)
		return -1;
	if (!perf_file_probe(at, (size_t)got))
		return input_fail(input, error, EINVAL, 0, "not a perf.data file");
	if (got < HEADER_BYTES_PIPE)
		return input_fail(input, error, ENODATA, (uint64_t)got,
				  "the file ends within its header");
	file->is_first_version = !memcmp(at, "PERFFILE", 8);
	file->swap = perf_is_swapped(at, file->is_first_version);
	size = op_load_u64(at + 8, file->swap);
	if (size == HEADER_BYTES_PIPE) {
		file->is_pipe = true;
		return input_skip(input, HEADER_BYTES_PIPE, error);
	}
	if (size != HEADER_BYTES && size != HEADER_BYTES_FIRST)
		return input_fail(input, error, EINVAL, 8,
				  "the header has an invalid size of %" PRIu64 " bytes", size);
	if (input_seekable(input, error) < 0)
		return -1;
	at = input_take(input, size, error);
	if (!at)
		return -1;
	if (read_sections(file, op_reader_of(at, size, file->swap)) < 0)
		return input_fail(input, error, EINVAL, 16,
				  "the entries for events have an invalid size of %" PRIu64
				  " bytes",
				  file->entry_size);
	mend_features(file);
	return 0;
}

/* The ids of one event. */
static int read_ids(const struct perf_file *file, struct input *input, struct perf_section ids,
		    uint64_t entry, struct perf_events *events, struct op_error *error)
{
	const char *fault;
	const uint8_t *at;
	size_t size;

	if (ids.size % 8)
		return input_fail(input, error, EINVAL, entry,
				  "an event's ids have %" PRIu64 " bytes", ids.size);
	if (ids.size && input_seek(input, ids.offset, error) < 0)
		return -1;
	for (uint64_t left = ids.size; left; left -= size) {
		size = left < IDS_BYTES ? left : IDS_BYTES;
		at = input_take(input, size, error);
		if (!at)
			return -1;
		fault = perf_events_add_ids(events, op_reader_of(at, size, file->swap));
		if (fault)
			return input_fail(input, error, EINVAL, entry, "%s", fault);
	}
	return 0;
}

int perf_file_attrs(const struct perf_file *file, struct input *input, struct perf_events *events,
		    struct op_error *error)
{
	uint64_t entry = file->attrs.offset, size = file->entry_size;
	struct perf_section ids;
	struct op_reader bytes;
	struct perf_attr attr;
	const char *fault;
	const uint8_t *at;

	for (uint64_t n = file->attrs.size / size; n; n--, entry += size) {
		if (input_seek(input, entry, error) < 0)
			return -1;
		at = input_take(input, size, error);
		if (!at)
			return -1;
		bytes = op_reader_of(at, size, file->swap);
		if (perf_attr_read(&attr, &bytes) < 0 || op_reader_left(&bytes) < 16)
			return input_fail(input, error, EINVAL, entry,
					  "an event of %" PRIu32 " bytes in an entry of %" PRIu64,
					  op_load_u32(at + 4, file->swap), size);
		/* The ids' place stands at the end of the entry. */
		bytes.at = bytes.end - 16;
		ids.offset = op_reader_u64(&bytes);
		ids.size = op_reader_u64(&bytes);
		fault = perf_events_add(events, &attr);
		if (fault)
			return input_fail(input, error, EINVAL, entry, "%s", fault);
		if (read_ids(file, input, ids, entry, events, error) < 0)
			return -1;
	}
	if (!events->n)
		return input_fail(input, error, EINVAL, file->attrs.offset,
				  "the recording has no event");
	return 0;
}

static int read_feature(const struct perf_file *file, struct input *input, unsigned int bit,
			struct perf_section section, struct perf_features *features,
			struct op_error *error)
{
	const uint8_t *at;

	if (!section.size || !perf_feature_is_known(bit))
		return 0;
	if (section.offset > input_size(input) ||
	    section.size > input_size(input) - section.offset) {
		perf_feature_damaged(features, bit, "it runs past the end of the file");
		return 0;
	}
	if (section.size > FEATURE_BYTES_MOST) {
		perf_feature_damaged(features, bit, "it is too large");
		return 0;
	}
	if (input_seek(input, section.offset, error) < 0)
		return -1;
	at = input_take(input, section.size, error);
	if (!at)
		return -1;
	perf_feature_read(features, bit, op_reader_of(at, section.size, file->swap));
	return 0;
}

int perf_file_features(const struct perf_file *file, struct input *input,
		       struct perf_features *features, struct op_error *error)
{
	uint64_t table = file->data.offset + file->data.size;
	struct perf_section section;
	const uint8_t *at;

	if (file->was_killed || file->is_first_version)
		return 0;
	for (unsigned int bit = 0; bit < PERF_FEATURES; bit++) {
		if (!has_feature(file, bit))
			continue;
		if (table < file->data.offset || table > input_size(input) ||
		    input_size(input) - table < 16) {
			prof_sink_note(features->sink, "the table of header features is truncated");
			return 0;
		}
		if (input_seek(input, table, error) < 0)
			return -1;
		at = input_take(input, 16, error);
		if (!at)
			return -1;
		section.offset = op_load_u64(at, file->swap);
		section.size = op_load_u64(at + 8, file->swap);
		if (read_feature(file, input, bit, section, features, error) < 0)
			return -1;
		table += 16;
	}
	return 0;
}
