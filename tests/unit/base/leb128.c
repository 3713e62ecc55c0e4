// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/base/leb128.h"

static const struct {
	uint64_t number;
	size_t length;
	uint8_t bytes[OP_LEB128_MOST];
} cases[] = {
	{0, 1, {0}},
	{1, 1, {1}},
	{0x7f, 1, {0x7f}},
	{0x80, 2, {0x80, 1}},
	{0x3fff, 2, {0xff, 0x7f}},
	{0x4000, 3, {0x80, 0x80, 1}},
	{624485, 3, {0xe5, 0x8e, 0x26}},
	{UINT32_MAX, 5, {0xff, 0xff, 0xff, 0xff, 0x0f}},
	{INT64_MAX, 9, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}},
	{UINT64_MAX, 10, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}},
};
#define N_CASES OP_ARRAY_SIZE(cases)

TEST(leb128_writes_as_few_bytes_as_needed)
{
	for (size_t i = 0; i < N_CASES; i++) {
		uint8_t bytes[OP_LEB128_MOST];

		assert_int_equal(op_leb128_write(bytes, cases[i].number), cases[i].length);
		assert_memory_equal(bytes, cases[i].bytes, cases[i].length);
	}
}

TEST(leb128_reads_what_it_wrote)
{
	for (size_t i = 0; i < N_CASES; i++) {
		uint64_t number = 42;

		assert_int_equal(op_leb128_read(cases[i].bytes, OP_LEB128_MOST, &number),
				 cases[i].length);
		assert_true(number == cases[i].number);
	}
}

TEST(leb128_rejects_numbers_that_are_cut)
{
	for (size_t i = 0; i < N_CASES; i++) {
		for (size_t n = 0; n < cases[i].length; n++) {
			uint64_t number = 42;

			assert_int_equal(op_leb128_read(cases[i].bytes, n, &number), 0);
			assert_true(number == 42);
		}
	}
}

TEST(leb128_rejects_numbers_above_64_bits)
{
	static const uint8_t bytes[][12] = {
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2},
		{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f},
		{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0},
		{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x81, 0},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(bytes); i++) {
		uint64_t number = 42;

		assert_int_equal(op_leb128_read(bytes[i], sizeof(bytes[i]), &number), -1);
		assert_true(number == 42);
	}
}

TEST(leb128_reads_padded_numbers)
{
	static const uint8_t bytes[] = {0x85, 0x80, 0x80, 0};
	uint64_t number;

	assert_int_equal(op_leb128_read(bytes, sizeof(bytes), &number), 4);
	assert_true(number == 5);
}

static const struct {
	int64_t number;
	int length;
	uint8_t bytes[OP_LEB128_MOST + 1];
} signed_cases[] = {
	{0, 1, {0}},
	{2, 1, {2}},
	{-2, 1, {0x7e}},
	{63, 1, {0x3f}},
	{-64, 1, {0x40}},
	{127, 2, {0xff, 0}},
	{-127, 2, {0x81, 0x7f}},
	{128, 2, {0x80, 1}},
	{-129, 2, {0xff, 0x7e}},
	{-8, 3, {0xf8, 0xff, 0x7f}}, /* padded */
	{INT32_MIN, 5, {0x80, 0x80, 0x80, 0x80, 0x78}},
	{INT64_MAX, 10, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0}},
	{INT64_MIN, 10, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}},
	{42, -1, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}},
	{42, -1, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}},
};

TEST(leb128_reads_signed_numbers)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(signed_cases); i++) {
		const uint8_t *bytes = signed_cases[i].bytes;
		int64_t number = 42;

		for (int n = 0; n < signed_cases[i].length; n++)
			assert_int_equal(op_leb128_read_signed(bytes, (size_t)n, &number), 0);
		assert_true(number == 42);
		assert_int_equal(op_leb128_read_signed(bytes, sizeof(signed_cases[i].bytes),
						       &number),
				 signed_cases[i].length);
		assert_true(number == signed_cases[i].number);
	}
}
