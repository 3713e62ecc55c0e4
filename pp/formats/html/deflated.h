/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes to a file, deflated (RFC 1950) and in base64 (RFC 4648), in lines. */
#ifndef PP_FORMATS_HTML_DEFLATED_H
#define PP_FORMATS_HTML_DEFLATED_H

#include <stddef.h>
#include <stdio.h>

struct deflated;

/* Errors are those of @out. */
struct deflated *deflated_new(FILE *out);
void deflated_put(struct deflated *deflated, const void *bytes, size_t n);
/* Writes what is left, and frees it. */
void deflated_end(struct deflated *deflated);

#endif
