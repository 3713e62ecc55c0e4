/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for terminals and logs.  Names of files, symbols and processes are any bytes, and other
 * users choose them: control characters (C0, DEL, C1, and those of Unicode that change the
 * direction of text or break lines) and bytes that are not UTF-8 are written as "\x1b", a byte
 * each, so that a name can neither move the cursor, nor forge a line, nor turn one round.  A
 * backslash stays as it is: text that was escaped before is not changed again, and the name
 * "a\x1b" of five characters cannot be told from an escaped one.  What needs names as they are,
 * byte for byte, reads the sample files, or JSON for names of UTF-8 (libop/text/json.h).
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
void op_safe_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same and the end of the line; a newline in the text is escaped. */
void op_safe_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The length of @text once it is escaped, in bytes. */
size_t op_safe_width(const char *text);

#endif
