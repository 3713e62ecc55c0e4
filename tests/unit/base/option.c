// SPDX-License-Identifier: GPL-2.0-or-later
/* Option tables: what each type stores and refuses. */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/base/option.h"

#define WORDS_MAX 16

enum size { SMALL, LARGE };

struct job {
	bool all;
	char *output;
	uint64_t frequency;
	double share;
	enum size size;
	struct op_strings events;
	struct op_pids pids;
	const struct op_option *action;
};

static const char *const sizes[] = {"small", "large", NULL};

static const struct op_option rows[] = {
	{"all", 'a', NULL, "take all", OP_FLAG(struct job, all)},
	{"output", 'o', "FILE", "write to this file", OP_TEXT(struct job, output)},
	{"freq", 0, "HZ", "samples per second", OP_NUMBER(struct job, frequency, 1, 1000)},
	{"share", 0, "PERCENT", "the least share", OP_PERCENT(struct job, share)},
	{"size", 0, "SIZE", "small or large", OP_WORD(struct job, size, enum size, sizes)},
	{"events", 'e', "LIST", "what to count", OP_LIST(struct job, events)},
	{"event", 0, "LIST", NULL, OP_LIST(struct job, events)},
	{"pid", 'p', "PID,...", "processes", OP_PIDS(struct job, pids)},
	{"start", 0, NULL, "start", OP_ACTION(struct job, action, 5)},
	{"stop", 0, NULL, "stop", OP_ACTION(struct job, action, 6)},
	{NULL, 'q', NULL, "no effect", .type = &op_option_ignored},
	{"older", 'O', "X", NULL, OP_HINT("use --size")},
	{0}};

/* A command line and what was made of it. */
struct line {
	struct job job;
	struct op_strings words;
	char **command;
	struct op_error error;
};

static size_t split(char *text, const char **argv)
{
	size_t argc = 0;

	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		assert_true(argc < WORDS_MAX);
		argv[argc++] = word;
	}
	argv[argc] = NULL;
	return argc;
}

static int parse(struct line *line, const char *text, bool has_command)
{
	const struct op_option_table tables[] = {{rows, &line->job, NULL}, {0}};
	static char copy[256];
	static const char *argv[WORDS_MAX + 1];
	size_t argc;

	*line = (struct line){0};
	snprintf(copy, sizeof(copy), "program %s", text);
	argc = split(copy, argv);
	return has_command
		       ? op_options_read_command(tables, "", (int)argc, argv, &line->command,
						 &line->error)
		       : op_options_read(tables, "", (int)argc, argv, &line->words, &line->error);
}

static void release(struct line *line)
{
	op_options_release((const struct op_option_table[]){{rows, &line->job, NULL}, {0}});
	op_strings_free(&line->words);
}

TEST(each_type_stores_its_value)
{
	struct line line;

	assert_int_equal(
		parse(&line, "-a -o x --freq=0x10 --share=2.5 --size=large --start", false), 0);
	assert_true(line.job.all);
	assert_string_equal(line.job.output, "x");
	assert_int_equal(line.job.frequency, 16);
	assert_true(line.job.share == 2.5);
	assert_int_equal(line.job.size, LARGE);
	assert_int_equal(line.job.action->value, 5);
	release(&line);
	assert_null(line.job.output);
}

TEST(a_percentage_may_end_with_its_sign)
{
	struct line line;

	assert_int_equal(parse(&line, "--share=2.5%", false), 0);
	assert_true(line.job.share == 2.5);
	release(&line);
}

TEST(the_last_of_repeated_options_counts)
{
	struct line line;

	assert_int_equal(parse(&line, "-o a --freq=1 --output=b --freq 2 --start --start", false),
			 0);
	assert_string_equal(line.job.output, "b");
	assert_int_equal(line.job.frequency, 2);
	release(&line);
}

TEST(lists_grow_and_an_alias_sets_the_same_field)
{
	static const char *const wanted[] = {"a", "b", "c", "d"};
	struct line line;

	assert_int_equal(parse(&line, "-e a,b --event=c --events d -p 1,2 --pid=0x3", false), 0);
	assert_int_equal(line.job.events.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(line.job.events.item[i], wanted[i]);
	assert_int_equal(line.job.pids.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(line.job.pids.item[i], i + 1);
	release(&line);
	assert_int_equal(line.job.pids.count, 0);
}

TEST(words_are_found_before_and_behind_options)
{
	struct line line;

	assert_int_equal(parse(&line, "one -a two -- -o", false), 0);
	assert_int_equal(line.words.count, 3);
	assert_string_equal(line.words.item[0], "one");
	assert_string_equal(line.words.item[1], "two");
	assert_string_equal(line.words.item[2], "-o");
	release(&line);
}

TEST(a_command_keeps_its_options)
{
	struct line line;

	assert_int_equal(parse(&line, "-a run -o --freq=0", true), 0);
	assert_true(line.job.all);
	assert_null(line.job.output);
	assert_string_equal(line.command[0], "run");
	assert_string_equal(line.command[1], "-o");
	assert_string_equal(line.command[2], "--freq=0");
	assert_null(line.command[3]);
	release(&line);
	assert_int_equal(parse(&line, "-a", true), 0);
	assert_null(line.command);
	release(&line);
}

TEST(wrong_values_are_refused_with_option_and_value)
{
	static const struct {
		const char *line, *error;
	} cases[] = {
		{"--nonsense", "--nonsense: unknown option"},
		{"--output", "--output: missing argument"},
		{"--output=", "--output=: empty argument"},
		{"--freq=0", "--freq=0: not a number from 1 to 1000"},
		{"--freq=1001", "--freq=1001: not a number from 1 to 1000"},
		{"--freq=1x", "--freq=1x: not a number from 1 to 1000"},
		{"--freq=-1", "--freq=-1: not a number from 1 to 1000"},
		{"--share=101", "--share=101: not a percentage from 0 to 100"},
		{"--share=5%%", "--share=5%%: not a percentage from 0 to 100"},
		{"--share=%", "--share=%: not a percentage from 0 to 100"},
		{"--share=101%", "--share=101%: not a percentage from 0 to 100"},
		{"--share=nan", "--share=nan: not a percentage from 0 to 100"},
		{"--size=huge", "--size=huge: not one of small, large"},
		{"--size=Small", "--size=Small: not one of small, large; did you mean small?"},
		{"-e a,,b", "--events=a,,b: empty item in the list"},
		{"-p 1,x", "--pid=1,x: \"x\" is not an id"},
		{"-p 0", "--pid=0: \"0\" is not an id"},
		{"-p 2147483648", "--pid=2147483648: \"2147483648\" is not an id"},
		{"--older=1", "--older: use --size"},
		{"-O 1", "--older: use --size"},
		{"--oldre", "--oldre: unknown option"},
		{"--start --stop", "--start and --stop exclude each other"},
	};
	struct line line;

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		assert_int_equal(parse(&line, cases[i].line, false), -1);
		assert_string_equal(line.error.text, cases[i].error);
		assert_int_equal(line.error.code, EINVAL);
		release(&line);
	}
}

TEST(an_error_of_a_letter_without_name_has_one_dash)
{
	struct op_error error;

	assert_int_equal(op_option_refuse(&rows[10], NULL, &error, "%s", "why"), -1);
	assert_string_equal(error.text, "-q: why");
}

TEST(words_are_refused_where_none_are_taken)
{
	struct job job = {0};
	const struct op_option_table tables[] = {{rows, &job, NULL}, {0}};
	const char *argv[] = {"program", "word", NULL};
	struct op_error error;

	assert_int_equal(op_options_read(tables, "", 2, argv, NULL, &error), -1);
	assert_string_equal(error.text, "\"word\" is not an option");
}
