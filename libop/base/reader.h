/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading bytes of a file or a message, in either byte order, never past their end.
 *
 * Errors are sticky: a read past the end gives 0, NULL or "", and so does every read after it.
 * Check ->failed once, after the last read.  Nothing needs to be aligned.
 */
#ifndef LIBOP_BASE_READER_H
#define LIBOP_BASE_READER_H

#include <byteswap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "leb128.h"

struct op_reader {
	const uint8_t *at, *end;
	bool swap;   /* numbers are not in this machine's byte order */
	bool failed; /* something was read that is not there */
};

/* A reader of @size bytes, which must stay where they are; @swap: as of struct op_reader. */
static inline struct op_reader op_reader_of(const void *bytes, size_t size, bool swap)
{
	const uint8_t *at = (const uint8_t *)bytes;

	return (struct op_reader){.at = at, .end = at ? at + size : NULL, .swap = swap};
}

/* Bytes that were not read yet. */
static inline size_t op_reader_left(const struct op_reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

/* Marks what was read as wrong: nothing is left.  Return: NULL. */
static inline const void *op_reader_fail(struct op_reader *reader)
{
	reader->failed = true;
	reader->at = reader->end;
	return NULL;
}

/* Return: the next @n bytes, or NULL; @n may be any number. */
static inline const void *op_reader_take(struct op_reader *reader, uint64_t n)
{
	const uint8_t *at = reader->at;

	if (__builtin_expect(n > op_reader_left(reader) || (!n && reader->failed), 0))
		return op_reader_fail(reader);
	reader->at += n;
	return at;
}

/* Return: an array of @n elements of @size bytes, or NULL; @n may be any number. */
static inline const void *op_reader_array(struct op_reader *reader, uint64_t n, size_t size)
{
	return op_reader_take(reader, n > SIZE_MAX / size ? SIZE_MAX : n * size);
}

/* Return: @swap for numbers that are stored in this byte order. */
static inline bool op_swap_for(bool big_endian)
{
	return big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* Numbers at any address. */
static inline uint64_t op_load_u64(const void *at, bool swap)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? bswap_64(value) : value;
}

static inline uint32_t op_load_u32(const void *at, bool swap)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? bswap_32(value) : value;
}

static inline uint16_t op_load_u16(const void *at, bool swap)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? bswap_16(value) : value;
}

/* Return: the next number, or 0. */
static inline uint64_t op_reader_u64(struct op_reader *reader)
{
	const void *at = op_reader_take(reader, 8);

	return at ? op_load_u64(at, reader->swap) : 0;
}

static inline uint32_t op_reader_u32(struct op_reader *reader)
{
	const void *at = op_reader_take(reader, 4);

	return at ? op_load_u32(at, reader->swap) : 0;
}

static inline uint16_t op_reader_u16(struct op_reader *reader)
{
	const void *at = op_reader_take(reader, 2);

	return at ? op_load_u16(at, reader->swap) : 0;
}

static inline uint8_t op_reader_u8(struct op_reader *reader)
{
	const uint8_t *at = (const uint8_t *)op_reader_take(reader, 1);

	return at ? *at : 0;
}

/* Return: the next number in LEB128, or 0; one above 64 bits is an error. */
static inline uint64_t op_reader_leb128(struct op_reader *reader)
{
	uint64_t number = 0;
	int taken = op_leb128_read(reader->at, op_reader_left(reader), &number);

	if (taken <= 0) {
		op_reader_fail(reader);
		return 0;
	}
	reader->at += taken;
	return number;
}

/* The same for a signed number. */
static inline int64_t op_reader_leb128_signed(struct op_reader *reader)
{
	int64_t number = 0;
	int taken = op_leb128_read_signed(reader->at, op_reader_left(reader), &number);

	if (taken <= 0) {
		op_reader_fail(reader);
		return 0;
	}
	reader->at += taken;
	return number;
}

/* Copies the next @n bytes to @out.  Return: whether there are so many; @out is unchanged if not.
 */
bool op_reader_copy(struct op_reader *reader, void *out, size_t n);

/* Return: the string in the next @size bytes, all of which are taken; "" if it has no NUL. */
static inline const char *op_reader_text(struct op_reader *reader, uint64_t size)
{
	const char *text = (const char *)op_reader_take(reader, size);

	if (text && memchr(text, '\0', size))
		return text;
	op_reader_fail(reader);
	return "";
}

#endif
