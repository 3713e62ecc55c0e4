// SPDX-License-Identifier: GPL-2.0-or-later
#include "put.h"

#include <string.h>

/* Lengths that perf writes its strings with. */
#define STRING_ALIGN 64

static size_t padded(size_t n, size_t align)
{
	return (n + align - 1) / align * align;
}

void perf_put_text(struct op_buffer *buffer, const char *text, size_t align)
{
	size_t length = strlen(text);

	op_buffer_put(buffer, text, length);
	op_buffer_zeros(buffer, padded(length + 1, align) - length);
}

void perf_put_string(struct op_buffer *buffer, const char *text)
{
	op_buffer_u32(buffer, (uint32_t)padded(strlen(text) + 1, STRING_ALIGN));
	perf_put_text(buffer, text, STRING_ALIGN);
}

size_t perf_begin_record(struct op_buffer *buffer, uint32_t type, uint16_t misc)
{
	size_t begin = buffer->used;

	op_buffer_u32(buffer, type);
	op_buffer_u16(buffer, misc);
	op_buffer_u16(buffer, 0);
	return begin;
}

void perf_end_record(struct op_buffer *buffer, size_t begin)
{
	op_buffer_set(buffer, begin + 6, buffer->used - begin, 2);
}
