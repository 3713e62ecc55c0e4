/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making records and header features: bytes in little-endian order.
 */
#ifndef PP_FORMATS_PERF_BUFFER_H
#define PP_FORMATS_PERF_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct perf_buffer {
	uint8_t *bytes;
	size_t n, capacity;
};

void perf_buffer_free(struct perf_buffer *buffer);
void perf_put_bytes(struct perf_buffer *buffer, const void *bytes, size_t n);
void perf_put_zeros(struct perf_buffer *buffer, size_t n);
void perf_put_u64(struct perf_buffer *buffer, uint64_t value);
void perf_put_u32(struct perf_buffer *buffer, uint32_t value);
void perf_put_u16(struct perf_buffer *buffer, uint16_t value);
void perf_put_u8(struct perf_buffer *buffer, uint8_t value);

/* Text, a NUL, and zeros up to a multiple of @align bytes. */
void perf_put_text(struct perf_buffer *buffer, const char *text, size_t align);

/* The same behind its length, as header features have it. */
void perf_put_string(struct perf_buffer *buffer, const char *text);

/* Begins a record, whose size is 0 yet.  Return: where it begins. */
size_t perf_begin_record(struct perf_buffer *buffer, uint32_t type, uint16_t misc);
/* Ends it: sets its size, which must be a multiple of 8 and below 65536. */
void perf_end_record(struct perf_buffer *buffer, size_t begin);

#endif
