// SPDX-License-Identifier: GPL-2.0-or-later
/* See stream.h. */
#include "stream.h"

#include <errno.h>
#include <inttypes.h>

void perf_stream_free(struct perf_stream *stream)
{
	perf_compressed_free(stream->compressed);
	stream->compressed = NULL;
}

static struct perf_raw decode_header(const uint8_t *at, bool swap)
{
	return (struct perf_raw){
		.type = op_load_u32(at, swap),
		.misc = op_load_u16(at + 4, swap),
		.size = op_load_u16(at + 6, swap),
		.body = at + PERF_HEADER_SIZE,
	};
}

static int perf_stream_fail(const struct perf_stream *stream, struct op_error *error,
			    uint64_t offset, const char *what)
{
	return input_fail(stream->input, error, EINVAL, offset, "%s", what);
}

/* The next record inside of a compressed one.  Return: 1, 0: there is none, or -1. */
static int next_unpacked(struct perf_stream *stream, struct perf_raw *raw, struct op_error *error)
{
	struct perf_compressed *compressed = stream->compressed;
	const uint8_t *at;
	ptrdiff_t got = perf_compressed_peek(compressed, PERF_HEADER_SIZE, &at);

	if (got == PERF_HEADER_SIZE) {
		*raw = decode_header(at, stream->swap);
		raw->offset = stream->piece_offset;
		raw->origin = stream->input;
		if (raw->size < PERF_HEADER_SIZE)
			return input_fail(stream->input, error, EINVAL, stream->piece_offset,
					  "a compressed record of type %" PRIu32 " has %u bytes",
					  raw->type, raw->size);
		if (raw->type == PERF_TYPE_COMPRESSED || raw->type == PERF_TYPE_COMPRESSED2 ||
		    perf_payload_size(raw, stream->swap))
			return input_fail(stream->input, error, EINVAL, stream->piece_offset,
					  "a record of type %" PRIu32 " can't be compressed",
					  raw->type);
		got = perf_compressed_peek(compressed, raw->size, &at);
		if (got == raw->size) {
			raw->body = at + PERF_HEADER_SIZE;
			perf_compressed_take(compressed, raw->size);
			return 1;
		}
	}
	if (got < 0)
		return input_fail(stream->input, error, EINVAL, stream->piece_offset,
				  "the compressed data are damaged: %s",
				  perf_compressed_fault(compressed));
	return 0;
}

/* The end of all: nothing may be left of a record. */
static int perf_stream_end(struct perf_stream *stream, struct op_error *error)
{
	const uint8_t *at;

	if (!stream->compressed || perf_compressed_peek(stream->compressed, 1, &at) < 1)
		return 0;
	if (stream->was_killed) {
		stream->cut_off = stream->piece_offset;
		return 0;
	}
	return perf_stream_fail(stream, error, stream->piece_offset,
				"the compressed data end within a record");
}

/* The records stop at @offset, but should not. */
static int stop(struct perf_stream *stream, struct op_error *error, uint64_t offset,
		const char *what)
{
	if (!stream->was_killed)
		return perf_stream_fail(stream, error, offset, what);
	stream->cut_off = offset;
	return 0;
}

/* Begins to unpack a compressed record.  Return: 0, or -1 with @error set. */
static int perf_stream_unpack(struct perf_stream *stream, const struct perf_raw *raw,
			      struct op_error *error)
{
	struct op_reader body = perf_raw_body(raw, stream->swap);
	uint64_t size = op_reader_left(&body);

	if (raw->type == PERF_TYPE_COMPRESSED2)
		size = op_reader_u64(&body);
	if (size > op_reader_left(&body))
		return perf_stream_fail(stream, error, raw->offset,
					"a compressed record is shorter than its data");
	if (!stream->compressed)
		stream->compressed = perf_compressed_new(stream->window);
	perf_compressed_add(stream->compressed, body.at, size);
	stream->is_unpacking = true;
	stream->piece_offset = raw->offset;
	return 0;
}

/* The next record of the file itself. */
static int next_plain(struct perf_stream *stream, struct perf_raw *raw, struct op_error *error)
{
	struct input *input = stream->input;
	uint64_t offset, left;
	const uint8_t *at;
	ptrdiff_t got;

	if (input_skip(input, stream->taken, error) < 0)
		return -1;
	stream->taken = 0;
	offset = input_offset(input);
	left = stream->end - offset;
	if (stream->payload > left)
		return stop(stream, error, offset, "the data after a record exceed the file");
	if (stream->payload) {
		if (input_skip(input, stream->payload, error) < 0)
			return -1;
		stream->payload = 0;
		offset = input_offset(input);
		left = stream->end - offset;
	}
	if (!left)
		return perf_stream_end(stream, error);
	got = input_peek(input, PERF_HEADER_SIZE, &at, error);
	if (got < 0)
		return -1;
	if (!got && (stream->end == UINT64_MAX || stream->was_killed))
		return perf_stream_end(stream, error);
	if (got < PERF_HEADER_SIZE || left < PERF_HEADER_SIZE)
		return stop(stream, error, offset, "the file ends within its data");
	*raw = decode_header(at, stream->swap);
	raw->offset = offset;
	raw->origin = input;
	if (raw->size < PERF_HEADER_SIZE || (stream->was_killed && !perf_raw_plausible(raw))) {
		if (stream->was_killed)
			return stop(stream, error, offset, "");
		return input_fail(input, error, EINVAL, offset,
				  "a record of type %" PRIu32 " (%s) has %u bytes", raw->type,
				  perf_type_name(raw->type) ?: "unknown", raw->size);
	}
	if (raw->size > left)
		return stop(stream, error, offset, "a record exceeds the data");
	got = input_peek(input, raw->size, &at, error);
	if (got < 0)
		return -1;
	if (got < raw->size)
		return stop(stream, error, offset, "the file ends within a record");
	raw->body = at + PERF_HEADER_SIZE;
	stream->taken = raw->size;
	stream->payload = perf_payload_size(raw, stream->swap);
	return 1;
}

int perf_stream_next(struct perf_stream *stream, struct perf_raw *raw, struct op_error *error)
{
	int result;

	for (;;) {
		if (stream->is_unpacking) {
			result = next_unpacked(stream, raw, error);
			if (result)
				return result;
			stream->is_unpacking = false;
		}
		result = next_plain(stream, raw, error);
		if (result <= 0)
			return result;
		if (raw->type != PERF_TYPE_COMPRESSED && raw->type != PERF_TYPE_COMPRESSED2)
			return 1;
		if (perf_stream_unpack(stream, raw, error) < 0)
			return -1;
	}
}
