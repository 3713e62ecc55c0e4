// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON writer. */
#include "tests/unit/test.h"

#include "libop/text/json.h"

static struct op_json json;
static char *text;
static size_t length;

static void begin(bool spaced)
{
	json = (struct op_json){.out = open_memstream(&text, &length), .spaced = spaced};
	assert_non_null(json.out);
}

static void expect(const char *expected)
{
	fclose(json.out);
	assert_string_equal(text, expected);
	free(text);
}

static void write_all_kinds(void)
{
	op_json_object(&json, NULL);
	op_json_string(&json, "a", "b");
	op_json_string(&json, "none", NULL);
	op_json_number(&json, "most", UINT64_MAX);
	op_json_number(&json, "zero", 0);
	op_json_array(&json, "list");
	op_json_bool(&json, NULL, true);
	op_json_bool(&json, NULL, false);
	op_json_null(&json, NULL);
	op_json_object(&json, NULL);
	op_json_end(&json);
	op_json_array(&json, NULL);
	op_json_end(&json);
	op_json_end(&json);
	op_json_hex(&json, "address", 0xffffffff81000000);
	op_json_raw(&json, "real", "%.3f", 1.5);
	op_json_end(&json);
}

TEST(objects_and_arrays_are_compact_by_default)
{
	begin(false);
	write_all_kinds();
	expect("{\"a\":\"b\",\"none\":null,\"most\":18446744073709551615,\"zero\":0,"
	       "\"list\":[true,false,null,{},[]],\"address\":\"0xffffffff81000000\","
	       "\"real\":1.500}");
}

TEST(blanks_follow_commas_and_colons_when_asked_for)
{
	begin(true);
	write_all_kinds();
	expect("{\"a\": \"b\", \"none\": null, \"most\": 18446744073709551615, \"zero\": 0, "
	       "\"list\": [true, false, null, {}, []], \"address\": \"0xffffffff81000000\", "
	       "\"real\": 1.500}");
}

TEST(a_new_line_stands_before_the_next_value_or_end)
{
	begin(true);
	op_json_array(&json, NULL);
	op_json_newline(&json);
	op_json_number(&json, NULL, 1);
	op_json_number(&json, NULL, 2);
	op_json_newline(&json);
	op_json_number(&json, NULL, 3);
	op_json_newline(&json);
	op_json_end(&json);
	expect("[\n1, 2,\n3\n]");
}

TEST(objects_may_be_nested_up_to_the_limit)
{
	char expected[2 * OP_JSON_DEPTH + 1] = "";

	begin(false);
	for (int i = 0; i < OP_JSON_DEPTH; i++)
		op_json_array(&json, NULL);
	for (int i = 0; i < OP_JSON_DEPTH; i++)
		op_json_end(&json);
	memset(expected, '[', OP_JSON_DEPTH);
	memset(expected + OP_JSON_DEPTH, ']', OP_JSON_DEPTH);
	expect(expected);
}

static void check_string(const char *from, const char *expected)
{
	begin(false);
	op_json_string(&json, NULL, from);
	expect(expected);
}

TEST(control_characters_quotes_and_backslashes_are_escaped)
{
	static const char *const known[256] = {
		['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f",
		['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\"};

	for (int c = 1; c < 0x80; c++) {
		char from[] = {'x', (char)c, 'y', '\0'}, expected[16], plain[8];

		snprintf(plain, sizeof(plain), c < ' ' || c == 0x7f ? "\\u%04x" : "%c",
			 (unsigned int)c);
		snprintf(expected, sizeof(expected), "\"x%sy\"", known[c] ? known[c] : plain);
		check_string(from, expected);
	}
}

TEST(c1_controls_are_escaped)
{
	check_string("\xc2\x80 \xc2\x9b"
		     "2J\xc2\x9f",
		     "\"\\u0080 \\u009b2J\\u009f\"");
	check_string("\xc2\xa0", "\"\xc2\xa0\"");
}

TEST(utf8_stays_and_other_bytes_are_replaced)
{
	check_string("\xc3\xa9 \xf0\x9f\x98\x80", "\"\xc3\xa9 \xf0\x9f\x98\x80\"");
	check_string("a\xff", "\"a\xef\xbf\xbd\"");
	check_string("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	check_string("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	check_string("\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(keys_are_escaped)
{
	begin(false);
	op_json_object(&json, NULL);
	op_json_number(&json, "a\"b", 1);
	op_json_end(&json);
	expect("{\"a\\\"b\":1}");
}
