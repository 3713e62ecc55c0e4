// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fields of a line of text: see field.h.
 */
#include "field.h"

#include <ctype.h>
#include <stddef.h>

#define HEX_DIGITS_MOST 16

/* Return: the value of a hexadecimal digit, or -1. */
static inline int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *op_field_hex(const char *at, uint64_t *value)
{
	const char *start;
	int digit;

	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	start = at;
	for (*value = 0; (digit = digit_value(*at)) >= 0; at++)
		*value = *value << 4 | (uint64_t)digit;
	return at > start && at <= start + HEX_DIGITS_MOST ? at : NULL;
}

const char *op_field_decimal(const char *at, uint64_t *value)
{
	const char *start = at;

	for (*value = 0; isdigit((unsigned char)*at); at++) {
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*at - '0'), value))
			return NULL;
	}
	return at > start ? at : NULL;
}
