// SPDX-License-Identifier: GPL-2.0-or-later
/* opdb: look at sample files, stack files and packs, mend them, pack and unpack. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "libdb/odb/odb.h"
#include "libdb/stacks/stacks.h"
#include "libop/base/array.h"
#include "libop/base/error.h"
#include "libop/base/option.h"
#include "libop/base/safe_text.h"
#include "libop/base/similar.h"
#include "libop/base/page_guard.h"
#include "libop/pack/pack.h"
#include "libop/base/file.h"
#include "pack.h"
#include "saved.h"
#include "session.h"
#include "walk.h"

#define SYNOPSIS "check|repair|dump FILE|DIR... | pack|unpack DIR... | drop DAYS"

#define PROBLEMS_SHOWN 100 /* of one file */

struct run {
	struct dump_style style;
	const char *path; /* the file that is being checked */
	ptrdiff_t shown;
	unsigned int busy; /* files that were in use by a writer */
};

static void report(void *context, const struct odb_problem *problem)
{
	struct run *run = context;

	if (run->shown++ < PROBLEMS_SHOWN)
		op_safe_line(stdout, "%s: byte %" PRIu64 ": %s%s", run->path, problem->offset,
			     problem->text,
			     problem->harmless ? "; harmless, the next writer mends it" : "");
}

static int check_file(void *context, const char *path)
{
	struct run *run = context;
	struct odb_error error;
	ptrdiff_t problems;
	bool busy = false;

	if (op_pack_is_file(path))
		return check_pack(path);
	run->path = path;
	run->shown = 0;
	problems = stacks_is_file(path) ? stacks_check(path, report, run, &error)
					: odb_check(path, report, run, &busy, &error);
	if (problems < 0) {
		op_complain("%s", error.text);
		return -1;
	}
	if (run->shown > PROBLEMS_SHOWN)
		op_safe_line(stdout, "%s: %td more problems", path, run->shown - PROBLEMS_SHOWN);
	run->busy += busy;
	return problems ? -1 : 0;
}

static int check_leftover(void *context, const char *path)
{
	(void)context;
	if (odb_leftover(path, false) <= 0)
		return 0;
	op_safe_line(stdout,
		     "%s: byte 0: unfinished file, left by a writer that was killed; harmless, "
		     "nothing reads it",
		     path);
	return 0;
}

static int repair_file(void *context, const char *path)
{
	struct odb_repair result;
	struct odb_error error;
	char *emptied, *lost;

	(void)context;
	if (op_pack_is_file(path))
		return repair_pack(path);
	if (stacks_is_file(path) ? stacks_repair(path, &result, &error)
				 : odb_repair(path, &result, &error)) {
		op_complain("%s", error.text);
		return -1;
	}
	if (!result.changed)
		return 0;
	lost = result.lost
		       ? op_path(", %" PRIu64 " nodes that are %s lost", result.lost,
				 stacks_is_file(path) ? "damaged" : "beyond the end of the file")
		       : strdup("");
	emptied = result.emptied
			  ? op_path(", %" PRIu64 " nodes without a count removed", result.emptied)
			  : strdup("");
	op_safe_line(stdout, "%s: repaired: %" PRIu64 " samples kept in %" PRIu64 " nodes%s%s",
		     path, result.sum, result.kept, emptied ? emptied : "", lost ? lost : "");
	free(emptied);
	free(lost);
	return 0;
}

static int repair_leftover(void *context, const char *path)
{
	int ret = odb_leftover(path, true);

	(void)context;
	if (ret > 0)
		op_safe_line(stdout, "%s: unfinished file removed", path);
	else if (ret < 0)
		op_complain("%s: cannot remove: %m", path);
	return ret < 0 ? -1 : 0;
}

static int dump_file(void *context, const char *path)
{
	struct run *run = context;

	return dump(&run->style, path);
}

static const struct command {
	const char *name;
	struct walk walk;
	int (*session)(const char *word); /* of those that do not work on single files */
	bool dumps;
	const char *takes;
} commands[] = {
	{"check", {.file = check_file, .leftover = check_leftover}, NULL, false, "file"},
	{"repair",
	 {.file = repair_file, .leftover = repair_leftover, .writes = true},
	 NULL,
	 false,
	 "file"},
	{"dump", {.file = dump_file}, NULL, true, "file"},
	{"pack", {0}, session_pack, false, "directory"},
	{"unpack", {0}, session_unpack, false, "directory"},
	{"drop", {0}, saved_symbols_drop, false, "number of days"},
};

static const struct command *command_named(const char *name)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(commands); i++) {
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	}
	return NULL;
}

static const struct op_option rows[] = {
	{"json", 'j', NULL, "dump: one JSON object per file and line",
	 OP_FLAG(struct dump_style, json)},
	{"merged", 'm', NULL, "dump: sort by key, add up the counts of a key",
	 OP_FLAG(struct dump_style, merged)},
	OP_OPTION_VERSION('v'),
	{0}};

static int refuse_command(const char *word, struct op_error *error)
{
	struct op_similar similar = {.word = word};

	for (size_t i = 0; i < OP_ARRAY_SIZE(commands); i++)
		op_similar_try(&similar, commands[i].name);
	return op_error_set(error, EINVAL,
			    "%s: unknown command; there are check, repair, dump, pack, unpack and "
			    "drop" OP_SIMILAR_FORMAT,
			    word, OP_SIMILAR_ARGUMENTS(similar, ""));
}

static int opdb_check(const struct command *command, const struct dump_style *style,
		      const struct op_strings *words, struct op_error *error)
{
	if (!words->count)
		return op_error_set(error, EINVAL,
				    "no command given: check, repair, dump, pack, unpack or drop");
	if (!command)
		return refuse_command(words->item[0], error);
	if ((style->json || style->merged) && !command->dumps)
		return op_error_set(error, EINVAL, "--json and --merged go with dump only");
	if (words->count < 2)
		return op_error_set(error, EINVAL, "%s: no %s given", words->item[0],
				    command->takes);
	return 0;
}

static int run_command(const struct command *command, struct run *run,
		       const struct op_strings *words)
{
	struct walk each = command->walk;
	int ret = 0;

	each.context = run;
	for (size_t i = 1; i < words->count; i++) {
		const char *path = words->item[i];

		if (command->session ? command->session(path) : walk(&each, path))
			ret = -1;
	}
	if (run->busy)
		op_warn("%u files are open for writing: their hash chains were not checked",
			run->busy);
	if (fflush(stdout) || ferror(stdout)) {
		op_complain("cannot write the output: %m");
		ret = -1;
	}
	return ret ? OP_EXIT_FAILURE : OP_EXIT_OK;
}

int main(int argc, char **argv)
{
	struct run run = {.shown = 0};
	const struct op_option_table tables[] = {{rows, &run.style, NULL}, {0}};
	const struct command *command = NULL;
	struct op_strings words = {0};
	struct op_error error;
	int status, wrong;

	op_program_begin(argv[0]);
	page_guard_ignore_file_limit();
	wrong = op_options_read(tables, SYNOPSIS, argc, (const char **)argv, &words, &error);
	if (!wrong) {
		command = words.count ? command_named(words.item[0]) : NULL;
		wrong = opdb_check(command, &run.style, &words, &error);
	}
	if (wrong)
		op_complain("%s", error.text);
	status = wrong ? OP_EXIT_USAGE : run_command(command, &run, &words);
	op_strings_free(&words);
	return status;
}
