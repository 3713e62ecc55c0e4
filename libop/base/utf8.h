/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Characters in UTF-8 (RFC 3629). */
#ifndef LIBOP_BASE_UTF8_H
#define LIBOP_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* U+FFFD, which replaces a byte that is not UTF-8. */
#define OP_UTF8_REPLACEMENT "\xef\xbf\xbd"

/**
 * op_utf8_character - decode the character at the start of a text
 * @text: the text
 * @n: its length in bytes
 * @code: set to the character; untouched on error
 *
 * Return: its length, 1 to 4 bytes; 0 if there is none: @n is 0, or the bytes are a stray
 * continuation, a truncated or overlong sequence, a surrogate, or beyond U+10FFFF.
 */
size_t op_utf8_character(const char *text, size_t n, uint32_t *code);

/* Whether all of @text is UTF-8. */
bool op_utf8_is_valid(const char *text);

#endif
