// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

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
#define N_CASES (sizeof(cases) / sizeof(cases[0]))

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

	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
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
