// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as text: see base64.h. */
#include "base64.h"

#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Writes 1 to 3 bytes as four characters. */
static void base64_put_group(FILE *out, const uint8_t *bytes, size_t n)
{
	uint32_t group = (uint32_t)bytes[0] << 16;

	if (n > 1)
		group |= (uint32_t)bytes[1] << 8;
	if (n > 2)
		group |= bytes[2];
	putc_unlocked(digits[group >> 18], out);
	putc_unlocked(digits[group >> 12 & 63], out);
	putc_unlocked(n > 1 ? digits[group >> 6 & 63] : '=', out);
	putc_unlocked(n > 2 ? digits[group & 63] : '=', out);
}

void op_base64_write(const void *bytes, size_t n, FILE *out)
{
	const uint8_t *from = bytes;

	for (size_t i = 0; i < n; i += 3)
		base64_put_group(out, from + i, n - i < 3 ? n - i : 3);
}
