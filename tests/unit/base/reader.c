// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/base/reader.h"

/* Bytes in memory of their own, so that a sanitizer or valgrind sees a read past them. */
static uint8_t *bytes_of(size_t n)
{
	uint8_t *bytes = malloc(n ? n : 1);

	assert_non_null(bytes);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(i + 1);
	return bytes;
}

static bool is_little(bool swap)
{
	return (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != swap;
}

TEST(reader_reads_numbers_in_both_byte_orders)
{
	for (int swap = 0; swap < 2; swap++) {
		uint8_t *bytes = bytes_of(15);
		struct op_reader reader = op_reader_of(bytes, 15, swap);

		assert_int_equal(op_reader_u8(&reader), 1);
		assert_int_equal(op_reader_u16(&reader), is_little(swap) ? 0x0302 : 0x0203);
		assert_int_equal(op_reader_u32(&reader), is_little(swap) ? 0x07060504 : 0x04050607);
		assert_true(op_reader_u64(&reader) == (is_little(swap)
							       ? UINT64_C(0x0f0e0d0c0b0a0908)
							       : UINT64_C(0x08090a0b0c0d0e0f)));
		assert_int_equal(op_reader_left(&reader), 0);
		assert_false(reader.failed);
		free(bytes);
	}
}

static uint64_t read_u8(struct op_reader *reader)
{
	return op_reader_u8(reader);
}

static uint64_t read_u16(struct op_reader *reader)
{
	return op_reader_u16(reader);
}

static uint64_t read_u32(struct op_reader *reader)
{
	return op_reader_u32(reader);
}

static uint64_t read_array(struct op_reader *reader)
{
	return op_reader_array(reader, 3, 3) != NULL;
}

static uint64_t read_copy(struct op_reader *reader)
{
	uint8_t out[6] = {0};

	return op_reader_copy(reader, out, sizeof(out)) + out[0] + out[5];
}

static uint64_t read_text(struct op_reader *reader)
{
	return (uint64_t)op_reader_text(reader, 4)[0];
}

static const struct {
	uint64_t (*read)(struct op_reader *reader);
	size_t size;
} reads[] = {
	{read_u8, 1},	    {read_u16, 2},   {read_u32, 4},
	{op_reader_u64, 8}, {read_array, 9}, {read_copy, 6},
};
#define N_READS OP_ARRAY_SIZE(reads)

TEST(reader_fails_where_bytes_are_missing)
{
	for (size_t i = 0; i < N_READS; i++) {
		for (size_t n = 0; n <= reads[i].size; n++) {
			uint8_t *bytes = bytes_of(n);
			struct op_reader reader = op_reader_of(bytes, n, false);
			bool enough = n == reads[i].size;

			assert_int_equal(reads[i].read(&reader) != 0, enough);
			assert_int_equal(reader.failed, !enough);
			assert_int_equal(op_reader_left(&reader), 0);
			free(bytes);
		}
	}
}

TEST(reader_reads_nothing_after_an_error)
{
	for (size_t i = 0; i < N_READS; i++) {
		uint8_t *bytes = bytes_of(16);
		struct op_reader reader = op_reader_of(bytes, 16, false);

		assert_null(op_reader_take(&reader, 17));
		assert_int_equal(reads[i].read(&reader), 0);
		assert_int_equal(op_reader_leb128(&reader), 0);
		assert_null(op_reader_take(&reader, 0));
		assert_true(reader.failed);
		free(bytes);
	}
}

TEST(reader_takes_any_length_for_what_it_is)
{
	static const struct {
		uint64_t n;
		size_t size;
	} lengths[] = {{UINT64_MAX, 1},
		       {UINT64_MAX, 8},
		       {UINT64_C(1) << 61, 8}, /* times 8 is 0 in 64 bits */
		       {(UINT64_C(1) << 61) + 1, 8},
		       {(UINT64_C(1) << 62) + 2, 4}};

	for (size_t i = 0; i < OP_ARRAY_SIZE(lengths); i++) {
		uint8_t *bytes = bytes_of(16);
		struct op_reader reader = op_reader_of(bytes, 16, false);

		assert_null(op_reader_array(&reader, lengths[i].n, lengths[i].size));
		assert_true(reader.failed);
		free(bytes);
	}
}

TEST(reader_of_no_bytes_is_at_its_end)
{
	struct op_reader reader = op_reader_of(NULL, 0, false);

	assert_int_equal(op_reader_left(&reader), 0);
	assert_false(reader.failed);
	assert_int_equal(op_reader_leb128(&reader), 0);
	assert_true(reader.failed);
}

TEST(reader_takes_text_only_with_its_nul)
{
	static const char bytes[] = {'a', 'b', 0, 'c', 'd'};
	struct op_reader reader = op_reader_of(bytes, sizeof(bytes), false);

	assert_string_equal(op_reader_text(&reader, 3), "ab");
	assert_false(reader.failed);
	assert_string_equal(op_reader_text(&reader, 2), "");
	assert_true(reader.failed);

	reader = op_reader_of(bytes, sizeof(bytes), false);
	assert_int_equal(read_text(&reader), 'a');
	assert_int_equal(op_reader_left(&reader), 1);
}

TEST(reader_rejects_leb128_above_64_bits_and_cut)
{
	static const uint8_t bytes[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2};
	struct op_reader reader = op_reader_of(bytes, sizeof(bytes), false);

	assert_true(op_reader_leb128(&reader) == UINT64_MAX);
	assert_int_equal(op_reader_leb128(&reader), 2);
	assert_false(reader.failed);

	reader = op_reader_of(bytes, 9, false);
	assert_int_equal(op_reader_leb128(&reader), 0);
	assert_true(reader.failed);
}

/* Any reads give what a plain index into the bytes gives, up to the first one that fails. */
TEST(reader_equals_a_plain_index_for_random_reads)
{
	unsigned int seed = 1;

	for (int round = 0; round < 2000; round++) {
		size_t n = (size_t)rand_r(&seed) % 40, at = 0;
		uint8_t *bytes = bytes_of(n);
		struct op_reader reader = op_reader_of(bytes, n, false);

		while (!reader.failed) {
			size_t length = (size_t)rand_r(&seed) % 12;
			const uint8_t *taken = op_reader_take(&reader, length);

			assert_ptr_equal(taken, length <= n - at ? bytes + at : NULL);
			at += length;
		}
		assert_true(at > n);
		free(bytes);
	}
}
