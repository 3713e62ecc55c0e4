/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for terminals and logs.  Names of files, symbols and processes are any bytes, and other
 * users choose them: control characters (C0, DEL, C1) and bytes that are not UTF-8 are written
 * as "\x1b", a byte each, so that a name can neither move the cursor nor forge a line.  A
 * backslash stays as it is: text that was escaped before is not changed again.
 */
#ifndef LIBOP_BASE_SAFE_TEXT_H
#define LIBOP_BASE_SAFE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#define OP_SAFE_ESCAPE 5 /* bytes of an escape and its NUL */

/* The number of bytes of @text, which has @n, up to the first one to be escaped. */
size_t op_safe_length(const char *text, size_t n);

/* Puts the escape of @byte into @escape. */
void op_safe_escape(char byte, char escape[static OP_SAFE_ESCAPE]);

/* Writes @n bytes of @text. */
void op_safe_write(const char *text, size_t n, FILE *out);

/*
 * Writes a formatted text, with names for pinned paths (pinned_path.h); what is too long for
 * memory is cut.
 */
void op_safe_vprintf(FILE *out, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

#endif
