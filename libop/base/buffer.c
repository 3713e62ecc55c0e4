// SPDX-License-Identifier: GPL-2.0-or-later
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define FIRST_CAPACITY 256

bool op_buffer_reserve(struct op_buffer *buffer, size_t n)
{
	size_t needed = buffer->used + n;

	if (needed < n)
		buffer->failed = true;
	if (!buffer->bytes && needed < FIRST_CAPACITY)
		needed = FIRST_CAPACITY;
	if (!buffer->failed && op_array_fit(buffer->bytes, buffer->capacity, needed))
		buffer->failed = true;
	return !buffer->failed;
}

/* Return: where @n more bytes go, or NULL. */
static uint8_t *extend(struct op_buffer *buffer, size_t n)
{
	if (!op_buffer_reserve(buffer, n))
		return NULL;
	buffer->used += n;
	return buffer->bytes + buffer->used - n;
}

void op_buffer_put(struct op_buffer *buffer, const void *bytes, size_t n)
{
	uint8_t *at = n ? extend(buffer, n) : NULL;

	if (at)
		memcpy(at, bytes, n);
}

void op_buffer_zeros(struct op_buffer *buffer, size_t n)
{
	uint8_t *at = n ? extend(buffer, n) : NULL;

	if (at)
		memset(at, 0, n);
}

static void store(uint8_t *at, uint64_t value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void buffer_put_number(struct op_buffer *buffer, uint64_t value, size_t n)
{
	uint8_t *at = extend(buffer, n);

	if (at)
		store(at, value, n);
}

void op_buffer_u8(struct op_buffer *buffer, uint8_t value)
{
	buffer_put_number(buffer, value, 1);
}

void op_buffer_u16(struct op_buffer *buffer, uint16_t value)
{
	buffer_put_number(buffer, value, 2);
}

void op_buffer_u32(struct op_buffer *buffer, uint32_t value)
{
	buffer_put_number(buffer, value, 4);
}

void op_buffer_u64(struct op_buffer *buffer, uint64_t value)
{
	buffer_put_number(buffer, value, 8);
}

void op_buffer_set(struct op_buffer *buffer, size_t at, uint64_t value, size_t n)
{
	if (buffer->used >= n && at <= buffer->used - n)
		store(buffer->bytes + at, value, n);
}

void op_buffer_free(struct op_buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct op_buffer){0};
}
