/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes of packs: numbers in as few bytes as they need (LEB128), written into a buffer that grows
 * and read from a range that remembers a read past its end.  Who writes or reads looks for
 * trouble once, at the end.
 */
#ifndef LIBOP_BYTES_H
#define LIBOP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A number takes at most so many bytes. */
#define OP_NUMBER_BYTES_MOST 10

struct op_buffer {
	uint8_t *bytes; /* free() frees them */
	size_t used, size;
	bool failed; /* out of memory: nothing is put in any more */
};

/* Makes room for @n more bytes.  Return: whether there is. */
static inline bool op_buffer_room(struct op_buffer *buffer, size_t n)
{
	size_t size = buffer->size ? buffer->size : 256;
	uint8_t *larger;

	if (buffer->failed || buffer->size - buffer->used >= n)
		return !buffer->failed;
	while (size - buffer->used < n)
		size *= 2;
	larger = (uint8_t *)realloc(buffer->bytes, size);
	buffer->failed = !larger;
	if (larger) {
		buffer->bytes = larger;
		buffer->size = size;
	}
	return larger;
}

static inline void op_buffer_put(struct op_buffer *buffer, const void *bytes, size_t n)
{
	if (!n || !op_buffer_room(buffer, n))
		return;
	memcpy(buffer->bytes + buffer->used, bytes, n);
	buffer->used += n;
}

static inline void op_buffer_number(struct op_buffer *buffer, uint64_t number)
{
	if (!op_buffer_room(buffer, OP_NUMBER_BYTES_MOST))
		return;
	for (; number > 0x7f; number >>= 7)
		buffer->bytes[buffer->used++] = (uint8_t)(number | 0x80);
	buffer->bytes[buffer->used++] = (uint8_t)number;
}

struct op_range {
	const uint8_t *at, *end;
	bool bad; /* it was read past its end, or a number does not fit into 64 bits */
};

static inline size_t op_range_left(const struct op_range *range)
{
	return (size_t)(range->end - range->at);
}

/* Return: the next @n bytes, or NULL if there are less. */
static inline const uint8_t *op_range_take(struct op_range *range, uint64_t n)
{
	const uint8_t *bytes = range->at;

	if (n > op_range_left(range)) {
		range->bad = true;
		return NULL;
	}
	range->at += n;
	return bytes;
}

/* Return: the next number, or 0 if there is none. */
static inline uint64_t op_range_number(struct op_range *range)
{
	uint64_t number = 0;

	for (unsigned int shift = 0; range->at < range->end && shift < 64; shift += 7) {
		uint8_t byte = *range->at++;

		if (shift == 63 && byte > 1)
			break;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	range->bad = true;
	return 0;
}

#endif
