// SPDX-License-Identifier: GPL-2.0-or-later
/* Names that resemble a word. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "libop/base/array.h"
#include "libop/base/similar.h"

TEST(names_resemble_words_by_parts_and_by_edits)
{
	static const struct {
		const char *word, *name;
		unsigned int distance;
	} pairs[] = {
		{"tree", "tree", 0},
		{"TREE", "tree", 0},
		{"tre", "tree", 1}, /* a part of it */
		{"child", "no-children", 6},
		{"treee", "tree", 1},	     /* a letter too much */
		{"trxe", "tree", 1},	     /* another one */
		{"chidlren", "children", 1}, /* two exchanged */
		{"hcidlren", "children", 2}, /* twice */
		{"cpu-clok", "cpu-clock", 1},
		{"INST_RETIERD", "INST_RETIRED", 1},
		{"jsn", "json", 1},
		{"hot", "hto", 1},
		{"hat", "cut", OP_NOT_SIMILAR}, /* too short for two */
		{"ht", "hot", OP_NOT_SIMILAR},	/* and for one */
		{"chldrn", "children", 2},
		{"chdrn", "children", OP_NOT_SIMILAR},
		{"x", "vmlinux", OP_NOT_SIMILAR},
		{"", "tree", OP_NOT_SIMILAR},
		{"tree", "", OP_NOT_SIMILAR},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(pairs); i++)
		assert_int_equal(op_similarity(pairs[i].word, pairs[i].name), pairs[i].distance);
}

TEST(long_names_are_compared_by_parts_only)
{
	char word[200] = "", name[5000];

	memset(word, 'a', 64);
	memset(name, 'a', 64);
	name[64] = '\0';
	name[10] = 'b';
	assert_int_equal(op_similarity(word, name), 1);
	word[64] = name[64] = 'a';
	word[65] = name[65] = '\0';
	assert_int_equal(op_similarity(word, name), OP_NOT_SIMILAR);
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(op_similarity(word, name), 1000);
}

TEST(the_nearest_name_wins_and_of_equals_the_first)
{
	static const char *const names[] = {"session-dir", "sort", "stats",
					    "state",	   "--",   "symbols"};
	static const struct {
		const char *word, *name;
	} cases[] = {
		{"stat", "stats"},
		{"simbols", "symbols"},
		{"session", "session-dir"},
		{"xy", NULL},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct op_similar similar = {.word = cases[i].word};

		for (size_t k = 0; k < OP_ARRAY_SIZE(names); k++)
			op_similar_try(&similar, names[k]);
		if (cases[i].name)
			assert_string_equal(similar.name, cases[i].name);
		else
			assert_null(similar.name);
	}
}

TEST(an_error_ends_with_the_name_if_there_is_one)
{
	struct op_similar similar = {.word = "chldren"};
	char text[100];

	snprintf(text, sizeof(text), "no" OP_SIMILAR_FORMAT, OP_SIMILAR_ARGUMENTS(similar, "--"));
	assert_string_equal(text, "no");
	op_similar_try(&similar, "children");
	snprintf(text, sizeof(text), "no" OP_SIMILAR_FORMAT, OP_SIMILAR_ARGUMENTS(similar, "--"));
	assert_string_equal(text, "no; did you mean --children?");
}

TEST(of_entries_the_nearest_is_named_in_any_order)
{
	static const char *const files[] = {"perf.date", "perf.data", "perf.dato", ".perf.dat"};
	char *found, *dir = test_enter("similar");

	assert_non_null(dir);
	for (size_t i = 0; i < OP_ARRAY_SIZE(files); i++)
		fclose(fopen(files[i], "w"));
	assert_int_equal(mkdir("perf.dat", 0755), 0);
	found = op_similar_entry("perf.dta", false);
	assert_string_equal(found, "perf.data");
	free(found);
	found = op_similar_entry("./perf.dta", true);
	assert_string_equal(found, "perf.dat");
	free(found);
	assert_null(op_similar_entry("nowhere/perf.dta", false));
	assert_null(op_similar_entry("something", false));
	assert_int_equal(test_leave(dir), 0);
}
