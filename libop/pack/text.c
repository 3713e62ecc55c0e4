// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packed text files: see packed.h.
 */
#include "text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "libop/base/file.h"
#include "libop/foreign/door.h"

/*
 * A kernel's 5.4 MB of symbols are packed to 1.01 MB in 14 ms by level 3, to 0.84 MB in 41 ms by
 * level 6, to 0.82 MB in 78 ms by level 9; unpacking takes 3 ms.
 */
#define LEVEL 6
/* The largest window of a frame, as a power of 2: that of zstd up to level 19. */
#define WINDOW_LOG_MOST 23
/* Bytes allocated first, and at least by each growth. */
#define TEXT_LEAST 65536

static const uint8_t frame_magic[] = {0x28, 0xb5, 0x2f, 0xfd}; /* RFC 8878, 3.1.1 */

/* A text that grows. */
struct text {
	char *bytes;
	size_t used, size;
};

/* Ensures space for at least one byte and a NUL.  Return: 0, or an errno value. */
static int pack_text_make_room(struct text *text, size_t limit)
{
	size_t size = text->size ? 2 * text->size : TEXT_LEAST;
	char *larger;

	if (text->size - text->used > 1)
		return 0;
	if (text->used > limit)
		return EFBIG;
	larger = realloc(text->bytes, size);
	if (!larger)
		return ENOMEM;
	text->bytes = larger;
	text->size = size;
	return 0;
}

/* Return: 0, or an errno value; EBADMSG with @cause set. */
static int pack_text_unpack(ZSTD_DCtx *context, struct text *text, const void *packed, size_t n,
			    size_t limit, const char **cause)
{
	ZSTD_inBuffer in = {packed, n, 0};
	size_t rest = 1; /* 0: at the end of a frame */
	bool stuck = false;

	while (in.pos < in.size || (rest && !stuck)) {
		ZSTD_outBuffer out;
		size_t at = in.pos;
		int code = pack_text_make_room(text, limit);

		if (code)
			return code;
		out = (ZSTD_outBuffer){text->bytes, text->size - 1, text->used};
		rest = ZSTD_decompressStream(context, &out, &in);
		if (ZSTD_isError(rest)) {
			*cause = ZSTD_getErrorName(rest);
			return EBADMSG;
		}
		stuck = out.pos == text->used && in.pos == at;
		text->used = out.pos;
	}
	*cause = "it is truncated";
	if (rest)
		return EBADMSG;
	return text->used > limit ? EFBIG : 0;
}

/* Return: the bytes and a NUL, or NULL with errno set; EBADMSG with @cause set. */
static char *unpack_frames(const void *packed, size_t n, size_t limit, size_t *length,
			   const char **cause)
{
	ZSTD_DCtx *context = ZSTD_createDCtx();
	struct text text = {0};
	int code = ENOMEM;

	if (context) {
		ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, WINDOW_LOG_MOST);
		code = pack_text_unpack(context, &text, packed, n, limit, cause);
	}
	ZSTD_freeDCtx(context);
	if (!code) {
		text.bytes[text.used] = '\0';
		*length = text.used;
		return text.bytes;
	}
	free(text.bytes);
	errno = code;
	return NULL;
}

char *op_packed_unpack(const void *packed, size_t n, size_t length, const char **cause)
{
	size_t got = 0;
	char *bytes = unpack_frames(packed, n, length, &got, cause);

	if (bytes && got == length)
		return bytes;
	free(bytes);
	if (bytes || errno == EFBIG) {
		errno = EBADMSG;
		*cause = "its unpacked length is wrong";
	}
	return NULL;
}

static char *read_frames(const char *path, const char *packed, size_t n, size_t limit,
			 size_t *length, struct op_error *error)
{
	const char *cause = NULL;
	char *text = unpack_frames(packed, n, limit, length, &cause);

	if (!text && errno == EBADMSG)
		op_error_set(error, EBADMSG, "cannot unpack %s: %s", path, cause);
	else if (!text)
		op_error_errno(error, "cannot unpack %s", path);
	return text;
}

char *op_packed_read(const char *path, size_t limit, size_t *length, struct op_error *error)
{
	size_t n, ignored;
	char *bytes = foreign_read(path, limit, &n, error), *text;

	if (!length)
		length = &ignored;
	if (!bytes || n < sizeof(frame_magic) || memcmp(bytes, frame_magic, sizeof(frame_magic))) {
		*length = bytes ? n : 0;
		return bytes;
	}
	text = read_frames(path, bytes, n, limit, length, error);
	free(bytes);
	return text;
}

/* Return: the bytes that were packed, in @packed, or 0. */
static size_t pack(const void *bytes, size_t length, void *packed, size_t most)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t n = 0;

	if (context) {
		ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
		n = ZSTD_compress2(context, packed, most, bytes, length);
	}
	ZSTD_freeCCtx(context);
	return ZSTD_isError(n) ? 0 : n;
}

void *op_packed_make(const void *bytes, size_t length, size_t *n)
{
	size_t most = ZSTD_compressBound(length);
	void *packed = malloc(most), *smaller;

	*n = packed ? pack(bytes, length, packed, most) : 0;
	if (!*n) { /* the buffer holds the worst case, so memory is the only cause */
		free(packed);
		return NULL;
	}
	smaller = realloc(packed, *n);
	return smaller ? smaller : packed;
}

int op_packed_replace(const char *path, const void *bytes, size_t length, mode_t mode,
		      struct op_error *error)
{
	size_t n;
	void *packed = op_packed_make(bytes, length, &n);
	int result;

	result = packed ? op_file_replace(path, packed, n, mode, error) : op_error_memory(error);
	free(packed);
	return result;
}
