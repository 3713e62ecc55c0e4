// SPDX-License-Identifier: GPL-2.0-or-later
/* Binary searches: each is compared with a walk over all elements. */
#include "tests/unit/test.h"

#include "libop/base/number.h"
#include "libop/base/search.h"

#define ITEMS_MOST 9

struct item {
	char before;
	uint64_t start, end;
};

/* Elements with equal members, and gaps between members: starts are 2, 4, 4, 8, 10, 10, ... */
static size_t fill(struct item items[ITEMS_MOST], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		items[i].start = 2 + 2 * i - (i % 3 == 2 ? 2 : 0);
		items[i].end = items[i].start + 2;
	}
	return n;
}

static int compare_start(const void *key, const void *item)
{
	uint64_t value = *(const uint64_t *)key, start = ((const struct item *)item)->start;

	return op_compare_u64(value, start);
}

TEST(search_finds_first_element_above_each_value)
{
	struct item items[ITEMS_MOST] = {0};

	for (size_t n = 0; n <= ITEMS_MOST; n++) {
		fill(items, n);
		for (uint64_t value = 0; value < 2 * ITEMS_MOST + 8; value++) {
			size_t start = 0, end = 0;

			while (start < n && items[start].start <= value)
				start++;
			while (end < n && items[end].end <= value)
				end++;
			assert_int_equal(op_first_above(items, n, start, value), start);
			assert_int_equal(op_first_above(items, n, end, value), end);
		}
	}
}

TEST(search_finds_first_of_equal_elements)
{
	struct item items[ITEMS_MOST] = {0};

	for (size_t n = 0; n <= ITEMS_MOST; n++) {
		fill(items, n);
		for (uint64_t value = 0; value < 2 * ITEMS_MOST + 8; value++) {
			size_t first = 0;

			while (first < n && items[first].start < value)
				first++;
			assert_int_equal(
				op_first_match(&value, items, n, sizeof(*items), compare_start),
				first);
		}
	}
}

TEST(search_handles_largest_value_and_no_array)
{
	const struct item last = {.start = UINT64_MAX - 1, .end = UINT64_MAX};
	const struct item *none = NULL;
	uint64_t value = 1;

	assert_int_equal(op_first_above(&last, 1, end, UINT64_MAX - 1), 0);
	assert_int_equal(op_first_above(&last, 1, end, UINT64_MAX), 1);
	assert_int_equal(op_first_above(none, 0, end, value), 0);
	assert_int_equal(op_first_match(&value, none, 0, sizeof(*none), compare_start), 0);
}
