// SPDX-License-Identifier: GPL-2.0-or-later
/* Text for terminals and logs: see safe_text.h. */
#include "safe_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pinned_path.h"
#include "utf8.h"

/* Messages are seldom longer than two paths. */
#define USUAL_LENGTH 9000

/*
 * Also what has no picture of its own and changes how a terminal or an editor shows other text:
 * marks of direction, overrides and isolates of it, breaks of lines, and a mark of byte order; but
 * not the joiners that some languages write words with.
 */
static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200b ||
	       code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
	       (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe007f);
}

size_t op_safe_length(const char *text, size_t n)
{
	size_t used = 0, length;
	uint32_t code;

	while ((length = op_utf8_character(text + used, n - used, &code)) && !is_control(code))
		used += length;
	return used;
}

void op_safe_escape(char byte, char escape[static OP_SAFE_ESCAPE])
{
	static const char digits[] = "0123456789abcdef";

	escape[0] = '\\';
	escape[1] = 'x';
	escape[2] = digits[(unsigned char)byte >> 4];
	escape[3] = digits[byte & 15];
	escape[4] = '\0';
}

void op_safe_write(const char *text, size_t n, FILE *out)
{
	char escape[OP_SAFE_ESCAPE];

	while (n) {
		size_t length = op_safe_length(text, n);

		fwrite_unlocked(text, 1, length, out);
		if (length == n)
			return;
		op_safe_escape(text[length], escape);
		fputs_unlocked(escape, out);
		text += length + 1;
		n -= length + 1;
	}
}

size_t op_safe_width(const char *text)
{
	size_t n = strlen(text), width = 0, length;

	while ((length = op_safe_length(text, n)) < n) {
		width += length + OP_SAFE_ESCAPE - 1;
		text += length + 1;
		n -= length + 1;
	}
	return width + n;
}

void op_safe_printf(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	op_safe_vprintf(out, format, args);
	va_end(args);
}

void op_safe_line(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	op_safe_vprintf(out, format, args);
	va_end(args);
	fputc('\n', out);
}

void op_safe_vprintf(FILE *out, const char *format, va_list args)
{
	char usual[USUAL_LENGTH], *text = usual, *names;
	const char *shown;
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(usual, sizeof(usual), format, args);
	if (n >= (int)sizeof(usual)) {
		text = malloc((size_t)n + 1);
		if (text)
			vsnprintf(text, (size_t)n + 1, format, again);
	}
	va_end(again);
	shown = text ? text : usual;
	names = op_pinned_names(shown);
	if (names)
		shown = names;
	op_safe_write(shown, strlen(shown), out);
	free(names);
	if (text != usual)
		free(text);
}
