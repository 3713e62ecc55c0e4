// SPDX-License-Identifier: GPL-2.0-or-later
#include "json_string.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The length of the UTF-8 character at @text, 0 if there is none. */
static size_t utf8_length(const unsigned char *text)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = {
		{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

	for (size_t more = 0; more < sizeof(forms) / sizeof(forms[0]); more++) {
		uint32_t code = (uint32_t)(text[0] & ~forms[more].mask);

		if ((text[0] & forms[more].mask) != forms[more].lead)
			continue;
		for (size_t i = 1; i <= more; i++) {
			if ((text[i] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (text[i] & 0x3f);
		}
		if (code < forms[more].least || code > 0x10ffff ||
		    (code >= 0xd800 && code < 0xe000))
			return 0;
		return more + 1;
	}
	return 0;
}

/* A byte that is no UTF-8 becomes U+FFFD. */
void print_json_string(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	putchar('"');
	while (*at) {
		size_t length = utf8_length(at);

		if (!length)
			fputs("\\ufffd", stdout);
		else if (*at == '"' || *at == '\\')
			printf("\\%c", *at);
		else if (*at < 0x20)
			printf("\\u%04x", *at);
		else
			fwrite(at, length, 1, stdout);
		at += length ? length : 1;
	}
	putchar('"');
}
