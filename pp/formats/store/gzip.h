/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bodies of requests, packed by gzip (RFC 1952). */
#ifndef PP_FORMATS_STORE_GZIP_H
#define PP_FORMATS_STORE_GZIP_H

#include "libop/base/buffer.h"

/* Appends @n bytes to @packed.  Return: 0, or -1 when out of memory. */
int gzip_pack(const void *bytes, size_t n, struct op_buffer *packed);

#endif
