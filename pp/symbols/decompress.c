// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decompresses files.  libarchive would need less code, but it pulls in a dozen libraries, and
 * loading them takes longer than a report.
 */
#include "decompress.h"

#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "libop/base/memory.h"
#include "libop/foreign/door.h"

/* Bytes per read and write. */
#define CHUNK 65536
/* Limit on the memory that a damaged header can request. */
#define MEMORY_LIMIT	(256 << 20)
#define MEMORY_LIMIT_LG 28

/* A file that is being decompressed. */
struct decompression {
	int in, out;		 /* descriptors */
	uint8_t *input, *output; /* CHUNK bytes each */
	long long total;
	const char *reason; /* of a failure; a literal */
};

static int fail(struct decompression *run, const char *reason)
{
	run->reason = reason;
	return -1;
}

static int put(struct decompression *run, size_t n)
{
	run->total += (long long)n;
	if (run->total > PP_DECOMPRESS_MAX)
		return fail(run, "too large when unpacked");
	for (size_t done = 0; done < n;) {
		ssize_t k = write(run->out, run->output + done, n - done);

		if (k <= 0)
			return fail(run, "no memory to unpack it");
		done += (size_t)k;
	}
	return 0;
}

/* Return: the number of bytes read, 0 at the end, -1 on error. */
static ssize_t get(struct decompression *run)
{
	return read(run->in, run->input, CHUNK);
}

static int decompress_gzip(struct decompression *run)
{
	gzFile file = gzdopen(dup(run->in), "rb");
	int n = -1, result = 0;

	if (!file)
		return -1;
	/* zlib passes uncompressed input through: an error here. */
	while (!result && (n = gzread(file, run->output, CHUNK)) > 0)
		result = gzdirect(file) ? -1 : put(run, (size_t)n);
	if (gzclose(file) != Z_OK || n < 0)
		result = -1;
	return result;
}

static int decompress_xz(struct decompression *run)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret state = lzma_stream_decoder(&stream, MEMORY_LIMIT, LZMA_CONCATENATED);
	lzma_action action = LZMA_RUN;
	int result = 0;

	while (!result && state == LZMA_OK) {
		if (!stream.avail_in && action == LZMA_RUN) {
			ssize_t n = get(run);

			if (n <= 0)
				action = LZMA_FINISH;
			stream.next_in = run->input;
			stream.avail_in = n > 0 ? (size_t)n : 0;
		}
		stream.next_out = run->output;
		stream.avail_out = CHUNK;
		state = lzma_code(&stream, action);
		result = put(run, CHUNK - stream.avail_out);
	}
	lzma_end(&stream);
	return state == LZMA_STREAM_END ? result : -1;
}

static int decompress_zstd(struct decompression *run)
{
	ZSTD_DCtx *context = ZSTD_createDCtx();
	size_t rest = 1; /* 0: at the end of a frame */
	int result = 0;
	ssize_t n;

	if (!context)
		pp_out_of_memory();
	ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, MEMORY_LIMIT_LG);
	while (!result && (n = get(run)) > 0) {
		ZSTD_inBuffer in = {run->input, (size_t)n, 0};

		while (!result && in.pos < in.size) {
			ZSTD_outBuffer out = {run->output, CHUNK, 0};

			rest = ZSTD_decompressStream(context, &out, &in);
			result = ZSTD_isError(rest) ? -1 : put(run, out.pos);
		}
	}
	/* Flush the decoder after the last input. */
	while (!result && rest) {
		ZSTD_inBuffer in = {run->input, 0, 0};
		ZSTD_outBuffer out = {run->output, CHUNK, 0};

		rest = ZSTD_decompressStream(context, &out, &in);
		result = ZSTD_isError(rest) || !out.pos ? -1 : put(run, out.pos);
	}
	ZSTD_freeDCtx(context);
	return result;
}

static const struct format {
	const char *suffix; /* of the file name */
	int (*decompress)(struct decompression *run);
} formats[] = {
	{".xz", decompress_xz},
	{".zst", decompress_zstd},
	{".gz", decompress_gzip},
};

static const struct format *find_format(const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		size_t k = strlen(formats[i].suffix);

		if (n > k && !strcmp(path + n - k, formats[i].suffix))
			return &formats[i];
	}
	return NULL;
}

bool pp_is_compressed(const char *path)
{
	return find_format(path);
}

int pp_decompress(const char *path, const char **reason)
{
	const struct format *format = find_format(path);
	struct decompression run = {.reason = "cannot be unpacked", .out = -1};
	int result = -1;

	run.in = format ? foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW) : -1;
	if (run.in >= 0)
		run.out = memfd_create("decompressed", MFD_CLOEXEC);
	if (run.out >= 0) {
		run.input = pp_alloc(2, CHUNK);
		run.output = run.input + CHUNK;
		result = format->decompress(&run);
	}
	if (run.in >= 0)
		close(run.in);
	free(run.input);
	if (!result && run.total)
		return run.out;
	if (run.out >= 0)
		close(run.out);
	*reason = run.reason;
	return -1;
}
