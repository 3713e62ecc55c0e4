/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LEB128: numbers in as few bytes as they need, seven bits in each, the lowest ones first; the
 * upper bit of a byte is set if another one follows.  Unsigned, unless a function says otherwise.
 */
#ifndef LIBOP_BASE_LEB128_H
#define LIBOP_BASE_LEB128_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest number. */
#define OP_LEB128_MOST 10

/**
 * op_leb128_write - encode a number
 * @out: OP_LEB128_MOST bytes fit there
 *
 * Return: bytes that were written.
 */
static inline size_t op_leb128_write(uint8_t *out, uint64_t number)
{
	size_t n = 0;

	for (; number > 0x7f; number >>= 7)
		out[n++] = (uint8_t)(number | 0x80);
	out[n++] = (uint8_t)number;
	return n;
}

/**
 * op_leb128_read - decode a number
 * @n: bytes at @bytes
 *
 * Return: bytes that it takes; 0 if they end within it; -1 if it does not fit into 64 bits.
 */
static inline int op_leb128_read(const uint8_t *bytes, size_t n, uint64_t *number)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++) {
		if (i == OP_LEB128_MOST - 1 && bytes[i] > 1)
			return -1;
		value |= (uint64_t)(bytes[i] & 0x7f) << 7 * i;
		if (bytes[i] < 0x80) {
			*number = value;
			return (int)i + 1;
		}
	}
	return 0;
}

/**
 * op_leb128_read_signed - decode a signed number, whose last byte has its sign in bit 6
 * @n: bytes at @bytes
 *
 * Return: as op_leb128_read().
 */
static inline int op_leb128_read_signed(const uint8_t *bytes, size_t n, int64_t *number)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned int shift = 7 * (unsigned int)i;

		if (i == OP_LEB128_MOST - 1 && bytes[i] != 0 && bytes[i] != 0x7f)
			return -1;
		value |= (uint64_t)(bytes[i] & 0x7f) << shift;
		if (bytes[i] >= 0x80)
			continue;
		if (bytes[i] & 0x40 && shift < 57)
			value |= ~UINT64_C(0) << (shift + 7);
		*number = (int64_t)value;
		return (int)i + 1;
	}
	return 0;
}

#endif
