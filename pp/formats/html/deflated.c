// SPDX-License-Identifier: GPL-2.0-or-later
/* Deflated bytes in base64: see deflated.h. */
#include "deflated.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "libop/base/memory.h"
#include "libop/text/base64.h"

/* Bytes that make a line of 76 characters, the most that RFC 2045 allows. */
#define LINE_BYTES 57

struct deflated {
	FILE *out;
	z_stream z;
	uint8_t line[LINE_BYTES]; /* that is not written yet */
	size_t used;
};

static void deflated_put_line(struct deflated *deflated)
{
	op_base64_write(deflated->line, deflated->used, deflated->out);
	if (deflated->used)
		fputc('\n', deflated->out);
	deflated->used = 0;
}

static void put_bytes(struct deflated *deflated, const uint8_t *bytes, size_t n)
{
	while (n) {
		size_t part = LINE_BYTES - deflated->used < n ? LINE_BYTES - deflated->used : n;

		memcpy(deflated->line + deflated->used, bytes, part);
		deflated->used += part;
		bytes += part;
		n -= part;
		if (deflated->used == LINE_BYTES)
			deflated_put_line(deflated);
	}
}

static void deflated_run(struct deflated *deflated, int flush)
{
	uint8_t bytes[16384];

	do {
		deflated->z.next_out = bytes;
		deflated->z.avail_out = sizeof(bytes);
		deflate(&deflated->z, flush);
		put_bytes(deflated, bytes, sizeof(bytes) - deflated->z.avail_out);
	} while (!deflated->z.avail_out);
}

struct deflated *deflated_new(FILE *out)
{
	struct deflated *deflated = op_alloc(1, sizeof(*deflated));

	deflated->out = out;
	if (deflateInit(&deflated->z, Z_DEFAULT_COMPRESSION) != Z_OK)
		op_out_of_memory();
	return deflated;
}

void deflated_put(struct deflated *deflated, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	while (n) {
		uInt part = n < UINT_MAX ? (uInt)n : UINT_MAX;

		deflated->z.next_in = (Bytef *)(uintptr_t)at;
		deflated->z.avail_in = part;
		deflated_run(deflated, Z_NO_FLUSH);
		at += part;
		n -= part;
	}
}

void deflated_end(struct deflated *deflated)
{
	deflated_run(deflated, Z_FINISH);
	deflated_put_line(deflated);
	deflateEnd(&deflated->z);
	free(deflated);
}
