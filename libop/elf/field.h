/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of a line of text, such as those of /proc: words and numbers between blanks.  A line ends
 * with '\n' or NUL, and no function reads past its end.
 */
#ifndef LIBOP_ELF_FIELD_H
#define LIBOP_ELF_FIELD_H

#include <stdbool.h>
#include <stdint.h>

static inline bool op_field_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool op_field_is_end(char c)
{
	return !c || c == '\n';
}

static inline const char *op_field_skip_blanks(const char *at)
{
	while (op_field_is_blank(*at))
		at++;
	return at;
}

/* Return: the end of the word at @at, which may be empty. */
static inline const char *op_field_skip_word(const char *at)
{
	while (!op_field_is_end(*at) && !op_field_is_blank(*at))
		at++;
	return at;
}

/**
 * op_field_hex - read a hexadecimal number, with or without 0x
 * @value: set to it; undefined on error
 *
 * Return: what follows the digits, or NULL if there are none or more than 16.
 */
const char *op_field_hex(const char *at, uint64_t *value);

/* The same for a decimal number; NULL if it exceeds 64 bits. */
const char *op_field_decimal(const char *at, uint64_t *value);

#endif
