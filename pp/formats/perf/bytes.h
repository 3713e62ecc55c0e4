/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the bytes of a perf.data file, in the byte order of the machine that wrote it.
 *
 * A read past the end gives 0 and marks the range as faulty, so that a decoder looks at
 * ->fault once, after all its reads.  Nothing needs to be aligned.
 */
#ifndef PP_FORMATS_PERF_BYTES_H
#define PP_FORMATS_PERF_BYTES_H

#include <byteswap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct perf_bytes {
	const uint8_t *at, *end;
	bool swap;  /* the writer's byte order is not this machine's */
	bool fault; /* something was read that is not there */
};

static inline struct perf_bytes perf_bytes_of(const void *bytes, size_t size, bool swap)
{
	return (struct perf_bytes){.at = bytes, .end = (const uint8_t *)bytes + size, .swap = swap};
}

static inline size_t perf_bytes_left(const struct perf_bytes *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

/* The next @size bytes, or NULL. */
static inline const void *perf_bytes_take(struct perf_bytes *bytes, uint64_t size)
{
	const uint8_t *at = bytes->at;

	if (size > perf_bytes_left(bytes)) {
		bytes->fault = true;
		bytes->at = bytes->end;
		return NULL;
	}
	bytes->at += size;
	return at;
}

/* An array of @n objects of @size bytes, or NULL; @n may be any number. */
static inline const void *perf_bytes_array(struct perf_bytes *bytes, uint64_t n, size_t size)
{
	return perf_bytes_take(bytes, n > SIZE_MAX / size ? SIZE_MAX : n * size);
}

static inline uint64_t perf_load64(const void *at, bool swap)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? bswap_64(value) : value;
}

static inline uint32_t perf_load32(const void *at, bool swap)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? bswap_32(value) : value;
}

static inline uint16_t perf_load16(const void *at, bool swap)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? bswap_16(value) : value;
}

static inline uint64_t perf_u64(struct perf_bytes *bytes)
{
	const void *at = perf_bytes_take(bytes, 8);

	return at ? perf_load64(at, bytes->swap) : 0;
}

static inline uint32_t perf_u32(struct perf_bytes *bytes)
{
	const void *at = perf_bytes_take(bytes, 4);

	return at ? perf_load32(at, bytes->swap) : 0;
}

static inline uint16_t perf_u16(struct perf_bytes *bytes)
{
	const void *at = perf_bytes_take(bytes, 2);

	return at ? perf_load16(at, bytes->swap) : 0;
}

static inline uint8_t perf_u8(struct perf_bytes *bytes)
{
	const uint8_t *at = perf_bytes_take(bytes, 1);

	return at ? *at : 0;
}

/* A string that ends with a NUL before @size bytes are over, of which all are taken; or "". */
static inline const char *perf_text(struct perf_bytes *bytes, uint64_t size)
{
	const char *at = perf_bytes_take(bytes, size);

	if (at && memchr(at, 0, size))
		return at;
	bytes->fault = true;
	return "";
}

/* Whether the writer was a big-endian machine. */
static inline bool perf_big_endian(bool swap)
{
	return swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

/*
 * A word of bit-fields with bit 0 for the first of them: a big-endian machine counts them from
 * the most significant bit.
 */
static inline uint64_t perf_bit_fields(uint64_t word, bool swap)
{
	uint64_t reversed = 0;

	if (!perf_big_endian(swap))
		return word;
	for (unsigned int bit = 0; bit < 64; bit++)
		reversed |= (word >> bit & 1) << (63 - bit);
	return reversed;
}

#endif
