// SPDX-License-Identifier: GPL-2.0-or-later
/* Text for terminals and logs: what is escaped, and what is not. */
#include "tests/unit/test.h"

#include "libop/base/error.h"
#include "libop/base/safe_text.h"
#include "libop/base/utf8.h"
#include "libop/text/cells.h"

static char *written(const char *text, size_t n)
{
	char *result = NULL;
	size_t length;
	FILE *out = open_memstream(&result, &length);

	assert_non_null(out);
	op_safe_write(text, n, out);
	fclose(out);
	return result;
}

static void check(const char *text, const char *expected)
{
	struct op_line line = {0};
	char *once = written(text, strlen(text)), *twice = written(once, strlen(once));

	assert_string_equal(once, expected);
	assert_int_equal(op_safe_width(text), strlen(expected));
	assert_string_equal(twice, expected);
	op_line_safe(&line, text);
	assert_int_equal(line.n, strlen(expected));
	assert_memory_equal(line.text, expected, line.n);
	op_line_free(&line);
	free(once);
	free(twice);
}

TEST(printable_ascii_stays_and_other_bytes_are_escaped)
{
	for (int byte = 0; byte < 256; byte++) {
		char text = (char)byte, expected[8], *result = written(&text, 1);

		if (byte >= 0x20 && byte < 0x7f)
			snprintf(expected, sizeof(expected), "%c", byte);
		else
			snprintf(expected, sizeof(expected), "\\x%02x", (unsigned int)byte);
		assert_string_equal(result, expected);
		free(result);
	}
}

TEST(terminal_sequences_are_escaped)
{
	check("a\033[2Jb", "a\\x1b[2Jb");
	check("line\nfeed\r", "line\\x0afeed\\x0d");
	check("\033", "\\x1b");
}

TEST(characters_that_change_how_others_are_shown_are_escaped)
{
	check("exe.\u202etxt", "exe.\\xe2\\x80\\xaetxt");
	check("\u2066a\u2069\u200e", "\\xe2\\x81\\xa6a\\xe2\\x81\\xa9\\xe2\\x80\\x8e");
	check("a\u2028b\u2029", "a\\xe2\\x80\\xa8b\\xe2\\x80\\xa9");
	check("\ufeffa", "\\xef\\xbb\\xbfa");
	check("\U000e0041", "\\xf3\\xa0\\x81\\x81");
	/* words, and a family */
	check("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e");
	check("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469");
}

TEST(c1_controls_are_escaped)
{
	check("\xc2\x80", "\\xc2\\x80");
	check("\xc2\x9b"
	      "2J",
	      "\\xc2\\x9b2J");
	check("\xc2\x9f", "\\xc2\\x9f");
	check("\xc2\xa0", "\xc2\xa0");
}

TEST(utf8_stays)
{
	check("", "");
	check("\xc3\xa9", "\xc3\xa9");
	check("\xe2\x82\xac", "\xe2\x82\xac");
	check("\xf0\x9f\x98\x80!", "\xf0\x9f\x98\x80!");
	check("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
	      "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
	check("back\\slash", "back\\slash");
}

TEST(overlong_forms_are_escaped)
{
	check("\xc0\x9b", "\\xc0\\x9b");
	check("\xc1\xbf", "\\xc1\\xbf");
	check("\xe0\x80\x9b", "\\xe0\\x80\\x9b");
	check("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf");
	check("\xf0\x80\x80\x9b", "\\xf0\\x80\\x80\\x9b");
	check("\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf");
}

TEST(surrogates_and_codes_beyond_unicode_are_escaped)
{
	check("\xed\xa0\x80", "\\xed\\xa0\\x80");
	check("\xed\xbf\xbf", "\\xed\\xbf\\xbf");
	check("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	check("\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80");
}

TEST(truncated_sequences_are_escaped)
{
	check("a\xc3", "a\\xc3");
	check("a\xe2\x82", "a\\xe2\\x82");
	check("a\xf0\x9f\x98", "a\\xf0\\x9f\\x98");
	check("\xe2\x82z", "\\xe2\\x82z");
	check("\xc3\xc3\xa9", "\\xc3\xc3\xa9");
}

/* The bytes behind the end complete the character: they must not be read. */
TEST(a_sequence_is_cut_at_the_given_length)
{
	char *result = written("a\xe2\x82\xac", 3);

	assert_string_equal(result, "a\\xe2\\x82");
	free(result);
}

TEST(lines_of_source_code_keep_tabs)
{
	static const char expected[] = "\ta\t\\x1b[m\\x0c\t";
	struct op_line line = {0};

	op_line_safe_tabs(&line, "\ta\t\033[m\f\t");
	assert_int_equal(line.n, strlen(expected));
	assert_memory_equal(line.text, expected, line.n);
	op_line_free(&line);
}

TEST(text_is_utf8_to_its_end)
{
	assert_true(op_utf8_is_valid(""));
	assert_true(op_utf8_is_valid("a\033\xe2\x82\xac"));
	assert_false(op_utf8_is_valid("a\xe2\x82"));
	assert_false(op_utf8_is_valid("\xff"
				      "a"));
}

static char *formatted(const char *format, ...)
{
	char *result = NULL;
	size_t length;
	FILE *out = open_memstream(&result, &length);
	va_list args;

	va_start(args, format);
	op_safe_vprintf(out, format, args);
	va_end(args);
	fclose(out);
	return result;
}

TEST(a_long_message_is_whole)
{
	size_t n = 100000;
	char *name = malloc(n + 1), *result;

	memset(name, 'a', n);
	name[n - 1] = '\n';
	name[n] = '\0';
	result = formatted("<%s>", name);
	assert_int_equal(strlen(result), n + strlen("<>") + strlen("\\x0a") - 1);
	assert_string_equal(result + strlen(result) - 6, "a\\x0a>");
	free(name);
	free(result);
}

TEST(a_line_of_text_ends_once)
{
	char *result = NULL;
	size_t length;
	FILE *out = open_memstream(&result, &length);

	op_safe_line(out, "%s", "a\nb\r\n");
	fclose(out);
	assert_string_equal(result, "a\\x0ab\\x0d\\x0a\n");
	free(result);
}
