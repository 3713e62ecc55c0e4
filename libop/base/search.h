/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Binary searches in sorted arrays.
 */
#ifndef LIBOP_BASE_SEARCH_H
#define LIBOP_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* For op_first_above(). */
static inline size_t op_first_above_at(const void *items, size_t n, size_t size, size_t offset,
				       uint64_t value)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t field;

		memcpy(&field, (const char *)items + middle * size + offset, sizeof(field));
		if (field <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * op_first_above - the first element with a member above a value
 * @items: @n elements, sorted by @member; may be NULL if @n is 0
 * @member: a uint64_t
 *
 * With the ends of address ranges as members, this is the first range that ends after an address;
 * with their starts, it is the one behind the last that starts at or before it.
 *
 * Return: its index, or @n.
 */
#define op_first_above(items, n, member, value)                                                    \
	op_first_above_at((items), (n), sizeof(*(items)),                                          \
			  offsetof(__typeof__(*(items)), member) +                                 \
				  0 * sizeof(char[sizeof((items)->member) == 8 ? 1 : -1]),         \
			  value)

/**
 * op_first_match - the first element that is equal to a key, or would follow it
 * @items: @n elements of @size bytes, sorted by @compare; may be NULL if @n is 0
 * @compare: as of bsearch(3): the key comes first
 *
 * Return: its index, or @n.
 */
size_t op_first_match(const void *key, const void *items, size_t n, size_t size,
		      int (*compare)(const void *key, const void *item));

#endif
