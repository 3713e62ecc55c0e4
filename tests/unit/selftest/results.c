// SPDX-License-Identifier: GPL-2.0-or-later
/* What oprofile-selftest reads: lists of opreport, folded stacks, truths of workloads. */
#include "tests/unit/test.h"

#include <math.h>

#include "libop/base/array.h"
#include "utils/selftest/results.h"

static struct results parse(const char *list, char **text)
{
	struct results results;
	struct op_error error = {0};

	*text = strdup(list);
	if (results_parse(*text, &results, &error))
		fail_msg("%s", error.text);
	return results;
}

TEST(samples_of_a_symbol_are_summed_and_stand_for_periods)
{
	char *text;
	struct results results =
		parse("cpu-clock:1000,application,image,symbol,address\n"
		      "7,/a,/a,work,0x10\n"
		      "2,/a,/b,rest,0x1f\n"
		      "3,/a,/b,work,0x20\n"
		      "# note: something\n"
		      "# samples received 15, stored 12, lost 3, lost in the kernel 1\n",
		      &text);
	struct tally tally = results_of_symbol(&results, "work");

	assert_string_equal(results.event, "cpu-clock");
	assert_int_equal(results.period, 1000);
	assert_int_equal(results.count, 3);
	assert_true(tally.samples == 10 && tally.events == 10000);
	assert_true(results_of_symbol(&results, "wor").samples == 0);
	assert_int_equal(results.item[1].address, 0x1f);
	assert_string_equal(results.item[1].image, "/b");
	assert_int_equal(results.received, 15);
	assert_int_equal(results.stored, 12);
	assert_int_equal(results.lost, 3);
	results_free(&results);
	free(text);
}

TEST(samples_of_a_frequency_stand_for_their_events)
{
	char *text;
	struct results results =
		parse("cycles:0,cycles:0 (events),application,image,symbol,address\n"
		      "7,123456,/a,/a,work,0x10\n",
		      &text);
	struct tally tally = results_of_symbol(&results, "work");

	assert_true(tally.samples == 7 && tally.events == 123456);
	results_free(&results);
	free(text);
}

/* Lists of lines have inclusive samples as well; a path may have commas and quotes. */
TEST(lines_have_their_numbers_whatever_their_paths_are)
{
	char *text;
	struct results results =
		parse("cpu-clock:5,cpu-clock:5 (inclusive),application,image,symbol,address,"
		      "file,line\n"
		      "7,9,\"/a,b\",\"/a \"\"b\"\",c\",work,0x10,\"/src/a,b.c\",31\n"
		      "1,1,/a,/kallsyms,idle,0xffffffff82203249,,\n",
		      &text);

	assert_int_equal(results.count, 2);
	assert_string_equal(results.item[0].image, "/a \"b\",c");
	assert_int_equal(results.item[0].line, 31);
	assert_true(results.item[0].tally.events == 35);
	assert_int_equal(results.item[1].line, 0);
	assert_true(results.item[1].address == 0xffffffff82203249);
	results_free(&results);
	free(text);
}

TEST(what_is_no_list_is_refused)
{
	static const char *const lists[] = {"",
					    "\n",
					    "nothing\n",
					    "cpu-clock:many,image\n",
					    "cpu-clock:1,image\nx,/a\n",
					    "a:0,a:0 (events),image\n1,x,/a\n"};

	for (size_t i = 0; i < OP_ARRAY_SIZE(lists); i++) {
		struct results results;
		struct op_error error = {0};
		char *text = strdup(lists[i]);

		assert_int_equal(results_parse(text, &results, &error), -1);
		assert_int_equal(error.code, EINVAL);
		free(text);
	}
}

/* A kernel's frame below the leaf, and a caller whose name only ends alike, are others. */
TEST(stacks_are_those_that_end_with_the_frames)
{
	static const char folded[] = "prog;main;often;leaf 70\n"
				     "prog;main;often;leaf;irq 5\n"
				     "prog;main;not_often;leaf 11\n"
				     "prog;main;seldom;leaf 30\n"
				     "often;leaf 1\n";

	assert_true(results_of_stack(folded, "often;leaf") == 71);
	assert_true(results_of_stack(folded, "leaf") == 112);
	assert_true(results_of_stack(folded, "main") == 0);
}

TEST(truths_have_names)
{
	static const char truth[] = "long 1.5\nlonger 2\nbrief 0.25\n";

	assert_true(results_truth(truth, "long") == 1.5);
	assert_true(results_truth(truth, "brief") == 0.25);
	assert_true(isnan(results_truth(truth, "brie")));
	assert_true(isnan(results_truth("", "long")));
}
