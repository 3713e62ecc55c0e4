/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text files of a session that are large enough to pack: a zstd frame, or plain text.
 *
 * The kernel's symbols are megabytes, in a short session more than all samples.  Readers accept
 * both forms, because older sessions have plain text.
 */
#ifndef LIBOP_PACK_TEXT_H
#define LIBOP_PACK_TEXT_H

#include <stddef.h>
#include <sys/stat.h>

#include "libop/base/error.h"

/**
 * op_packed_read - read a whole file, unpacked if it begins as a zstd frame does
 * @path: the file
 * @limit: of the file and of the unpacked text, in bytes; more is the error EFBIG
 * @length: set to the number of bytes; may be NULL
 *
 * Memory is allocated for unpacked bytes, not for the size in the frame.  A damaged or truncated
 * frame is the error EBADMSG.
 *
 * Return: the bytes and a NUL after them, which the caller frees, or NULL with @error set.
 */
char *op_packed_read(const char *path, size_t limit, size_t *length, struct op_error *error);

/**
 * op_packed_replace - as op_file_replace(), packed, with a checksum
 *
 * Return: 0, or -1 with @error set; then @path is what it was.
 */
int op_packed_replace(const char *path, const void *bytes, size_t length, mode_t mode,
		      struct op_error *error);

/**
 * op_packed_make - pack bytes, with a checksum
 * @n: set to the packed length
 *
 * Return: the frame, which the caller frees, or NULL when out of memory.
 */
void *op_packed_make(const void *bytes, size_t length, size_t *n);

/**
 * op_packed_unpack - unpack a frame of known length
 * @length: bytes of the unpacked text
 * @cause: set to the cause of an error
 *
 * Return: the bytes and a NUL after them, which the caller frees, or NULL with errno set: ENOMEM,
 * or EBADMSG for a frame that is damaged or has another length.
 */
char *op_packed_unpack(const void *packed, size_t n, size_t length, const char **cause);

#endif
