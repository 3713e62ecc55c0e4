// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What unpacks an input: zlib for gzip, since libarchive does not compare its checksums, and
 * libarchive for all else, of which only those filters are enabled that need no other program.
 */
#include "input_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "archive_library.h"
#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/foreign/limits.h"

/* ---- what is around it ---- */

#define FILTER(name) offsetof(struct archive_library, read_support_filter_##name)

static const struct {
	const char *name, *magic;
	size_t length;
	bool is_of_archive; /* else zlib does it */
	size_t filter;	    /* of libarchive: in struct archive_library */
} packings[] = {
	{"gzip", "\x1f\x8b\x08", 3, false, 0},
	{"bzip2", "BZh", 3, true, FILTER(bzip2)},
	{"xz", "\xfd\x37zXZ\0", 6, true, FILTER(xz)},
	{"zstd", "\x28\xb5\x2f\xfd", 4, true, FILTER(zstd)},
};

#define N_PACKINGS    OP_ARRAY_SIZE(packings)
#define MAGIC_LONGEST 6

static int fail_to_unpack(const struct input *input, const char *cause, struct op_error *error)
{
	return input_fail(input, error, EINVAL, input->offset + (input->end - input->begin),
			  "the %s data are damaged (%s)", input->packing, cause);
}

/* ---- gzip ---- */

static ptrdiff_t read_gzip(struct input *input, uint8_t *to, size_t room, struct op_error *error)
{
	z_stream *z = &input->stream;
	ptrdiff_t got;
	int result;

	z->next_out = to;
	z->avail_out = (uInt)room;
	while (z->avail_out == room) {
		if (!z->avail_in) {
			got = input_read_raw(input, input->packed, PACKED_BYTES, error);
			if (got < 0)
				return -1;
			if (!got)
				return input->between
					       ? 0
					       : fail_to_unpack(input, "they end early", error);
			input->n_packed += (uint64_t)got;
			z->next_in = input->packed;
			z->avail_in = (uInt)got;
		}
		if (input->between) {
			/* what follows a member and is no other one is padding */
			if (*z->next_in != 0x1f)
				return 0;
			input->between = false;
			inflateReset(z);
		}
		result = inflate(z, Z_NO_FLUSH);
		if (result == Z_STREAM_END)
			input->between = true;
		else if (result != Z_OK && result != Z_BUF_ERROR)
			return fail_to_unpack(input, z->msg ? z->msg : "they end early", error);
	}
	return (ptrdiff_t)(room - z->avail_out);
}

static void begin_gzip(struct input *input)
{
	if (inflateInit2(&input->stream, 15 + 16) != Z_OK)
		op_out_of_memory();
	input->stream.next_in = input->packed;
	input->stream.avail_in = (uInt)input->n_first;
}

/* ---- bzip2, xz, zstd ---- */

/* Called by libarchive: first for what was read to recognise it, then for the rest. */
static la_ssize_t feed(struct archive *archive, void *context, const void **bytes)
{
	struct input *input = context;
	struct op_error error;
	ptrdiff_t got = (ptrdiff_t)input->n_first;

	*bytes = input->packed;
	input->n_first = 0;
	if (got)
		return got;
	got = input_read_raw(input, input->packed, PACKED_BYTES, &error);
	if (got < 0)
		input->library->set_error(archive, error.code, "%s", strerror(error.code));
	else
		input->n_packed += (uint64_t)got;
	return got;
}

static ptrdiff_t fail_of_archive(const struct input *input, struct op_error *error)
{
	const char *cause = input->library->error_string(input->archive);

	return fail_to_unpack(input, cause ? cause : "they end early", error);
}

static ptrdiff_t read_archive(struct input *input, uint8_t *to, size_t room, struct op_error *error)
{
	la_ssize_t got = input->library->read_data(input->archive, to, room);

	return got < 0 ? fail_of_archive(input, error) : got;
}

typedef int add_filter(struct archive *archive);

static int begin_archive(struct input *input, size_t filter, struct op_error *error)
{
	struct op_error cause;
	const struct archive_library *library = archive_library(&cause);
	struct archive_entry *entry;
	add_filter *add;
	int result;

	if (!library)
		return op_error_set(error, cause.code, "%s: %s, which %s data need", input->name,
				    cause.text, input->packing);
	memcpy(&add, (const char *)library + filter, sizeof(add));
	input->library = library;
	input->archive = library->read_new();
	if (!input->archive || add(input->archive) != ARCHIVE_OK ||
	    library->read_support_format_raw(input->archive) != ARCHIVE_OK ||
	    library->read_support_format_empty(input->archive) != ARCHIVE_OK)
		op_out_of_memory();
	if (library->read_open(input->archive, input, NULL, feed, NULL) != ARCHIVE_OK)
		return (int)fail_of_archive(input, error);
	result = library->read_next_header(input->archive, &entry);
	input->ended = result == ARCHIVE_EOF;
	return result == ARCHIVE_OK || input->ended ? 0 : (int)fail_of_archive(input, error);
}

/* ---- any ---- */

int input_detect_packing(struct input *input, struct op_error *error)
{
	size_t n, i = 0;

	if (input_fill(input, MAGIC_LONGEST, error))
		return -1;
	n = input->end - input->begin;
	while (i < N_PACKINGS && (n < packings[i].length ||
				  memcmp(input->buffer, packings[i].magic, packings[i].length)))
		i++;
	if (i == N_PACKINGS)
		return 0;
	input->packing = packings[i].name;
	input->is_file = false;
	input->ended = false;
	/* what was read becomes what is to be unpacked first */
	input->packed = op_alloc(1, n > PACKED_BYTES ? n : PACKED_BYTES);
	memcpy(input->packed, input->buffer, n);
	input->n_first = n;
	input->n_packed = n;
	input->end = 0;
	if (packings[i].is_of_archive)
		return begin_archive(input, packings[i].filter, error);
	begin_gzip(input);
	return 0;
}

ptrdiff_t input_unpack(struct input *input, uint8_t *to, size_t room, struct op_error *error)
{
	unsigned int most = input->gathers ? INPUT_GATHERED_RATIO : FOREIGN_UNPACKED_RATIO;
	ptrdiff_t got = input->archive ? read_archive(input, to, room, error)
				       : read_gzip(input, to, room, error);

	if (got < 0)
		return -1;
	input->n_unpacked += (uint64_t)got;
	if (input->n_unpacked > FOREIGN_RATIO_FREE &&
	    input->n_unpacked / most > input->n_packed)
		return input_fail(input, error, EFBIG, input->offset,
				  "the %s data unpack to more than %u times their size; if that is "
				  "right, unpack them first",
				  input->packing, most);
	return got;
}

void input_end_unpacking(struct input *input)
{
	if (input->archive)
		input->library->read_free(input->archive);
	else if (input->packing)
		inflateEnd(&input->stream);
	input->archive = NULL;
	input->packing = NULL;
	free(input->packed);
	input->packed = NULL;
}
