// SPDX-License-Identifier: GPL-2.0-or-later
/* Characters in UTF-8: see utf8.h. */
#include "utf8.h"

#include <string.h>

size_t op_utf8_character(const char *text, size_t n, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* by length */
	const unsigned char *byte = (const unsigned char *)text;
	uint32_t value;
	size_t length;

	if (!n)
		return 0;
	if (*byte < 0x80) {
		*code = *byte;
		return 1;
	}
	if (*byte < 0xc2 || *byte > 0xf4)
		return 0;
	length = *byte < 0xe0 ? 2 : *byte < 0xf0 ? 3 : 4;
	if (length > n)
		return 0;
	value = *byte & (0xffu >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (byte[i] & 0x3f);
	}
	if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 0;
	*code = value;
	return length;
}

bool op_utf8_is_valid(const char *text)
{
	size_t n = strlen(text), length;
	uint32_t code;

	while ((length = op_utf8_character(text, n, &code))) {
		text += length;
		n -= length;
	}
	return !n;
}
