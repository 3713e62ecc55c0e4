// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers of reports: percentages in seven columns, counts, addresses, cells.
 */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/text/cells.h"

static void check(struct op_line *line, const char *wanted)
{
	op_line_add(line, "", 1);
	assert_string_equal(line->text, wanted);
	line->n = line->cell = 0;
}

TEST(percentages_have_seven_places)
{
	static const struct {
		double percent;
		const char *text;
	} table[] = {
		{0, "      0"},	      {0.0000001, "1.0e-07"}, {0.001, "1.0e-03"},
		{0.0011, " 0.0011"},  {0.5178, " 0.5178"},    {1, " 1.0000"},
		{9.99994, " 9.9999"}, {9.99996, "10.0000"},   {75.6634, "75.6634"},
		{99.9999, "99.9999"}, {99.99996, "100.000"},  {100, "100.000"},
	};
	struct op_line line = {0};

	for (size_t i = 0; i < OP_ARRAY_SIZE(table); i++) {
		op_line_percent(&line, table[i].percent);
		check(&line, table[i].text);
	}
	op_line_free(&line);
}

/* What printf() would write with four decimals. */
TEST(percentages_are_rounded_as_by_printf)
{
	struct op_line line = {0};

	srandom(6);
	for (int i = 0; i < 100000; i++) {
		double percent =
			op_percent(1 + (uint64_t)random() % 99999, 100000 + (uint64_t)random() % 7);
		char text[32];

		if (percent <= 0.001 || percent >= 99.9999)
			continue;
		snprintf(text, sizeof(text), "%7.4f", percent);
		op_line_percent(&line, percent);
		check(&line, text);
	}
	op_line_free(&line);
}

TEST(counts_addresses_and_cells_are_aligned)
{
	struct op_line line = {0};

	op_line_count(&line, 0, 0);
	check(&line, "0");
	op_line_count(&line, 123, 9);
	check(&line, "      123");
	op_line_count(&line, UINT64_MAX, 9);
	check(&line, "18446744073709551615");
	op_line_hex(&line, 0, 8);
	check(&line, "00000000");
	op_line_hex(&line, 0x123456789, 8);
	check(&line, "123456789");
	op_line_hex(&line, UINT64_MAX, 16);
	check(&line, "ffffffffffffffff");
	for (int i = 0; i < 3; i++) {
		op_line_cell(&line);
		op_line_width(&line, 4);
		op_line_puts(&line, i == 1 ? "longer" : "ab");
	}
	check(&line, "ab  longer ab");
	op_line_free(&line);
}

TEST(csv_fields_are_quoted_and_no_formulas)
{
	static const struct {
		const char *text, *field;
	} fields[] = {
		{"", ""},
		{"main", "main"},
		{"a-b=c+d@e", "a-b=c+d@e"},
		{"=1", "'=1"},
		{"+1", "'+1"},
		{"-1", "'-1"},
		{"@f", "'@f"},
		{"\t=1", "\\x09=1"},
		{"\r=1", "\"\\x0d=1\""},
		{"a,b", "\"a,b\""},
		{"f<1, -2>", "\"f<1, -2>\""},
		{"a;=b", "\"a;'=b\""},
		{"=,-;\"@", "\"'=,'-;\"\"'@\""},
		{"\"", "\"\"\"\""},
	};
	struct op_line line = {0};

	for (size_t i = 0; i < OP_ARRAY_SIZE(fields); i++) {
		op_line_csv(&line, fields[i].text);
		check(&line, fields[i].field);
	}
	op_line_csv_comment(&line, "in a,=b and \"+c");
	check(&line, "in a,'=b and \"'+c");
	op_line_free(&line);
}
