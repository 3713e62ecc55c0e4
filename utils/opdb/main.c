// SPDX-License-Identifier: GPL-2.0-or-later
/* opdb: look at sample files, stack files and packs, mend them, pack and unpack. */
#include <inttypes.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "libdb/odb/odb.h"
#include "libdb/stacks/stacks.h"
#include "libop/base/error.h"
#include "libop/pack/pack.h"
#include "pack.h"
#include "session.h"
#include "walk.h"

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
		printf("%s: byte %" PRIu64 ": %s\n", run->path, problem->offset, problem->text);
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
	if (problems > PROBLEMS_SHOWN)
		printf("%s: %td more problems\n", path, problems - PROBLEMS_SHOWN);
	run->busy += busy;
	return problems ? -1 : 0;
}

static int check_leftover(void *context, const char *path)
{
	(void)context;
	if (odb_leftover(path, false) <= 0)
		return 0;
	printf("%s: byte 0: unfinished file, left by a writer that was killed\n", path);
	return -1;
}

static int repair_file(void *context, const char *path)
{
	struct odb_repair result;
	struct odb_error error;

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
	printf("%s: repaired: %" PRIu64 " samples kept in %" PRIu64 " nodes", path, result.sum,
	       result.kept);
	if (result.emptied)
		printf(", %" PRIu64 " nodes without a count left out", result.emptied);
	if (result.lost)
		printf(", %" PRIu64 " nodes that are %s lost", result.lost,
		       stacks_is_file(path) ? "damaged" : "beyond the end of the file");
	putchar('\n');
	return 0;
}

static int repair_leftover(void *context, const char *path)
{
	int ret = odb_leftover(path, true);

	(void)context;
	if (ret > 0)
		printf("%s: unfinished file removed\n", path);
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
	int (*session)(const char *directory); /* of those that work on a whole session */
	bool dumps;
} commands[] = {
	{"check", {.file = check_file, .leftover = check_leftover}, NULL, false},
	{"repair", {.file = repair_file, .leftover = repair_leftover}, NULL, false},
	{"dump", {.file = dump_file}, NULL, true},
	{"pack", {0}, session_pack, false},
	{"unpack", {0}, session_unpack, false},
};

static const struct command *command_named(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	}
	return NULL;
}

static int run_command(const struct command *command, struct run *run, poptContext args)
{
	struct walk each = command->walk;
	const char *path;
	int ret = 0;

	each.context = run;
	while ((path = poptGetArg(args))) {
		if (command->session ? command->session(path) : walk(&each, path))
			ret = -1;
	}
	if (run->busy)
		op_warn("%u of the files are being written to: their hash chains were not checked",
			run->busy);
	if (fflush(stdout) || ferror(stdout)) {
		op_complain("cannot write the output: %m");
		ret = -1;
	}
	return ret ? OP_EXIT_FAILURE : OP_EXIT_OK;
}

int main(int argc, char **argv)
{
	int json = 0, merged = 0, version = 0, option, status;
	const struct poptOption options[] = {
		{"json", 'j', POPT_ARG_NONE, &json, 0, "dump: one JSON object a file and line",
		 NULL},
		{"merged", 'm', POPT_ARG_NONE, &merged, 0,
		 "dump: sort by key, add up the counts of a key", NULL},
		{"version", 'v', POPT_ARG_NONE, &version, 0, "show the version", NULL},
		POPT_AUTOHELP POPT_TABLEEND,
	};
	const struct command *command;
	struct run run = {.shown = 0};
	const char *name;
	poptContext args;

	op_program_set(argv[0]);
	args = poptGetContext(NULL, argc, (const char **)argv, options, 0);
	if (!args)
		op_die(OP_EXIT_FAILURE, "out of memory");
	poptSetOtherOptionHelp(args,
			       "check|repair|dump FILE|DIRECTORY... | pack|unpack DIRECTORY...");
	option = poptGetNextOpt(args);
	if (option < -1)
		op_die(OP_EXIT_USAGE, "%s: %s", poptBadOption(args, 0), poptStrerror(option));
	if (version) {
		printf("%s: oprofile %s\n", op_program(), OP_VERSION);
		poptFreeContext(args);
		return OP_EXIT_OK;
	}
	name = poptGetArg(args);
	if (!name)
		op_die(OP_EXIT_USAGE, "no command given: check, repair, dump, pack or unpack");
	command = command_named(name);
	if (!command)
		op_die(OP_EXIT_USAGE,
		       "%s: unknown command; there are check, repair, dump, pack and unpack", name);
	if ((json || merged) && !command->dumps)
		op_die(OP_EXIT_USAGE, "--json and --merged are for dump");
	if (!poptPeekArg(args))
		op_die(OP_EXIT_USAGE, "%s: no %s given", name,
		       command->session ? "directory" : "file");
	run.style = (struct dump_style){.json = json, .merged = merged};
	status = run_command(command, &run, args);
	poptFreeContext(args);
	return status;
}
