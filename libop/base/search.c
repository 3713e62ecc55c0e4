// SPDX-License-Identifier: GPL-2.0-or-later
/* Binary searches in sorted arrays: see search.h. */
#include "search.h"

size_t op_first_match(const void *key, const void *items, size_t n, size_t size,
		      int (*compare)(const void *key, const void *item))
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(key, (const char *)items + middle * size) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
