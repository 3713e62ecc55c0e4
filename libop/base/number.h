/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in text: options, event specifications, small files.
 */
#ifndef LIBOP_NUMBER_H
#define LIBOP_NUMBER_H

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

#endif
