// SPDX-License-Identifier: GPL-2.0-or-later
/* From a command line to an exit code. */
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/progress.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"
#include "pp/select/pair.h"
#include "libop/base/strings.h"
#include "libop/text/cells.h"

/* What a word of --verbose asks for. */
static int take_verbose(const struct op_option *option, void *field, const char *text,
			struct op_error *error)
{
	static const char *const topics[] = {"all",   "debug", "bfd", "level1",
					     "sfile", "stats", "xml"};
	struct pp_common *common = field;
	char *copy = pp_copy(text), *rest = copy, *item;
	int result = 0;

	while (!result && (item = strsep(&rest, ",")) != NULL) {
		size_t i = 0;

		while (i < sizeof(topics) / sizeof(topics[0]) && strcmp(item, topics[i]))
			i++;
		if (i == sizeof(topics) / sizeof(topics[0]))
			result = op_option_refuse(
				option, text, error,
				"'%s' is not one of all, debug, bfd, level1, sfile, "
				"stats, xml",
				item);
		common->stats |= !strcmp(item, "stats") || !strcmp(item, "all");
		common->warnings.verbose |= strcmp(item, "stats") != 0;
	}
	free(copy);
	return result;
}

static const struct op_option_type verbose_type = {.take = take_verbose};

static const struct op_option session_options[] = {
	{"session-dir", 0, "DIR",
	 "where the sessions are (default: oprofile_data, or " OP_SESSION_DEFAULT_DIR ")",
	 OP_TEXT(struct pp_common, session_dir)},
	{"trust-session", 0, NULL, "read sessions that other users can change, too",
	 OP_FLAG(struct pp_common, trust_session)},
	{"image-path", 'p', "DIRS", "search these directories for images, too",
	 OP_LIST(struct pp_common, image_paths)},
	{"root", 'R', "DIR", "images are below this directory", OP_TEXT(struct pp_common, root)},
	{"jit-dir", 0, "DIR",
	 "where JIT compilers wrote perf-PID.map and jit-PID.dump (default: /tmp)",
	 OP_TEXT(struct pp_common, jit_dir)},
	{0}};

static const struct op_option report_options[] = {
	{"color", 0, "WHEN",
	 "colour the report: always, never or auto (the default: on a terminal)",
	 OP_WORD(struct pp_common, output.color, enum pp_color, pp_color_words)},
	{"no-pager", 0, NULL, "don't show the report with $PAGER on a terminal",
	 OP_FLAG(struct pp_common, output.no_pager)},
	{0}};

static const struct op_option common_options[] = {
	{"verbose", 'V', "LIST", "show every warning (all), or the statistics (stats)",
	 .type = &verbose_type},
	OP_OPTION_VERSION('v'),
	{0}};

static void choose_session(struct pp_common *common)
{
	char *chosen = op_session_dir(common->session_dir);

	if (!chosen)
		pp_out_of_memory();
	common->session_given = common->session_dir != NULL;
	free(common->session_dir);
	common->session_dir = chosen;
}

/* A session that was left in this directory comes before the daemon's. */
static void warn_of_newer(const struct pp_common *common)
{
	const struct pp_spec *spec = &common->specs[0];

	if (!common->session_given && !spec->session_dir && !spec->archive &&
	    op_session_is_newer(OP_SESSION_DEFAULT_DIR, common->session_dir))
		op_warn("the session is %s; a newer one is in " OP_SESSION_DEFAULT_DIR
			" (--session-dir=" OP_SESSION_DEFAULT_DIR ")",
			common->session_dir);
}

static int parse_spec(struct pp_spec *spec, const struct op_strings *words, struct op_error *error)
{
	return pp_spec_parse(spec, (const char *const *)words->item, words->count, error);
}

/* A session that the words name is that of the command, unless two are compared. */
static int adopt_session(struct pp_common *common, struct op_error *error)
{
	struct pp_spec *spec = &common->specs[0];

	if (!spec->session_dir || common->is_pair)
		return 0;
	if (common->session_given)
		return op_error_set(error, EINVAL, "two session directories: %s and %s",
				    common->session_dir, spec->session_dir);
	free(common->session_dir);
	common->session_dir = spec->session_dir;
	common->session_given = true;
	spec->session_dir = NULL;
	return 0;
}

static int parse_pair(struct pp_common *common, struct op_error *error)
{
	struct pp_pair pair;
	int result = pp_pair_split(&pair, &common->words, error);

	common->is_pair = pair.is_pair;
	if (!result)
		result = parse_spec(&common->specs[0], &pair.words[0], error);
	if (!result && pair.is_pair)
		result = parse_spec(&common->specs[1], &pair.words[1], error);
	pp_pair_free(&pair);
	return result;
}

static int parse_words(struct pp_common *common, enum pp_words words, struct op_error *error)
{
	switch (words) {
	case PP_WORDS_SPEC:
		return parse_spec(&common->specs[0], &common->words, error) ||
		       adopt_session(common, error);
	case PP_WORDS_PAIR:
		return parse_pair(common, error) || adopt_session(common, error);
	case PP_WORDS_OWN:
		break;
	}
	return 0;
}

static int read_options(const struct pp_tool *tool, const struct op_option_table *tables,
			struct pp_common *common, int argc, char **argv, struct op_error *error)
{
	struct op_strings rewritten = {0};
	const char **words = (const char **)argv;
	int result = 0;

	if (tool->words == PP_WORDS_PAIR) {
		result = pp_pair_options(&rewritten, argc, argv, error);
		words = (const char **)rewritten.item;
		argc = (int)rewritten.count;
	}
	if (!result)
		result =
			op_options_read(tables, tool->synopsis, argc, words, &common->words, error);
	op_strings_free(&rewritten);
	return result;
}

static enum op_exit run(const struct pp_tool *tool, const struct op_option_table *tables, void *job,
			int argc, char **argv, struct op_error *error)
{
	struct pp_common *common = job;

	if (read_options(tool, tables, common, argc, argv, error))
		return OP_EXIT_USAGE;
	common->command_line = op_command_line(argc, (const char *const *)argv);
	if (!common->command_line)
		pp_out_of_memory();
	choose_session(common);
	if (parse_words(common, tool->words, error) || (tool->check && tool->check(job, error)))
		return OP_EXIT_USAGE;
	common->specs[0].trust = common->specs[1].trust = common->trust_session;
	if (!tool->no_session)
		warn_of_newer(common);
	return tool->run(job, error) ? OP_EXIT_FAILURE : OP_EXIT_OK;
}

int pp_tool_main(const struct pp_tool *tool, void *job, int argc, char **argv)
{
	static const struct op_option none[] = {{0}};
	const struct op_option_table tables[] = {
		{tool->options, job, NULL},
		{common_options, job, "Options of all report tools:"},
		{tool->no_session ? none : session_options, job, "Where things are:"},
		{tool->reports ? report_options : none, job, "On a terminal:"},
		{0}};
	struct pp_common *common = job;
	struct op_error error;
	enum op_exit status;

	op_program_set(argv[0]);
	op_progress_begin();
	status = run(tool, tables, job, argc, argv, &error);
	op_progress_end();
	if (status == OP_EXIT_USAGE)
		op_usage_error(&error);
	else if (status != OP_EXIT_OK)
		op_complain("%s", error.text);
	if (tool->release)
		tool->release(job);
	op_options_release(tables);
	op_strings_free(&common->words);
	pp_spec_free(&common->specs[0]);
	pp_spec_free(&common->specs[1]);
	free(common->session_dir);
	free(common->command_line);
	return status;
}

struct pp_image_search pp_common_search(const struct pp_common *common, const struct pp_spec *spec)
{
	return (struct pp_image_search){.archive = spec->archive,
					.root = common->root,
					.paths = &common->image_paths,
					.jit_dir = common->jit_dir};
}
