// SPDX-License-Identifier: GPL-2.0-or-later
/* Escaping. */
#include "pp/report/markup.h"

#include <string.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Bytes of the UTF-8 character at @text; 0 if there is none that XML and JSON may have. */
static size_t character(const unsigned char *text)
{
	uint32_t code;
	size_t n;

	if (*text < 0x80)
		return *text >= 0x20 || *text == '\t' || *text == '\n' || *text == '\r';
	if (*text < 0xc2 || *text > 0xf4)
		return 0;
	n = *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;
	code = *text & (0xff >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if ((n == 3 && code < 0x800) || (n == 4 && (code < 0x10000 || code > 0x10ffff)) ||
	    (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff)
		return 0;
	return n;
}

static const char *xml_escape(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\t':
		return "&#9;";
	case '\n':
		return "&#10;";
	case '\r':
		return "&#13;";
	}
	return NULL;
}

static const char *json_escape(char c)
{
	switch (c) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\t':
		return "\\t";
	case '\n':
		return "\\n";
	case '\r':
		return "\\r";
	}
	return NULL;
}

static void add(struct pp_line *line, const char *text, const char *(*escape)(char))
{
	while (*text) {
		size_t n = character((const unsigned char *)text);
		const char *escaped = escape(*text);

		if (escaped)
			pp_line_puts(line, escaped);
		else if (n)
			pp_line_add(line, text, n);
		else
			pp_line_puts(line, replacement);
		text += n ? n : 1;
	}
}

void pp_markup_xml(struct pp_line *line, const char *text)
{
	add(line, text, xml_escape);
}

void pp_markup_json(struct pp_line *line, const char *text)
{
	pp_line_add(line, "\"", 1);
	add(line, text, json_escape);
	pp_line_add(line, "\"", 1);
}

void pp_markup_csv(struct pp_line *line, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		pp_line_puts(line, text);
		return;
	}
	pp_line_add(line, "\"", 1);
	for (; *text; text++) {
		if (*text == '"')
			pp_line_add(line, "\"", 1);
		pp_line_add(line, text, 1);
	}
	pp_line_add(line, "\"", 1);
}
