// SPDX-License-Identifier: GPL-2.0-or-later
/* An XML writer: see xml.h. */
#include "xml.h"

#include <string.h>

#include "libop/base/number.h"
#include "libop/base/utf8.h"

/*
 * The replacement of the character @code between quotation marks; NULL: none.  XML allows DEL and
 * C1, terminals obey them.
 */
static const char *escape(uint32_t code, char room[static 8])
{
	switch (code) {
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
	case 0xfffe:
	case 0xffff:
		return OP_UTF8_REPLACEMENT;
	}
	if (code < ' ')
		return OP_UTF8_REPLACEMENT;
	if (code < 0x7f || code >= 0xa0)
		return NULL;
	snprintf(room, 8, "&#%u;", (unsigned int)code);
	return room;
}

static void put_escaped(struct op_xml *xml, const char *text)
{
	size_t n = strlen(text);
	char room[8];

	while (n) {
		uint32_t code = 0;
		size_t length = op_utf8_character(text, n, &code);
		const char *escaped = length ? escape(code, room) : OP_UTF8_REPLACEMENT;

		if (!length)
			length = 1;
		if (escaped)
			fputs_unlocked(escaped, xml->out);
		else
			fwrite_unlocked(text, 1, length, xml->out);
		text += length;
		n -= length;
	}
}

void op_xml_put(struct op_xml *xml, const char *text)
{
	fputs_unlocked(text, xml->out);
}

void op_xml_end(struct op_xml *xml, const char *text)
{
	op_xml_put(xml, text);
	op_xml_put(xml, "\n");
}

static void text_xml_begin(struct op_xml *xml, const char *name, const char *quote)
{
	op_xml_put(xml, " ");
	op_xml_put(xml, name);
	op_xml_put(xml, quote);
}

void op_xml_text(struct op_xml *xml, const char *name, const char *text)
{
	text_xml_begin(xml, name, "=\"");
	put_escaped(xml, text);
	op_xml_put(xml, "\"");
}

void op_xml_number(struct op_xml *xml, const char *name, uint64_t value)
{
	char digits[OP_NUMBER_TEXT];

	text_xml_begin(xml, name, "=\"");
	op_xml_put(xml, op_number_text(value, 10, digits));
	op_xml_put(xml, "\"");
}

void op_xml_hex(struct op_xml *xml, const char *name, uint64_t value)
{
	char digits[OP_NUMBER_TEXT];
	const char *text = op_number_text(value, 16, digits);

	text_xml_begin(xml, name, "=\"");
	if (strlen(text) % 2)
		op_xml_put(xml, "0");
	op_xml_put(xml, text);
	op_xml_put(xml, "\"");
}

void op_xml_flag(struct op_xml *xml, const char *name, bool value)
{
	if (value)
		op_xml_text(xml, name, "true");
}

void op_xml_count(struct op_xml *xml, uint64_t value)
{
	char digits[OP_NUMBER_TEXT];

	op_xml_put(xml, op_number_text(value, 10, digits));
}

void op_xml_bytes(struct op_xml *xml, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < n; i++) {
		putc_unlocked(digits[bytes[i] >> 4], xml->out);
		putc_unlocked(digits[bytes[i] & 15], xml->out);
	}
}
