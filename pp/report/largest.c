// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines with the most samples: see largest.h. */
#include "largest.h"

#include <stdlib.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"

static int report_largest_compare(const void *a, const void *b, void *context)
{
	const uint64_t *numbers = context;
	const size_t left = *(const size_t *)a, right = *(const size_t *)b;

	if (numbers[left] != numbers[right])
		return numbers[left] > numbers[right] ? -1 : 1;
	return op_compare_u64(left, right);
}

bool *pp_largest(const uint64_t *numbers, size_t n, uint64_t most)
{
	bool *found = op_alloc(n + 1, sizeof(*found));
	size_t *order = op_alloc(n + 1, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	if (most && most < n)
		qsort_r(order, n, sizeof(*order), report_largest_compare, (void *)numbers);
	for (size_t i = 0; i < n && (!most || i < most); i++)
		found[order[i]] = true;
	free(order);
	return found;
}

char *pp_rest_text(size_t n, double percent)
{
	return op_format("… %zu more (%.1f %%)", n, percent);
}
