/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text files of a session that are worth packing: a zstd frame, or the text as it is.
 *
 * The kernel's symbols are megabytes, in a short session more than all samples.  Who reads takes
 * both, so that sessions of before, and files made by hand, are as good.
 */
#ifndef LIBOP_PACKED_H
#define LIBOP_PACKED_H

#include <stddef.h>
#include <sys/stat.h>

#include "libop/base/error.h"

/**
 * op_packed_read - read a whole file, unpacked if it begins as a zstd frame does
 * @path: the file
 * @limit: the most bytes that it may have, and that may come out of it; more is the error EFBIG
 * @length: set to the number of bytes that came out; may be NULL
 *
 * Memory grows with what comes out, whatever the frame says of its size.  A frame that is damaged
 * or cut short is the error EBADMSG; nothing of it is returned.
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
 * op_packed_unpack - the reverse, for frames of which it is known what comes out
 * @length: bytes that must come out; memory grows with what does
 * @cause: set to what is wrong, if anything is
 *
 * Return: the bytes and a NUL after them, which the caller frees, or NULL with errno set: ENOMEM,
 * or EBADMSG for a frame that is damaged or has another length.
 */
char *op_packed_unpack(const void *packed, size_t n, size_t length, const char **cause);

#endif
