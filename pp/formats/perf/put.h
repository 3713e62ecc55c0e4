/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Putting together records and header features, in little-endian order.
 */
#ifndef PP_FORMATS_PERF_PUT_H
#define PP_FORMATS_PERF_PUT_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/buffer.h"

/* Text, a NUL, and zeros up to a multiple of @align bytes. */
void perf_put_text(struct op_buffer *buffer, const char *text, size_t align);

/* The same behind its length, as header features have it. */
void perf_put_string(struct op_buffer *buffer, const char *text);

/* Begins a record, whose size is 0 yet.  Return: where it begins. */
size_t perf_begin_record(struct op_buffer *buffer, uint32_t type, uint16_t misc);
/* Ends it: sets its size, which must be a multiple of 8 and below 65536. */
void perf_end_record(struct op_buffer *buffer, size_t begin);

#endif
