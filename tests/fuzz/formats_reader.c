// SPDX-License-Identifier: GPL-2.0-or-later
#include "formats_reader.h"

#include <zlib.h>

#include "driver.h"

/* More than inputs of this size can be made of, and little memory. */
#define NODES_MOST (1u << 20)

static struct prof *read_all(const struct format *format, struct input *input)
{
	struct prof *prof = prof_new(format->by, NODES_MOST);
	struct op_error error = {0};

	if (format->read(input, &prof->sink, &error))
		fuzz_must(*error.text, "an error says what is wrong");
	input_close(input);
	prof_finish(prof);
	return prof;
}

/* Samples of all events; UINT64_MAX if there are more than numbers for them. */
static uint64_t sum_of(const struct prof *prof)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	uint64_t sum = 0;

	while (prof_next(prof, &cursor, &sample)) {
		fuzz_must(sample.depth <= PROF_DEPTH_MOST, "stacks end");
		fuzz_must(sample.app < prof->n_images, "the program is an image");
		for (size_t i = 0; i < sample.depth; i++)
			fuzz_must(sample.frames[i].image < prof->n_images, "frames are in images");
		for (size_t i = 0; i < sample.n_values; i++) {
			fuzz_must(sample.values[i].event < prof->n_events, "values are of events");
			if (__builtin_add_overflow(sum, sample.values[i].count, &sum))
				sum = UINT64_MAX;
		}
	}
	prof_cursor_free(&cursor);
	return sum;
}

/* What is in a gzip file in memory, which only files are unpacked from otherwise. */
static char *unpack(char *packed, size_t *n)
{
	size_t capacity = *n + 4096;
	char *bytes = malloc(capacity);
	z_stream z = {.next_in = (unsigned char *)packed, .avail_in = (uInt)*n};
	int result;

	fuzz_must(inflateInit2(&z, 15 + 16) == Z_OK, "zlib begins");
	do {
		if (z.total_out == capacity)
			bytes = realloc(bytes, capacity *= 2);
		z.next_out = (unsigned char *)bytes + z.total_out;
		z.avail_out = (uInt)(capacity - z.total_out);
		result = inflate(&z, Z_NO_FLUSH);
		fuzz_must(result == Z_OK || result == Z_STREAM_END, "what is packed is unpacked");
	} while (result != Z_STREAM_END);
	*n = z.total_out;
	inflateEnd(&z);
	free(packed);
	return bytes;
}

/* pprof's own columns say less about samples than the model where they have none of them. */
static int is_kept(const struct prof *prof, uint64_t sum)
{
	for (size_t i = 0; i < prof->n_facts; i++)
		if (!strcmp(prof->facts[i].key, "pprof.samples"))
			return 0;
	return sum <= INT64_MAX;
}

static void write_again(const struct format *format, struct prof *prof, uint64_t sum, int same)
{
	struct output output = {.path = "memory", .command = "fuzz"};
	struct op_error error = {0};
	char *bytes = NULL;
	struct prof *again;
	size_t n = 0;
	int failed;

	output.file = open_memstream(&bytes, &n);
	failed = format->write(prof, &output, &error);
	fclose(output.file);
	if (failed) {
		fuzz_must(*error.text, "an error says what is wrong");
		free(bytes);
		return;
	}
	if (n > 2 && !memcmp(bytes, "\x1f\x8b", 2))
		bytes = unpack(bytes, &n);
	again = read_all(format, input_of_bytes("written", bytes, n));
	if (same && is_kept(prof, sum))
		fuzz_must(sum_of(again) == sum, "no sample was lost");
	prof_free(again);
	free(bytes);
}

void fuzz_read(const struct format *reader, const struct format *const *writers,
	       const uint8_t *data, size_t size)
{
	struct prof *prof;
	uint64_t sum;

	reader->probe(data, size);
	prof = read_all(reader, input_of_bytes("fuzz", data, size));
	sum = sum_of(prof);
	for (; *writers; writers++)
		write_again(*writers, prof, sum, *writers == reader);
	prof_free(prof);
}
