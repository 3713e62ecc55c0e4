// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "libop/base/buffer.h"
#include "libop/base/reader.h"
#include "memory.h"

#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

TEST(buffer_puts_numbers_in_little_endian_order)
{
	static const uint8_t expected[] = {1,	 3,    2, 7, 6, 5, 4,	 0x0f, 0x0e, 0x0d, 0x0c,
					   0x0b, 0x0a, 9, 8, 0, 0, 0xe5, 0x8e, 0x26, 'x'};
	struct op_buffer buffer = {0};

	op_buffer_u8(&buffer, 1);
	op_buffer_u16(&buffer, 0x0203);
	op_buffer_u32(&buffer, 0x04050607);
	op_buffer_u64(&buffer, UINT64_C(0x08090a0b0c0d0e0f));
	op_buffer_zeros(&buffer, 2);
	op_buffer_leb128(&buffer, 624485);
	op_buffer_put(&buffer, "x", 1);
	assert_int_equal(buffer.used, sizeof(expected));
	assert_memory_equal(buffer.bytes, expected, sizeof(expected));
	op_buffer_free(&buffer);
}

TEST(buffer_replaces_only_bytes_that_are_there)
{
	struct op_buffer buffer = {0};

	op_buffer_set(&buffer, 0, 0xffff, 2);
	op_buffer_zeros(&buffer, 3);
	op_buffer_set(&buffer, 1, 0x0102, 2);
	op_buffer_set(&buffer, 2, 0xffff, 2);
	op_buffer_set(&buffer, SIZE_MAX, 0xffff, 2);
	assert_int_equal(buffer.used, 3);
	assert_memory_equal(buffer.bytes, "\0\2\1", 3);
	op_buffer_free(&buffer);
}

/* Any sequence of additions reads back as it was put in. */
TEST(buffer_reads_back_after_random_additions)
{
	static const char some[] = "twenty bytes of text";
	unsigned int seed = 1;

	for (int round = 0; round < 50; round++) {
		uint64_t numbers[500];
		struct op_buffer buffer = {0};
		struct op_reader reader;

		for (size_t i = 0; i < 500; i++) {
			numbers[i] = (uint64_t)rand_r(&seed) << 33 ^ (uint64_t)rand_r(&seed);
			numbers[i] >>= rand_r(&seed) % 64;
			if (numbers[i] & 1)
				op_buffer_u64(&buffer, numbers[i]);
			else
				op_buffer_leb128(&buffer, numbers[i]);
			op_buffer_put(&buffer, some, numbers[i] % 20);
		}
		assert_false(buffer.failed);
		reader = op_reader_of(buffer.bytes, buffer.used, BIG_ENDIAN_HOST);
		for (size_t i = 0; i < 500; i++) {
			uint64_t read =
				numbers[i] & 1 ? op_reader_u64(&reader) : op_reader_leb128(&reader);
			const void *bytes = op_reader_take(&reader, numbers[i] % 20);

			assert_true(read == numbers[i]);
			assert_non_null(bytes);
			assert_memory_equal(bytes, some, numbers[i] % 20);
		}
		assert_false(reader.failed);
		assert_int_equal(op_reader_left(&reader), 0);
		op_buffer_free(&buffer);
	}
}

TEST(buffer_out_of_memory_is_sticky_and_keeps_the_bytes)
{
	struct op_buffer buffer = {0};
	size_t used;

	op_buffer_u32(&buffer, 0x01010101);
	memory_fails = true;
	while (!buffer.failed)
		op_buffer_u64(&buffer, 2);
	memory_fails = false;
	used = buffer.used;
	assert_true(used <= buffer.capacity);
	op_buffer_u8(&buffer, 3);
	op_buffer_put(&buffer, "abc", 3);
	op_buffer_zeros(&buffer, 1);
	op_buffer_leb128(&buffer, 3);
	assert_true(buffer.failed);
	assert_int_equal(buffer.used, used);
	assert_memory_equal(buffer.bytes, "\1\1\1\1", 4);
	op_buffer_free(&buffer);
	assert_false(buffer.failed);
}

TEST(buffer_fails_where_a_size_overflows)
{
	struct op_buffer buffer = {0};

	op_buffer_u8(&buffer, 1);
	assert_false(op_buffer_reserve(&buffer, SIZE_MAX));
	assert_true(buffer.failed);
	op_buffer_free(&buffer);
	assert_false(op_buffer_reserve(&buffer, SIZE_MAX / 2 + 1));
	op_buffer_free(&buffer);
}
