/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in text: options, event specifications, small files.
 */
#ifndef LIBOP_BASE_NUMBER_H
#define LIBOP_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

/**
 * op_number_parse - read a number, decimal or with 0x hexadecimal
 * @text: the whole of it must be the number, without sign and blanks
 * @what: what the number is, for the message: "buffer size"
 * @min: the least value allowed
 * @max: the greatest value allowed
 * @out: set to the value; untouched on error
 *
 * Return: 0, or -1 with @error set: EINVAL if @text is no number, ERANGE if it is out of range.
 */
int op_number_parse(const char *text, const char *what, uint64_t min, uint64_t max, uint64_t *out,
		    struct op_error *error);

/**
 * op_number_take - read the digits at the start of a text
 * @text: advanced past the digits; unchanged on error
 * @base: 10 or 16; hexadecimal digits may be large or small, "0x" is not taken
 * @max: the greatest value allowed
 * @out: set to the value; untouched on error
 *
 * Return: false if no digit is there (a blank or a sign is none), or the value is beyond @max.
 */
bool op_number_take(const char **text, unsigned int base, uint64_t max, uint64_t *out);

/**
 * op_duration_parse - read how long something lasts
 * @text: "90s", "10m", "1h30m", "7d": the whole of it; a number alone is of seconds
 * @what, @min, @max: as of op_number_parse(), in seconds
 * @out: set to the seconds; untouched on error
 *
 * Return: 0, or -1 with @error set, as op_number_parse().
 */
int op_duration_parse(const char *text, const char *what, uint64_t min, uint64_t max, uint64_t *out,
		      struct op_error *error);

/* The same back: "1h30m"; "0s". */
#define OP_DURATION_TEXT 32
void op_duration_text(uint64_t seconds, char text[OP_DURATION_TEXT]);

/* As op_number_take(), but the number must be all of @text. */
bool op_number_all(const char *text, unsigned int base, uint64_t max, uint64_t *out);

/* Reads a decimal fraction, such as "12.5", which must be all of @text; @out as above. */
bool op_real_all(const char *text, double *out);

/* Reads a percentage from 0 to 100, with or without "%" at its end; otherwise as op_real_all(). */
bool op_percent_all(const char *text, double *out);

/* Reads @n bytes of two hexadecimal digits each.  Return: false if there are fewer. */
bool op_bytes_take(const char *text, uint8_t *bytes, size_t n);

/* For qsort(): less than, equal to, or greater than 0 as @a is to @b. */
static inline int op_compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/**
 * op_number_text - write a number
 * @base: 10 or 16
 * @text: buffer for the digits, which are written to its end
 *
 * Reports have a million numbers, so this does without printf().
 *
 * Return: where in @text the number begins.
 */
#define OP_NUMBER_TEXT 21
const char *op_number_text(uint64_t value, unsigned int base, char text[static OP_NUMBER_TEXT]);

#endif
