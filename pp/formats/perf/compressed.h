/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed records: each holds the next piece of one zstd stream, and a record in it may begin
 * in one piece and end in another.
 */
#ifndef PP_FORMATS_PERF_COMPRESSED_H
#define PP_FORMATS_PERF_COMPRESSED_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"

/* Logarithms of the history that a stream may need: perf's default, and zstd's most. */
#define PERF_WINDOW_LEAST 19
#define PERF_WINDOW_MOST  27

struct perf_compressed;

/* @window: logarithm of the most bytes of history that a stream may ask for. */
struct perf_compressed *perf_compressed_new(unsigned int window);
void perf_compressed_free(struct perf_compressed *compressed); /* NULL is fine */

/* The next piece, which must stay where it is until perf_compressed_peek() returns less than
 * was asked for. */
void perf_compressed_add(struct perf_compressed *compressed, const void *piece, size_t size);

/**
 * perf_compressed_peek - look at unpacked bytes
 * @n: at most 65535
 * @bytes: set to them; good until the next call
 *
 * Return: how many there are, fewer than @n only if the pieces are used up; -1: damaged, see
 * perf_compressed_fault().
 */
ptrdiff_t perf_compressed_peek(struct perf_compressed *compressed, size_t n, const uint8_t **bytes);
/* Passes over @n bytes, which were peeked at. */
void perf_compressed_take(struct perf_compressed *compressed, size_t n);

const char *perf_compressed_fault(const struct perf_compressed *compressed);

#endif
