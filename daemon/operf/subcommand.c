// SPDX-License-Identifier: GPL-2.0-or-later
/* Subcommands: see subcommand.h. */
#include "subcommand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/error.h"
#include "libop/base/file.h"
#include "libop/base/option.h"
#include "libop/base/safe_text.h"
#include "libop/perf/command.h"
#include "perf_line.h"

static const struct subcommand {
	const char *word;
	enum perf_of of;
	const char *program; /* operf: this one goes on */
} subcommands[] = {
	{"record", OF_RECORD, "operf"},
	{"report", OF_REPORT, "opreport"},
	{"annotate", OF_ANNOTATE, "opannotate"},
	{"diff", OF_DIFF, "opdiff"},
	{"top", OF_TOP, "optop"},
	{"stat", OF_STAT, "ocount"},
	{"script", OF_SCRIPT, "opexport"},
};

/* What perf has beside, and what does it here.  With two words, the second one decides. */
static const struct {
	const char *words, *here;
} others[] = {
	{"archive", "\"oparchive -o DIR\" takes along what a session names"},
	{"bench", "nothing here measures the kernel; \"oprofile-selftest\" tests this profiler"},
	{"buildid-cache", "not needed: a session keeps symbol tables by build-id"},
	{"buildid-list", "\"oparchive --list-files\" lists the files that a session names"},
	{"c2c", "nothing here samples addresses of data"},
	{"config", "there is no file of settings: options only, and \"opcontrol --setup\" for the "
		   "daemon"},
	{"daemon", "\"opcontrol --start\" has a daemon profile all the time"},
	{"data", "\"opexport --to=FORMAT\" converts; opreport reads perf.data as it is"},
	{"evlist", "the head of \"opreport\" names the events of a session"},
	{"ftrace", "nothing here traces functions of the kernel"},
	{"help", "\"operf --help\" lists options, operf(1) has a table of perf's"},
	{"inject", "not needed: \"opreport --jit-dir=DIR\" reads what JIT compilers wrote"},
	{"intel-pt", "nothing here traces instructions"},
	{"iostat", "nothing here counts transfers of devices"},
	{"kallsyms", "nothing here: \"grep NAME /proc/kallsyms\""},
	{"kmem", "nothing here traces allocations of the kernel"},
	{"kvm", "nothing here reports exits of guests; -e cycles:G samples their code"},
	{"kwork", "nothing here traces work of the kernel; \"operf --system-wide\" samples it"},
	{"list", "\"ocount --list\" lists events that every machine has, \"ophelp\" those of this "
		 "CPU"},
	{"lock", "nothing here traces locks; \"operf --system-wide\" samples who spins on them"},
	{"mem", "nothing here samples addresses of data"},
	{"probe", "nothing here makes tracepoints; those that exist are sampled: -e GROUP:NAME"},
	{"sched", "nothing here traces the scheduler; -e context-switches and -e "
		  "sched:sched_switch sample it"},
	{"script flamegraph", "\"opreport --html=FILE\" has a flame graph"},
	{"script record", "there are no scripts: \"operf record\", then \"opexport --to=folded\""},
	{"script report", "there are no scripts: \"opexport --to=folded\" or \"opreport --json\""},
	{"stat record", "counts are not kept for later: \"ocount --json --output-file=FILE\""},
	{"stat report", "counts are not kept for later: \"ocount --json --output-file=FILE\""},
	{"test", "\"oprofile-selftest\" tests whether this machine can be profiled"},
	{"timechart", "nothing here draws what ran when; \"opreport --by=cpu\" adds it up"},
	{"trace", "nothing here traces system calls; -e raw_syscalls:sys_enter samples them"},
	{"version", "\"operf --version\""},
};

static const struct subcommand *find_subcommand(const char *word)
{
	for (size_t i = 0; word && i < OP_ARRAY_SIZE(subcommands); i++)
		if (!strcmp(subcommands[i].word, word))
			return &subcommands[i];
	return NULL;
}

/* @words: perf's line.  Return: how it is called, with what does it here; NULL: it is none. */
static const char *find_other(char *const *words, const char **here)
{
	for (size_t i = 0; words[0] && i < OP_ARRAY_SIZE(others); i++) {
		const char *name = others[i].words, *blank = strchrnul(name, ' ');
		size_t first = (size_t)(blank - name);

		if (strlen(words[0]) != first || strncmp(words[0], name, first) != 0 ||
		    (*blank && (!words[1] || strcmp(words[1], blank + 1) != 0)))
			continue;
		*here = others[i].here;
		return name;
	}
	return NULL;
}

/* A program of the name, wherever it is: whoever means it is told how to say so. */
static void refuse_other(const char *name, const char *here)
{
	struct op_error error;

	if (strchr(name, ' '))
		op_error_set(&error, 0, "%s: %s", name, here);
	else
		op_error_set(&error, 0, "%s, of perf: %s (a program of this name: \"operf -- %s\")",
			     name, here, name);
	exit(op_usage_error(&error));
}

static void tell_of_program(const struct subcommand *subcommand)
{
	if (!command_check(subcommand->word, NULL))
		op_warn("%s is %s here; \"operf -- %s\" profiles the program", subcommand->word,
			subcommand->program, subcommand->word);
}

/* The words of the program, of which the first is its name; NULL behind them. */
static char **translate(const struct subcommand *subcommand, char **words)
{
	static struct op_strings out; /* lives as long as the process */
	struct op_error error, why;
	int result = op_strings_add(&out, subcommand->program) ? op_error_memory(&why) : 0;

	if (!result)
		result = perf_line_translate(subcommand->of, words, &out, &why);
	if (result) {
		op_error_set(&error, why.code, "%s %s", subcommand->word, why.text);
		exit(op_usage_error(&error));
	}
	if (op_strings_add(&out, ""))
		op_die(OP_EXIT_FAILURE, OP_OUT_OF_MEMORY);
	free(out.item[out.count - 1]);
	out.item[out.count - 1] = NULL;
	return out.item;
}

/* So that a shell reads it as it is: what it would expand stands in quotes. */
static void print_words(char *const *words)
{
	for (char *const *word = words; *word; word++) {
		const char *quote =
			**word && !strpbrk(*word, " \t\n*?[]{}()$&;|<>\"\\`~#!") ? "" : "'";

		op_safe_printf(stdout, "%s%s%s%s", word == words ? "" : " ", quote, *word, quote);
	}
	putchar('\n');
}

static void run_program(const struct subcommand *subcommand, char **words)
{
	char *program = op_program_beside(subcommand->program);

	if (!program)
		op_die(OP_EXIT_FAILURE, OP_OUT_OF_MEMORY);
	free(words[0]);
	words[0] = program;
	execvp(program, words);
	op_die_errno(OP_EXIT_FAILURE, "cannot run %s", program);
}

/* "operf --translate [perf] SUBCOMMAND ..." */
static void show(char **words)
{
	const struct subcommand *subcommand;
	const char *name, *here;

	words += words[0] && !strcmp(words[0], "perf");
	name = find_other(words, &here);
	if (name)
		refuse_other(name, here);
	subcommand = find_subcommand(words[0]);
	if (!subcommand)
		return;
	print_words(translate(subcommand, words + 1));
	exit(OP_EXIT_OK);
}

void subcommand_take(int *argc, char ***argv)
{
	const struct subcommand *subcommand = find_subcommand((*argv)[1]);
	const char *name, *here;
	char **words;

	if (*argc < 2)
		return;
	if (!strcmp((*argv)[1], "--translate"))
		show(*argv + 2);
	name = find_other(*argv + 1, &here);
	if (name)
		refuse_other(name, here);
	if (!subcommand)
		return;
	words = translate(subcommand, *argv + 2);
	if (subcommand->of != OF_RECORD) {
		tell_of_program(subcommand);
		run_program(subcommand, words);
	}
	free(words[0]);
	words[0] = (*argv)[0];
	*argv = words;
	for (*argc = 0; words[*argc];)
		++*argc;
}
