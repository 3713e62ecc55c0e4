/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A buffer of bytes that grows.  Numbers are put in little-endian order.
 *
 * Errors are sticky: when out of memory nothing is put in any more.  Check ->failed once, before
 * the bytes are used.
 */
#ifndef LIBOP_BASE_BUFFER_H
#define LIBOP_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "leb128.h"

/* All zero: empty. */
struct op_buffer {
	uint8_t *bytes;
	size_t used, capacity;
	bool failed; /* out of memory */
};

/* Makes @n more bytes fit.  Return: whether they do. */
bool op_buffer_reserve(struct op_buffer *buffer, size_t n);

void op_buffer_put(struct op_buffer *buffer, const void *bytes, size_t n);
void op_buffer_zeros(struct op_buffer *buffer, size_t n);
void op_buffer_u8(struct op_buffer *buffer, uint8_t value);
void op_buffer_u16(struct op_buffer *buffer, uint16_t value);
void op_buffer_u32(struct op_buffer *buffer, uint32_t value);
void op_buffer_u64(struct op_buffer *buffer, uint64_t value);

/* Replaces a number of @n bytes, up to 8, at @at; does nothing if there are less. */
void op_buffer_set(struct op_buffer *buffer, size_t at, uint64_t value, size_t n);

/* Puts a number in LEB128. */
static inline void op_buffer_leb128(struct op_buffer *buffer, uint64_t number)
{
	if (op_buffer_reserve(buffer, OP_LEB128_MOST))
		buffer->used += op_leb128_write(buffer->bytes + buffer->used, number);
}

/* Frees the bytes: the buffer is empty then, and has not failed. */
void op_buffer_free(struct op_buffer *buffer);

#endif
