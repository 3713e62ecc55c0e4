// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers in text: see number.h.
 */
#include "number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

int op_number_parse(const char *text, const char *what, uint64_t min, uint64_t max, uint64_t *out,
		    struct op_error *error)
{
	bool is_hex = !strncmp(text, "0x", 2) || !strncmp(text, "0X", 2);
	const char *digits = is_hex ? text + 2 : text;
	const char *allowed = is_hex ? "0123456789abcdefABCDEF" : "0123456789";
	uint64_t value;

	if (!*digits || digits[strspn(digits, allowed)])
		return op_error_set(error, EINVAL, "%s: \"%s\" is not a number", what, text);
	if (!op_number_all(digits, is_hex ? 16 : 10, max, &value) || value < min)
		return op_error_set(error, ERANGE,
				    "%s: %s is out of range: %" PRIu64 " to %" PRIu64, what, text,
				    min, max);
	*out = value;
	return 0;
}

/* The value of a digit; 16 if it is none. */
static unsigned int digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned int)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned int)(c - 'A') + 10;
	return 16;
}

bool op_number_take(const char **text, unsigned int base, uint64_t max, uint64_t *out)
{
	const char *at = *text;
	uint64_t value = 0;
	unsigned int next;

	for (; (next = digit(*at)) < base; at++) {
		if (next > max || value > (max - next) / base)
			return false;
		value = value * base + next;
	}
	if (at == *text)
		return false;
	*text = at;
	*out = value;
	return true;
}

static const struct {
	char letter;
	uint64_t seconds;
} units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}, {'\0', 1}};

/* Takes "10m" or, at the end of a text, "10".  Return: whether it is one. */
static bool take_part(const char **text, uint64_t *seconds)
{
	uint64_t number;

	if (!op_number_take(text, 10, UINT64_MAX, &number))
		return false;
	for (size_t i = 0; i < OP_ARRAY_SIZE(units); i++) {
		if (units[i].letter != **text)
			continue;
		*text += **text != '\0';
		return !__builtin_mul_overflow(number, units[i].seconds, &number) &&
		       !__builtin_add_overflow(*seconds, number, seconds);
	}
	return false;
}

int op_duration_parse(const char *text, const char *what, uint64_t min, uint64_t max, uint64_t *out,
		      struct op_error *error)
{
	const char *rest = text;
	uint64_t seconds = 0;

	do {
		if (!take_part(&rest, &seconds))
			return op_error_set(error, EINVAL,
					    "%s: \"%s\" is no time such as 90s, 10m, 1h30m or 7d",
					    what, text);
	} while (*rest);
	if (seconds < min || seconds > max)
		return op_error_set(error, ERANGE,
				    "%s: %s is out of range: %" PRIu64 " to %" PRIu64 " seconds",
				    what, text, min, max);
	*out = seconds;
	return 0;
}

void op_duration_text(uint64_t seconds, char text[OP_DURATION_TEXT])
{
	int length = 0;

	for (size_t i = 0; units[i].letter; i++) {
		uint64_t number = seconds / units[i].seconds;

		seconds %= units[i].seconds;
		if (number || (units[i].seconds == 1 && !length))
			length += snprintf(text + length, OP_DURATION_TEXT - (size_t)length,
					   "%" PRIu64 "%c", number, units[i].letter);
	}
}

bool op_number_all(const char *text, unsigned int base, uint64_t max, uint64_t *out)
{
	uint64_t value;

	if (!op_number_take(&text, base, max, &value) || *text)
		return false;
	*out = value;
	return true;
}

bool op_real_all(const char *text, double *out)
{
	double value;
	char *end;

	/* strtod() alone would take blanks, signs, exponents, "inf" and "nan" */
	if (!*text || text[strspn(text, "0123456789.")])
		return false;
	value = strtod(text, &end);
	if (end == text || *end)
		return false;
	*out = value;
	return true;
}

bool op_percent_all(const char *text, double *out)
{
	size_t n = strlen(text);
	char number[64];
	double value;

	if (n && text[n - 1] == '%')
		n--;
	if (n >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	if (!op_real_all(number, &value) || value > 100)
		return false;
	*out = value;
	return true;
}

bool op_bytes_take(const char *text, uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned int high = digit(text[2 * i]);
		unsigned int low = high < 16 ? digit(text[2 * i + 1]) : 16;

		if (low == 16)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

const char *op_number_text(uint64_t value, unsigned int base, char text[static OP_NUMBER_TEXT])
{
	char *at = text + OP_NUMBER_TEXT - 1;

	*at = '\0';
	do {
		*--at = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	return at;
}
