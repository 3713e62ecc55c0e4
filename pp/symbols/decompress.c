// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unpacking.  libarchive could do it in less code, but it brings a dozen libraries along, and
 * loading them takes longer than a report.
 */
#include "pp/symbols/decompress.h"

#include <fcntl.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "libop/base/memory.h"

/* Bytes that are read and written at once. */
#define PIECE 65536
/* Memory that a damaged header may ask for. */
#define MEMORY_LIMIT	(256 << 20)
#define MEMORY_LIMIT_LG 28

/* What is being unpacked. */
struct unpacking {
	int in, out;		 /* descriptors */
	uint8_t *packed, *plain; /* PIECE bytes each */
	long long total;
	const char *trouble;
};

static int fail(struct unpacking *unpacking, const char *trouble)
{
	unpacking->trouble = trouble;
	return -1;
}

static int put(struct unpacking *unpacking, size_t n)
{
	unpacking->total += (long long)n;
	if (unpacking->total > PP_UNPACK_LIMIT)
		return fail(unpacking, "too large when unpacked");
	for (size_t done = 0; done < n;) {
		ssize_t k = write(unpacking->out, unpacking->plain + done, n - done);

		if (k <= 0)
			return fail(unpacking, "no memory to unpack it");
		done += (size_t)k;
	}
	return 0;
}

/* Return: bytes that were read, 0 at the end, -1. */
static ssize_t get(struct unpacking *unpacking)
{
	return read(unpacking->in, unpacking->packed, PIECE);
}

static int unpack_gzip(struct unpacking *unpacking)
{
	gzFile file = gzdopen(dup(unpacking->in), "rb");
	int n = -1, result = 0;

	if (!file)
		return -1;
	/* What is not packed, zlib would hand on as it is. */
	while (!result && (n = gzread(file, unpacking->plain, PIECE)) > 0)
		result = gzdirect(file) ? -1 : put(unpacking, (size_t)n);
	if (gzclose(file) != Z_OK || n < 0)
		result = -1;
	return result;
}

static int unpack_xz(struct unpacking *unpacking)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret state = lzma_stream_decoder(&stream, MEMORY_LIMIT, LZMA_CONCATENATED);
	lzma_action action = LZMA_RUN;
	int result = 0;

	while (!result && state == LZMA_OK) {
		if (!stream.avail_in && action == LZMA_RUN) {
			ssize_t n = get(unpacking);

			if (n <= 0)
				action = LZMA_FINISH;
			stream.next_in = unpacking->packed;
			stream.avail_in = n > 0 ? (size_t)n : 0;
		}
		stream.next_out = unpacking->plain;
		stream.avail_out = PIECE;
		state = lzma_code(&stream, action);
		result = put(unpacking, PIECE - stream.avail_out);
	}
	lzma_end(&stream);
	return state == LZMA_STREAM_END ? result : -1;
}

static int unpack_zstd(struct unpacking *unpacking)
{
	ZSTD_DCtx *context = ZSTD_createDCtx();
	size_t rest = 1; /* 0: at the end of a frame */
	int result = 0;
	ssize_t n;

	if (!context)
		pp_out_of_memory();
	ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, MEMORY_LIMIT_LG);
	while (!result && (n = get(unpacking)) > 0) {
		ZSTD_inBuffer in = {unpacking->packed, (size_t)n, 0};

		while (!result && in.pos < in.size) {
			ZSTD_outBuffer out = {unpacking->plain, PIECE, 0};

			rest = ZSTD_decompressStream(context, &out, &in);
			result = ZSTD_isError(rest) ? -1 : put(unpacking, out.pos);
		}
	}
	/* What is still inside when all has been read. */
	while (!result && rest) {
		ZSTD_inBuffer in = {unpacking->packed, 0, 0};
		ZSTD_outBuffer out = {unpacking->plain, PIECE, 0};

		rest = ZSTD_decompressStream(context, &out, &in);
		result = ZSTD_isError(rest) || !out.pos ? -1 : put(unpacking, out.pos);
	}
	ZSTD_freeDCtx(context);
	return result;
}

static const struct format {
	const char *end; /* of the name */
	int (*unpack)(struct unpacking *unpacking);
} formats[] = {
	{".xz", unpack_xz},
	{".zst", unpack_zstd},
	{".gz", unpack_gzip},
};

static const struct format *find_format(const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		size_t k = strlen(formats[i].end);

		if (n > k && !strcmp(path + n - k, formats[i].end))
			return &formats[i];
	}
	return NULL;
}

bool pp_is_packed(const char *path)
{
	return find_format(path);
}

int pp_unpack(const char *path, const char **trouble)
{
	const struct format *format = find_format(path);
	struct unpacking unpacking = {.trouble = "cannot be unpacked", .out = -1};
	int result = -1;

	unpacking.in = format ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (unpacking.in >= 0)
		unpacking.out = memfd_create("unpacked", MFD_CLOEXEC);
	if (unpacking.out >= 0) {
		unpacking.packed = pp_alloc(2, PIECE);
		unpacking.plain = unpacking.packed + PIECE;
		result = format->unpack(&unpacking);
	}
	if (unpacking.in >= 0)
		close(unpacking.in);
	free(unpacking.packed);
	if (!result && unpacking.total)
		return unpacking.out;
	if (unpacking.out >= 0)
		close(unpacking.out);
	*trouble = unpacking.trouble;
	return -1;
}
