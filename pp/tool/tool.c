// SPDX-License-Identifier: GPL-2.0-or-later
/* From a command line to an exit code. */
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/number.h"
#include "libop/base/page_guard.h"
#include "libop/base/progress.h"
#include "libop/base/similar.h"
#include "libop/session/paths.h"
#include "libop/session/temporary.h"
#include "libop/base/memory.h"
#include "pp/select/pair.h"
#include "libop/base/strings.h"
#include "libop/text/cells.h"

/* What a word of --verbose asks for. */
static int take_verbose(const struct op_option *option, void *field, const char *text,
			struct op_error *error)
{
	static const char *const topics[] = {"all",   "debug", "bfd", "level1",
					     "sfile", "stats", "xml", NULL};
	struct pp_common *common = field;
	char *copy = op_copy(text), *rest = copy, *item;
	int result = 0;

	while (!result && (item = strsep(&rest, ",")) != NULL) {
		struct op_similar similar = op_similar_of(item, topics);
		size_t i = 0;

		while (topics[i] && strcmp(item, topics[i]))
			i++;
		if (!topics[i])
			result = op_option_refuse(
				option, text, error,
				"'%s' is not one of all, debug, bfd, level1, sfile, "
				"stats, xml" OP_SIMILAR_FORMAT,
				item, OP_SIMILAR_ARGUMENTS(similar, ""));
		common->stats |= !strcmp(item, "stats") || !strcmp(item, "all");
		common->warnings.verbose |= strcmp(item, "stats") != 0;
	}
	free(copy);
	return result;
}

static int take_last(const struct op_option *option, void *field, const char *text,
		     struct op_error *error)
{
	struct op_error why;

	if (op_duration_parse(text, "time", 1, PP_LAST_MOST, field, &why))
		return op_option_refuse(option, text, error, "%s", why.text);
	return 0;
}

static const struct op_option_type verbose_type = {.take = take_verbose},
				   last_type = {.take = take_last};

static const struct op_option session_options[] = {
	{"session-dir", 0, "DIR",
	 "where the sessions are (default: oprofile_data, or " OP_SESSION_DEFAULT_DIR ")",
	 OP_TEXT(struct pp_common, session_dir)},
	{"last", 0, "TIME", "sessions with samples of the last TIME: 30m, 1h, 7d",
	 .type = &last_type, .field = OP_FIELD(struct pp_common, last, uint64_t)},
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
		op_out_of_memory();
	common->session_given = common->session_dir != NULL;
	free(common->session_dir);
	common->session_dir = chosen;
}

/* A session that was left in this directory comes before the daemon's. */
static void warn_of_newer(const struct pp_common *common)
{
	const struct pp_spec *spec = &common->specs[0];

	if (!common->session_given && !spec->session_dir && !spec->archive && !spec->inputs.count &&
	    op_session_is_newer(OP_SESSION_DEFAULT_DIR, common->session_dir))
		op_warn("the session is %s; a newer one is in " OP_SESSION_DEFAULT_DIR
			" (--session-dir=" OP_SESSION_DEFAULT_DIR ")",
			common->session_dir);
}

static void add_word(struct op_strings *list, const char *word)
{
	if (op_strings_add(list, word))
		op_out_of_memory();
}

/* Adds a word to those of the specification, or to the profiles of other formats. */
static void sort_word(const struct pp_tool *tool, const char *word, struct op_strings *rest,
		      struct op_strings *inputs)
{
	char *archive;

	if (tool->inputs && tool->inputs->is_input(word)) {
		add_word(inputs, word);
	} else if (tool->inputs && tool->inputs->is_archive(word)) {
		archive = op_format("archive:%s", word);
		add_word(rest, archive);
		free(archive);
	} else {
		add_word(rest, word);
	}
}

static int set_last(struct pp_spec *spec, uint64_t last, struct op_error *error)
{
	if (spec->sessions.count || spec->last)
		return op_error_set(error, EINVAL, "--last and %s: exclude each other",
				    spec->last ? "last" : "session");
	spec->last = last;
	return 0;
}

/* A store has times of its own, which the address says. */
static void pass_last(const struct pp_tool *tool, struct pp_spec *spec)
{
	struct op_strings words = {0};

	for (size_t i = 0; i < spec->inputs.count; i++) {
		char *word = tool->inputs->of_last(spec->inputs.item[i], spec->last);

		if (word)
			add_word(&words, word);
		free(word);
	}
	if (words.count != spec->inputs.count) {
		op_strings_free(&words);
		return;
	}
	op_strings_free(&spec->inputs);
	spec->inputs = words;
	spec->last = 0;
}

/* A session has a directory of samples in it, so a word is not both. */
static int parse_spec(const struct pp_tool *tool, const struct pp_common *common,
		      struct pp_spec *spec, const struct op_strings *words, struct op_error *error)
{
	struct op_strings rest = {0}, inputs = {0};
	int result;

	for (size_t i = 0; i < words->count; i++)
		sort_word(tool, words->item[i], &rest, &inputs);
	result = pp_spec_parse(spec, (const char *const *)rest.item, rest.count, error);
	op_strings_free(&rest);
	spec->inputs = inputs;
	if (!result && common->last)
		result = set_last(spec, common->last, error);
	if (result || !inputs.count)
		return result || !spec->labels.count
			       ? result
			       : op_error_set(error, EINVAL,
					      "label: is for profiles of other formats; sessions "
					      "have none");
	if (spec->last)
		pass_last(tool, spec);
	for (size_t i = 0; i < spec->labels.count; i++)
		if (!strchr(spec->labels.item[i], '='))
			return op_error_set(error, EINVAL, "label:%s: NAME=VALUE is needed",
					    spec->labels.item[i]);
	if (spec->archive || spec->session_dir || spec->sessions.count || spec->last ||
	    (common->session_given && !common->is_pair))
		return op_error_set(error, EINVAL, "'%s' is a profile of its own, not of a session",
				    spec->inputs.item[0]);
	return 0;
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

/* What is no profile by its content, in the place of one, is a session: its name, or its path. */
static void name_session(const struct pp_tool *tool, char **word, char **as_given)
{
	bool is_below = strchr(*word, '/') && **word != '/' && **word != '.';
	char *named;

	if (pp_spec_has_tag(*word) || pp_spec_is_session_dir(*word) ||
	    (tool->inputs && (tool->inputs->is_input(*word) || tool->inputs->is_archive(*word))))
		return;
	named = op_format("session:%s%s", is_below ? "./" : "", *word);
	*as_given = *word;
	*word = named;
}

static int split_pair(const struct pp_tool *tool, struct pp_common *common, struct pp_pair *pair,
		      struct op_error *error)
{
	if (tool->words == PP_WORDS_PAIR)
		return pp_pair_split(pair, &common->words, error);
	if (pp_pair_of_two(pair, &common->words, error))
		return -1;
	for (size_t i = 0; i < 2 && !pair->has_braces; i++)
		name_session(tool, &pair->words[i].item[0], &common->named[i]);
	return 0;
}

static int parse_pair(const struct pp_tool *tool, struct pp_common *common, struct op_error *error)
{
	struct pp_pair pair;
	int result = split_pair(tool, common, &pair, error);

	common->is_pair = pair.is_pair;
	if (!result)
		result = parse_spec(tool, common, &common->specs[0], &pair.words[0], error);
	if (!result && pair.is_pair)
		result = parse_spec(tool, common, &common->specs[1], &pair.words[1], error);
	pp_pair_free(&pair);
	return result;
}

static int parse_words(const struct pp_tool *tool, struct pp_common *common, struct op_error *error)
{
	switch (tool->words) {
	case PP_WORDS_SPEC:
		return parse_spec(tool, common, &common->specs[0], &common->words, error) ||
		       adopt_session(common, error);
	case PP_WORDS_PAIR:
	case PP_WORDS_TWO:
		return parse_pair(tool, common, error) || adopt_session(common, error);
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

	if (tool->words == PP_WORDS_PAIR || tool->words == PP_WORDS_TWO) {
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

/* ---- profiles of other formats ---- */

/* What is selected must be told apart. */
static struct pp_separation separation_of(const struct pp_tool *tool, void *job,
					  const struct pp_spec *spec)
{
	struct pp_common *common = job;
	struct pp_separation separation = {0};

	if (tool->separation)
		separation = tool->separation(job);
	separation.process |= spec->tgids.n;
	separation.thread |= spec->tids.n;
	separation.cpu |= spec->cpus.n;
	separation.wanted = &spec->labels;
	separation.sums = separation.programs_only ? &common->label_sums : NULL;
	return separation;
}

/* An archive may be a file, too. */
static int unpack_archive(const struct pp_tool *tool, struct pp_spec *spec, struct op_error *error)
{
	struct stat status;
	const char *dir;

	if (!spec->archive)
		return 0;
	if (stat(spec->archive, &status))
		return op_error_errno(error, "archive:%s", spec->archive);
	if (S_ISDIR(status.st_mode))
		return 0;
	dir = tool->inputs->unpack_archive(spec->archive, error);
	if (!dir)
		return -1;
	free(spec->archive);
	spec->archive = op_copy(dir);
	return 0;
}

/* Makes sessions of the inputs. */
static int read_inputs(const struct pp_tool *tool, void *job, struct op_error *damage,
		       struct op_error *error)
{
	struct pp_common *common = job;

	if (tool->take_inputs)
		tool->take_inputs(job);
	for (size_t i = 0; tool->inputs && i < 2; i++) {
		struct pp_spec *spec = &common->specs[i];
		struct pp_separation separation;
		const char *dir;
		char **kept;

		if (unpack_archive(tool, spec, error))
			return -1;
		if (!spec->inputs.count)
			continue;
		separation = separation_of(tool, job, spec);
		dir = tool->inputs->make_session(&spec->inputs, &separation, damage, error);
		if (!dir)
			return -1;
		if (separation.label && !common->label_sums.n)
			add_word(&spec->sessions, PP_LABEL_SESSIONS);
		kept = common->is_pair ? &spec->session_dir : &common->session_dir;
		free(*kept);
		*kept = op_copy(dir);
	}
	return 0;
}

static int directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) + 1 : 0;
}

/* Of a word that names no file.  Return: whether @error is another one now. */
static bool explain_missing(const char *word, struct op_error *error)
{
	struct op_error cause = *error;
	char *similar = NULL;
	bool is_new;

	if (!strstr(cause.text, "did you mean"))
		similar = op_similar_entry(word, false);
	is_new = similar || cause.code == PP_NO_SESSION;
	if (similar)
		op_error_set(error, cause.code, "%.300s: no such file; did you mean %.*s%s?", word,
			     directory_length(word), word, similar);
	else if (is_new)
		op_error_set(error, cause.code, "%.300s: no such file, and %s", word, cause.text);
	free(similar);
	return is_new;
}

/* A word that names a file, and no image or session, may have been meant as a profile; one that
 * names no file is a mistake.  Return: as explain_missing(). */
static bool explain_word(const struct pp_tool *tool, const char *word, struct op_error *error)
{
	size_t length = strlen(word);
	struct op_error cause = {0};

	if (strpbrk(word, "*?["))
		return false;
	if (error->code == PP_NO_MATCH &&
	    (strncmp(error->text, word, length) != 0 || error->text[length] != ':'))
		return false;
	if (!access(word, F_OK)) {
		if (tool->inputs)
			tool->inputs->explain(word, &cause);
		if (cause.code)
			*error = cause;
		return cause.code;
	}
	return explain_missing(word, error);
}

/* Whether the error is of the session that a word is taken for: "no session at DIR/WORD: ..." */
static bool is_of_session(const struct op_error *error, const char *word)
{
	char *path = op_format("%s%s: ", strchr("/.", *word) ? "" : "/", word);
	bool is = strstr(error->text, path);

	free(path);
	return is;
}

/* One error: of the first word that explains it. */
static void explain_failure(const struct pp_tool *tool, const struct pp_common *common,
			    struct op_error *error)
{
	bool is_done = error->code != PP_NO_MATCH && error->code != PP_NO_SESSION;

	for (size_t i = 0; !is_done && i < 2; i++) {
		const struct op_strings *names = &common->specs[i].names;

		if (common->named[i] && is_of_session(error, common->named[i]))
			is_done = explain_word(tool, common->named[i], error);
		for (size_t k = 0; !is_done && k < names->count; k++)
			is_done = explain_word(tool, names->item[k], error);
	}
}

static enum op_exit tool_run(const struct pp_tool *tool, const struct op_option_table *tables,
			     void *job, int argc, char **argv, struct op_error *error)
{
	struct pp_common *common = job;
	struct op_error damage = {0};

	if (read_options(tool, tables, common, argc, argv, error))
		return OP_EXIT_USAGE;
	common->command_line = op_command_line(argc, (const char *const *)argv);
	if (!common->command_line)
		op_out_of_memory();
	choose_session(common);
	if (parse_words(tool, common, error) || (tool->check && tool->check(job, error)))
		return OP_EXIT_USAGE;
	common->specs[0].is_alone = !common->is_pair;
	common->specs[0].trust = common->specs[1].trust = common->trust_session;
	if (!tool->no_session)
		warn_of_newer(common);
	if (read_inputs(tool, job, &damage, error))
		return OP_EXIT_FAILURE;
	if (tool->run(job, error)) {
		explain_failure(tool, common, error);
		return OP_EXIT_FAILURE;
	}
	if (damage.code) {
		*error = damage;
		return OP_EXIT_FAILURE;
	}
	return tool->judge && tool->judge(job, error) ? OP_EXIT_FINDING : OP_EXIT_OK;
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

	op_program_begin(argv[0]);
	page_guard_ignore_file_limit();
	op_progress_begin();
	status = tool_run(tool, tables, job, argc, argv, &error);
	op_progress_end();
	if (status == OP_EXIT_USAGE)
		op_usage_error(&error);
	else if (status != OP_EXIT_OK)
		op_complain("%s", error.text);
	if (tool->release)
		tool->release(job);
	op_temporary_sessions_remove();
	op_options_release(tables);
	op_strings_free(&common->words);
	pp_spec_free(&common->specs[0]);
	pp_spec_free(&common->specs[1]);
	pp_label_sums_free(&common->label_sums);
	free(common->named[0]);
	free(common->named[1]);
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
