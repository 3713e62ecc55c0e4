// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers in text. */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/base/number.h"

TEST(numbers_are_decimal_or_hexadecimal)
{
	uint64_t value = 0;

	assert_int_equal(op_number_parse("10", "n", 0, 10, &value, NULL), 0);
	assert_int_equal(value, 10);
	assert_int_equal(op_number_parse("0xFf", "n", 0, 255, &value, NULL), 0);
	assert_int_equal(value, 255);
	assert_int_equal(op_number_parse("18446744073709551615", "n", 0, UINT64_MAX, &value, NULL),
			 0);
	assert_true(value == UINT64_MAX);
}

TEST(other_texts_are_no_numbers)
{
	static const char *const bad[] = {"", " 1", "1 ", "+1", "-1", "0x", "0x0x1", "1e3", "a"};

	for (size_t i = 0; i < OP_ARRAY_SIZE(bad); i++) {
		struct op_error error = {0};
		uint64_t value = 7;

		assert_int_equal(op_number_parse(bad[i], "n", 0, 99, &value, &error), -1);
		assert_int_equal(error.code, EINVAL);
		assert_int_equal(value, 7);
	}
}

TEST(numbers_out_of_range_are_refused)
{
	static const char *const bad[] = {"4", "11", "18446744073709551616", "0x10000000000000000"};

	for (size_t i = 0; i < OP_ARRAY_SIZE(bad); i++) {
		struct op_error error = {0};
		uint64_t value = 7;

		assert_int_equal(op_number_parse(bad[i], "n", 5, 10, &value, &error), -1);
		assert_int_equal(error.code, ERANGE);
		assert_int_equal(value, 7);
	}
}

TEST(durations_have_units)
{
	static const struct {
		const char *text;
		uint64_t seconds;
	} good[] = {{"90", 90},	     {"90s", 90},    {"10m", 600},
		    {"1h30m", 5400}, {"7d", 604800}, {"1h30", 3630}};
	static const char *const bad[] = {"", "m", "10x", "1 h", "-1s", "1h-", "0.5h", "1hm"};
	static const char *const beyond[] = {"9", "8d", "99999999999999999999d",
					     "213503982334601d1d"};
	struct op_error error;
	uint64_t value;

	char text[OP_DURATION_TEXT];

	for (size_t i = 0; i < OP_ARRAY_SIZE(good); i++) {
		assert_int_equal(op_duration_parse(good[i].text, "t", 10, 604800, &value, NULL), 0);
		assert_int_equal(value, good[i].seconds);
		op_duration_text(value, text);
		assert_int_equal(op_duration_parse(text, "t", 10, 604800, &value, NULL), 0);
		assert_int_equal(value, good[i].seconds);
	}
	op_duration_text(5400, text);
	assert_string_equal(text, "1h30m");
	op_duration_text(0, text);
	assert_string_equal(text, "0s");
	op_duration_text(UINT64_MAX, text);
	assert_string_equal(text, "213503982334601d7h15s");
	for (size_t i = 0; i < OP_ARRAY_SIZE(bad); i++) {
		assert_int_equal(op_duration_parse(bad[i], "t", 0, 99, &value, &error), -1);
		assert_int_equal(error.code, EINVAL);
	}
	for (size_t i = 0; i < OP_ARRAY_SIZE(beyond); i++)
		assert_int_equal(op_duration_parse(beyond[i], "t", 10, 604800, &value, &error), -1);
}

TEST(digits_are_taken_up_to_the_next_character)
{
	const char *text = "12ab,0";
	uint64_t value = 0;

	assert_true(op_number_take(&text, 10, UINT64_MAX, &value));
	assert_int_equal(value, 12);
	assert_string_equal(text, "ab,0");
	assert_true(op_number_take(&text, 16, 0xab, &value));
	assert_int_equal(value, 0xab);
	assert_string_equal(text, ",0");
	assert_false(op_number_take(&text, 16, UINT64_MAX, &value));
	assert_string_equal(text, ",0");
	assert_int_equal(value, 0xab);
}

TEST(the_greatest_value_is_taken_and_one_more_is_not)
{
	uint64_t value = 7;

	assert_true(op_number_all("18446744073709551615", 10, UINT64_MAX, &value));
	assert_true(value == UINT64_MAX);
	assert_true(op_number_all("ffffffffffffffff", 16, UINT64_MAX, &value));
	assert_true(value == UINT64_MAX);
	value = 7;
	assert_false(op_number_all("18446744073709551616", 10, UINT64_MAX, &value));
	assert_false(op_number_all("99999999999999999999", 10, UINT64_MAX, &value));
	assert_false(op_number_all("10000000000000000", 16, UINT64_MAX, &value));
	assert_false(op_number_all("256", 10, 255, &value));
	assert_false(op_number_all("1", 10, 0, &value));
	assert_int_equal(value, 7);
	assert_true(op_number_all("000", 10, 0, &value));
	assert_int_equal(value, 0);
}

TEST(fractions_have_digits_and_a_point_only)
{
	static const char *const bad[] = {"", ".", " 1", "-1", "1e3", "inf", "nan", "1.2.3", "0x1"};
	double value = 0;

	assert_true(op_real_all("12.5", &value));
	assert_true(value == 12.5);
	assert_true(op_real_all("100", &value));
	assert_true(value == 100);
	for (size_t i = 0; i < OP_ARRAY_SIZE(bad); i++)
		assert_false(op_real_all(bad[i], &value));
	assert_true(value == 100);
}

TEST(bytes_are_pairs_of_hexadecimal_digits)
{
	uint8_t bytes[3] = {0};

	assert_true(op_bytes_take("00fFa1", bytes, 3));
	assert_memory_equal(bytes, "\x00\xff\xa1", 3);
	assert_false(op_bytes_take("00ff", bytes, 3));
	assert_false(op_bytes_take("00ff1", bytes, 3));
	assert_false(op_bytes_take("00 fff", bytes, 3));
}

TEST(numbers_are_written_in_both_bases)
{
	char text[OP_NUMBER_TEXT];

	assert_string_equal(op_number_text(0, 10, text), "0");
	assert_string_equal(op_number_text(UINT64_MAX, 10, text), "18446744073709551615");
	assert_string_equal(op_number_text(UINT64_MAX, 16, text), "ffffffffffffffff");
	assert_string_equal(op_number_text(0x1a0, 16, text), "1a0");
}
