// SPDX-License-Identifier: GPL-2.0-or-later
/* See compressed.h. */
#include "compressed.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "libop/base/memory.h"

/* Room for a record and a half. */
#define BUFFER_SIZE (128u << 10)

/* Records of perf shrink to a tenth or so.  Small files that grow without end are traps. */
#define FREE_BYTES  (UINT64_C(64) << 20)
#define GROWTH_MOST 1000

struct perf_compressed {
	ZSTD_DStream *stream;
	ZSTD_inBuffer piece;
	uint8_t *buffer;
	size_t begin, end;
	uint64_t bytes_in, bytes_out;
	const char *fault;
};

struct perf_compressed *perf_compressed_new(unsigned int window)
{
	struct perf_compressed *compressed = op_alloc(1, sizeof(*compressed));

	compressed->stream = ZSTD_createDStream();
	if (!compressed->stream)
		op_out_of_memory();
	ZSTD_DCtx_setParameter(compressed->stream, ZSTD_d_windowLogMax, (int)window);
	compressed->buffer = op_alloc(1, BUFFER_SIZE);
	return compressed;
}

void perf_compressed_free(struct perf_compressed *compressed)
{
	if (!compressed)
		return;
	ZSTD_freeDStream(compressed->stream);
	free(compressed->buffer);
	free(compressed);
}

void perf_compressed_add(struct perf_compressed *compressed, const void *piece, size_t size)
{
	compressed->piece = (ZSTD_inBuffer){.src = piece, .size = size};
	compressed->bytes_in += size;
}

/* Unpacks some more.  Return: whether there was more. */
static bool perf_compressed_unpack(struct perf_compressed *compressed)
{
	size_t was_at = compressed->piece.pos, result;
	ZSTD_outBuffer out;
	bool more;

	memmove(compressed->buffer, compressed->buffer + compressed->begin,
		compressed->end - compressed->begin);
	compressed->end -= compressed->begin;
	compressed->begin = 0;
	out = (ZSTD_outBuffer){
		.dst = compressed->buffer, .size = BUFFER_SIZE, .pos = compressed->end};
	result = ZSTD_decompressStream(compressed->stream, &out, &compressed->piece);
	if (ZSTD_isError(result)) {
		compressed->fault = ZSTD_getErrorName(result);
		return false;
	}
	compressed->bytes_out += out.pos - compressed->end;
	if (compressed->bytes_out > FREE_BYTES &&
	    compressed->bytes_out / GROWTH_MOST > compressed->bytes_in) {
		compressed->fault = "they grow more than a thousandfold";
		return false;
	}
	more = out.pos > compressed->end || compressed->piece.pos > was_at;
	compressed->end = out.pos;
	return more;
}

ptrdiff_t perf_compressed_peek(struct perf_compressed *compressed, size_t n, const uint8_t **bytes)
{
	/* With its input used up, the stream may still hold bytes that had no room. */
	while (!compressed->fault && compressed->end - compressed->begin < n)
		if (!perf_compressed_unpack(compressed))
			break;
	if (compressed->fault)
		return -1;
	*bytes = compressed->buffer + compressed->begin;
	if (compressed->end - compressed->begin < n)
		n = compressed->end - compressed->begin;
	return (ptrdiff_t)n;
}

void perf_compressed_take(struct perf_compressed *compressed, size_t n)
{
	compressed->begin += n;
}

const char *perf_compressed_fault(const struct perf_compressed *compressed)
{
	return compressed->fault;
}
