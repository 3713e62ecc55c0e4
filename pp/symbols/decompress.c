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
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"

/* Bytes per read and write. */
#define CHUNK 65536
/* Limit on the memory that a damaged header can request. */
#define MEMORY_LIMIT	(256 << 20)
#define MEMORY_LIMIT_LG 28

/* What failed, as a literal. */
static const char *const reasons[] = {"cannot be unpacked", "too large when unpacked",
				      "no memory to unpack it"};

enum reason { DAMAGED, TOO_LARGE, NO_MEMORY };

/* A file that is being decompressed. */
struct decompression {
	int in;			 /* a descriptor */
	uint8_t *input, *output; /* CHUNK bytes each */
	struct op_buffer *out;
	uint64_t total;
	enum reason reason; /* of a failure */
};

static int decompression_fail(struct decompression *run, enum reason reason)
{
	run->reason = reason;
	return -1;
}

static int decompression_put(struct decompression *run, size_t n)
{
	run->total += n;
	if (run->total > PP_DECOMPRESS_MAX)
		return decompression_fail(run, TOO_LARGE);
	op_buffer_put(run->out, run->output, n);
	return run->out->failed ? decompression_fail(run, NO_MEMORY) : 0;
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
		result = gzdirect(file) ? -1 : decompression_put(run, (size_t)n);
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
		result = decompression_put(run, CHUNK - stream.avail_out);
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
		op_out_of_memory();
	ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, MEMORY_LIMIT_LG);
	while (!result && (n = get(run)) > 0) {
		ZSTD_inBuffer in = {run->input, (size_t)n, 0};

		while (!result && in.pos < in.size) {
			ZSTD_outBuffer out = {run->output, CHUNK, 0};

			rest = ZSTD_decompressStream(context, &out, &in);
			result = ZSTD_isError(rest) ? -1 : decompression_put(run, out.pos);
		}
	}
	/* Flush the decoder after the last input. */
	while (!result && rest) {
		ZSTD_inBuffer in = {run->input, 0, 0};
		ZSTD_outBuffer out = {run->output, CHUNK, 0};

		rest = ZSTD_decompressStream(context, &out, &in);
		result = ZSTD_isError(rest) || !out.pos ? -1 : decompression_put(run, out.pos);
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

	for (size_t i = 0; i < OP_ARRAY_SIZE(formats); i++) {
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

/* The question is the index of the format; the answer is a byte, and what is unpacked: the byte is
 * 0, or the reason + 1. */
static void decompress_work(int fd, struct op_reader *question, struct op_buffer *answer)
{
	uint32_t format = op_reader_u32(question);
	struct decompression run = {.in = fd, .out = answer, .input = op_alloc(2, CHUNK)};

	run.output = run.input + CHUNK;
	op_buffer_u8(answer, 0);
	if (formats[format].decompress(&run) || !run.total) {
		op_buffer_free(answer);
		op_buffer_u8(answer, (uint8_t)run.reason + 1);
	}
	free(run.input);
}

/* Whoever packed it owns it, so that nothing is read as root's that is not. */
static int make_file(int packed, const uint8_t *bytes, size_t length)
{
	int fd = foreign_memory("decompressed");
	struct stat status;
	ssize_t n = 0;

	for (size_t done = 0; fd >= 0 && done < length && n >= 0; done += (size_t)n)
		n = write(fd, bytes + done, length - done);
	if (fd >= 0 && (n < 0 || foreign_status(packed, &status) ||
			!foreign_mark(fd, foreign_owner(&status)))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int pp_decompress(const char *path, const char **reason)
{
	const struct format *format = find_format(path);
	const uint32_t index = (uint32_t)(format - formats);
	struct apart_question question = {.work = decompress_work,
					  .path = path,
					  .bytes = &index,
					  .length = sizeof(index),
					  .seconds = APART_SECONDS_OF_REPORT,
					  .answer_most = PP_DECOMPRESS_MAX + 1};
	struct op_error ignored;
	size_t length = 0;
	uint8_t *answer;
	int fd = -1;

	*reason = reasons[DAMAGED];
	question.fd = format ? foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW) : -1;
	if (question.fd < 0)
		return -1;
	answer = apart_or_here(&question, &length, &ignored);
	if (answer && length > 1 && !*answer) {
		fd = make_file(question.fd, answer + 1, length - 1);
		*reason = reasons[NO_MEMORY];
	} else if (answer && length && *answer && *answer <= OP_ARRAY_SIZE(reasons)) {
		*reason = reasons[*answer - 1];
	}
	free(answer);
	close(question.fd);
	return fd;
}
