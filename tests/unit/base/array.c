// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "memory.h"

TEST(array_fits_what_is_asked_for_and_keeps_its_elements)
{
	size_t capacity = 0;
	int *array = NULL;

	for (size_t n = 0; n < 3000; n++) {
		assert_int_equal(op_array_fit(array, capacity, n + 1), 0);
		assert_true(capacity > n);
		assert_true(capacity <= 2 * n + OP_ARRAY_LEAST);
		array[n] = (int)n;
	}
	for (size_t n = 0; n < 3000; n++)
		assert_int_equal(array[n], n);
	free(array);
}

TEST(array_extends_by_one_element_without_a_capacity)
{
	int *array = NULL;

	for (size_t n = 0; n < 3000; n++) {
		assert_int_equal(op_array_extend(array, n), 0);
		array[n] = (int)n;
	}
	for (size_t n = 0; n < 3000; n++)
		assert_int_equal(array[n], n);
	free(array);
}

TEST(array_is_unchanged_when_out_of_memory)
{
	size_t capacity = 0;
	int *array = NULL, *before;

	assert_int_equal(op_array_fit(array, capacity, 1), 0);
	array[0] = 42;
	before = array;
	memory_fails = true;
	assert_int_equal(op_array_fit(array, capacity, OP_ARRAY_LEAST), 0);
	assert_int_equal(op_array_fit(array, capacity, OP_ARRAY_LEAST + 1), -1);
	assert_int_equal(op_array_extend(array, 1), -1);
	memory_fails = false;
	assert_int_equal(op_array_fit(array, capacity, SIZE_MAX), -1);
	assert_int_equal(op_array_fit(array, capacity, SIZE_MAX / 2), -1);
	assert_ptr_equal(array, before);
	assert_int_equal(array[0], 42);
	assert_int_equal(capacity, OP_ARRAY_LEAST);
	free(array);
}
