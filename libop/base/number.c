// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers in text: see number.h.
 */
#include "number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int op_number_parse(const char *text, const char *what, uint64_t min, uint64_t max, uint64_t *out,
		    struct op_error *error)
{
	int base = !strncmp(text, "0x", 2) || !strncmp(text, "0X", 2) ? 16 : 10;
	const char *digits = base == 16 ? text + 2 : text;
	const char *allowed = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
	unsigned long long value;

	/* strtoull() alone would take blanks, a sign and one more 0x */
	if (!*digits || digits[strspn(digits, allowed)])
		return op_error_set(error, EINVAL, "%s: \"%s\" is no number", what, text);
	errno = 0;
	value = strtoull(digits, NULL, base);
	if (errno == ERANGE || value < min || value > max)
		return op_error_set(error, ERANGE,
				    "%s: %s is out of range: %" PRIu64 " to %" PRIu64, what, text,
				    min, max);
	*out = value;
	return 0;
}
