// SPDX-License-Identifier: GPL-2.0-or-later
/* Subcommands: see subcommand.h. */
#include "subcommand.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/error.h"
#include "libop/base/file.h"
#include "libop/perf/command.h"

static const struct subcommand {
	const char *word;
	const char *program; /* NULL: operf */
	const char *option;  /* that it is given; or NULL */
} subcommands[] = {
	{"record", NULL, NULL},
	{"report", "opreport", "--symbols"},
	{"annotate", "opannotate", "--source"},
	{"diff", "opdiff", NULL},
	{"top", "optop", NULL},
	{"stat", "ocount", NULL},
	{"script", "opexport", "--to=folded"},
};

static const struct subcommand *find_subcommand(const char *word)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(subcommands); i++)
		if (!strcmp(subcommands[i].word, word))
			return &subcommands[i];
	return NULL;
}

/* Whoever means a program of the name is told how to say so. */
static void tell_of_program(const struct subcommand *subcommand)
{
	if (!command_check(subcommand->word, NULL))
		op_warn("%s is %s here; \"operf -- %s\" profiles the program", subcommand->word,
			subcommand->program, subcommand->word);
}

static void run_program(const struct subcommand *subcommand, int argc, char **argv)
{
	char *program = op_program_beside(subcommand->program);
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	int n = 0;

	if (!program || !words)
		op_die(OP_EXIT_FAILURE, OP_OUT_OF_MEMORY);
	words[n++] = program;
	if (subcommand->option)
		words[n++] = (char *)subcommand->option;
	for (int i = 2; i < argc; i++)
		words[n++] = argv[i];
	execvp(program, words);
	op_die_errno(OP_EXIT_FAILURE, "cannot run %s", program);
}

void subcommand_take(int *argc, char ***argv)
{
	const struct subcommand *subcommand = *argc > 1 ? find_subcommand((*argv)[1]) : NULL;

	if (!subcommand)
		return;
	if (subcommand->program) {
		tell_of_program(subcommand);
		run_program(subcommand, *argc, *argv);
	}
	(*argv)[1] = (*argv)[0];
	(*argv)++;
	(*argc)--;
}
