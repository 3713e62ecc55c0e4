/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes as text: base64 (RFC 4648). */
#ifndef LIBOP_TEXT_BASE64_H
#define LIBOP_TEXT_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* Writes @bytes in base64, with padding and without line ends.  Parts whose lengths are multiples
 * of 3 may be written one after the other.  Errors are those of @out. */
void op_base64_write(const void *bytes, size_t n, FILE *out);

#endif
