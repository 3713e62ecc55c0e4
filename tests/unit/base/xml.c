// SPDX-License-Identifier: GPL-2.0-or-later
/* The XML writer. */
#include "tests/unit/test.h"

#include "libop/text/xml.h"

static struct op_xml xml;
static char *text;
static size_t length;

static void begin(void)
{
	xml = (struct op_xml){.out = open_memstream(&text, &length)};
	assert_non_null(xml.out);
}

static void expect(const char *expected)
{
	fclose(xml.out);
	assert_string_equal(text, expected);
	free(text);
}

TEST(a_tag_has_attributes_of_each_kind)
{
	begin();
	op_xml_put(&xml, "<count");
	op_xml_text(&xml, "class", "a");
	op_xml_number(&xml, "most", UINT64_MAX);
	op_xml_hex(&xml, "address", 0xffffffff81000000);
	op_xml_hex(&xml, "zero", 0);
	op_xml_hex(&xml, "odd", 0x123);
	op_xml_flag(&xml, "yes", true);
	op_xml_flag(&xml, "no", false);
	op_xml_put(&xml, ">");
	op_xml_count(&xml, 10);
	op_xml_bytes(&xml, (const unsigned char[]){0, 0x9f, 0xff}, 3);
	op_xml_end(&xml, "</count>");
	expect("<count class=\"a\" most=\"18446744073709551615\" address=\"ffffffff81000000\" "
	       "zero=\"00\" odd=\"0123\" yes=\"true\">10009FFF</count>\n");
}

static void check_text(const char *from, const char *expected)
{
	begin();
	op_xml_text(&xml, "a", from);
	expect(expected);
}

TEST(markup_and_white_space_are_escaped)
{
	check_text("<&>\"'", " a=\"&lt;&amp;&gt;&quot;'\"");
	check_text("\t\n\r", " a=\"&#9;&#10;&#13;\"");
}

TEST(del_and_c1_controls_are_references)
{
	check_text("\x7f"
		   "a",
		   " a=\"&#127;a\"");
	check_text("\xc2\x80\xc2\x9f", " a=\"&#128;&#159;\"");
	check_text("\xc2\xa0", " a=\"\xc2\xa0\"");
}

TEST(what_xml_cannot_have_is_replaced)
{
	for (int c = 1; c < ' '; c++) {
		char from[] = {(char)c, '\0'};

		if (c != '\t' && c != '\n' && c != '\r')
			check_text(from, " a=\"\xef\xbf\xbd\"");
	}
	check_text("\xef\xbf\xbe", " a=\"\xef\xbf\xbd\"");
	check_text("\xef\xbf\xbf", " a=\"\xef\xbf\xbd\"");
	check_text("a\xff", " a=\"a\xef\xbf\xbd\"");
	check_text("\xc0\xbc", " a=\"\xef\xbf\xbd\xef\xbf\xbd\"");
	check_text("\xe2\x82\xac", " a=\"\xe2\x82\xac\"");
}
