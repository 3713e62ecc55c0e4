// SPDX-License-Identifier: GPL-2.0-or-later
/* Text in the columns of a terminal. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/text/shorten.h"

TEST(columns_are_those_of_a_terminal)
{
	static const struct {
		const char *text;
		size_t columns;
	} texts[] = {
		{"", 0},
		{"abc", 3},
		{"…", 1},
		{"日本", 4},		   /* wide */
		{"e\xcc\x81", 1},	   /* combining */
		{"\033[1;31mab\033[m", 2}, /* colours */
		{"\xff\xfe", 2},	   /* not UTF-8 */
		{"\033[", 2},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(texts); i++)
		assert_int_equal(op_text_columns(texts[i].text, strlen(texts[i].text)),
				 texts[i].columns);
}

TEST(names_lose_templates_then_parameters_then_their_middle)
{
	static const char tree[] = "std::map<int, std::vector<char> >::find(int const&) const";
	static const struct {
		const char *name;
		size_t columns;
		const char *shown;
	} names[] = {
		{tree, 57, tree},
		{tree, 56, "std::map<int, std::vector<…> >::find(int const&) const"},
		{tree, 53, "std::map<…>::find(int const&) const"},
		{tree, 34, "std::map<…>::find(…) const"},
		{tree, 25, "std::map…>::find(…) const"},
		{tree, 1, "…"},
		{"a<b>::operator<<(c<dd> const&)", 29, "a<…>::operator<<(c<…> const&)"},
		{"a<bbb>::operator<(c const&)", 25, "a<…>::operator<(c const&)"},
		{"a<bbb>::operator->() const", 24, "a<…>::operator->() const"},
		{"a<bbb>::operator()(int)", 21, "a<…>::operator()(int)"},
		{"(anonymous namespace)::f(int, int)", 27, "(anonymous namespace)::f(…)"},
		{"<alloc::vec::Vec<T> as core::ops::Drop>::drop", 12, "<…>::drop"},
		{"map<fn(u8) -> u8>::get", 12, "map<…>::get"},
		{"/usr/lib/x86_64-linux-gnu/libc.so.6", 20, "/usr/l…gnu/libc.so.6"},
		{"my_operator<int>::f(int)", 22, "my_operator<…>::f(int)"},
		{"f<>(int)", 6, "f<>(…)"},
		{"f<<<<<", 4, "f<<…"},
		{"f>>>)", 4, "f…>)"},
		{"日本日本", 5, "…本"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(names); i++) {
		char *shown = op_text_shorten(names[i].name, names[i].columns);

		assert_string_equal(shown, names[i].shown);
		assert_true(op_text_columns(shown, strlen(shown)) <= names[i].columns);
		free(shown);
	}
}

/* Of any length and depth. */
TEST(names_that_strangers_choose_take_no_time)
{
	enum { N = 1 << 20 };
	char *name = malloc(N + 1), *shown;

	assert_non_null(name);
	for (int i = 0; i < 3; i++) {
		size_t n = i == 2 ? 60000 : N;

		memset(name, i == 1 ? '(' : '<', n);
		name[n] = '\0';
		shown = op_text_shorten(name, 20);
		assert_true(op_text_columns(shown, strlen(shown)) <= 20);
		free(shown);
	}
	free(name);
}

static char *folded(const char *text, size_t columns)
{
	char *result = NULL;
	size_t n;
	FILE *out = open_memstream(&result, &n);

	assert_non_null(out);
	op_text_fold(text, strlen(text), columns, out);
	fclose(out);
	return result;
}

TEST(lines_are_broken_between_words)
{
	static const struct {
		const char *text, *shown;
		size_t columns;
	} texts[] = {
		{"one two three\n", "one two three\n", 13},
		{"one two three\n", "one two\n  three\n", 12},
		{"one two three\n", "one two three\n", 0},
		{"  one  two three\n\nfour\n", "  one\n    two\n    three\n\nfour\n", 9},
		{"\033[31mone two\033[m\n", "\033[31mone two\033[m\n", 7},
		{"\033[31mone two\033[m\n", "\033[31mone\n  two\033[m\n", 6},
		{"a /usr/lib/x86_64/libc.so\n", "a\n  /u…ibc.so\n", 11},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(texts); i++) {
		char *shown = folded(texts[i].text, texts[i].columns);

		assert_string_equal(shown, texts[i].shown);
		free(shown);
	}
}
