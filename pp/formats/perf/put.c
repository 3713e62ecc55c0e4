// SPDX-License-Identifier: GPL-2.0-or-later
/* See perf_buffer.h. */
#include "pp/formats/perf/put.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

/* Lengths that perf writes its strings with. */
#define STRING_ALIGN 64

void perf_buffer_free(struct perf_buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct perf_buffer){0};
}

static uint8_t *room(struct perf_buffer *buffer, size_t n)
{
	buffer->bytes = pp_grow(buffer->bytes, &buffer->capacity, buffer->n + n, 1);
	buffer->n += n;
	return buffer->bytes + buffer->n - n;
}

void perf_put_bytes(struct perf_buffer *buffer, const void *bytes, size_t n)
{
	memcpy(room(buffer, n), bytes, n);
}

void perf_put_zeros(struct perf_buffer *buffer, size_t n)
{
	memset(room(buffer, n), 0, n);
}

static void put(struct perf_buffer *buffer, uint64_t value, size_t n)
{
	uint8_t *at = room(buffer, n);

	for (size_t i = 0; i < n; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

void perf_put_u64(struct perf_buffer *buffer, uint64_t value)
{
	put(buffer, value, 8);
}

void perf_put_u32(struct perf_buffer *buffer, uint32_t value)
{
	put(buffer, value, 4);
}

void perf_put_u16(struct perf_buffer *buffer, uint16_t value)
{
	put(buffer, value, 2);
}

void perf_put_u8(struct perf_buffer *buffer, uint8_t value)
{
	put(buffer, value, 1);
}

static size_t padded(size_t n, size_t align)
{
	return (n + align - 1) / align * align;
}

void perf_put_text(struct perf_buffer *buffer, const char *text, size_t align)
{
	size_t length = strlen(text);

	perf_put_bytes(buffer, text, length);
	perf_put_zeros(buffer, padded(length + 1, align) - length);
}

void perf_put_string(struct perf_buffer *buffer, const char *text)
{
	perf_put_u32(buffer, (uint32_t)padded(strlen(text) + 1, STRING_ALIGN));
	perf_put_text(buffer, text, STRING_ALIGN);
}

size_t perf_begin_record(struct perf_buffer *buffer, uint32_t type, uint16_t misc)
{
	size_t begin = buffer->n;

	perf_put_u32(buffer, type);
	perf_put_u16(buffer, misc);
	perf_put_u16(buffer, 0);
	return begin;
}

void perf_end_record(struct perf_buffer *buffer, size_t begin)
{
	size_t size = buffer->n - begin;

	buffer->bytes[begin + 6] = (uint8_t)size;
	buffer->bytes[begin + 7] = (uint8_t)(size >> 8);
}
