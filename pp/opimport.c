// SPDX-License-Identifier: GPL-2.0-or-later
/* opimport: samples of other machines, versions and profilers as native sample files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/cpu_type.h"
#include "pp/arguments.h"
#include "pp/import.h"

struct job {
	struct pp_common common;
	char *from, *abi, *type, *output;
	bool force;
	struct pp_trouble trouble;
};

enum option {
	OPTION_FROM = 1,
	OPTION_ABI,
	OPTION_OUTPUT,
	OPTION_FORCE,
	OPTION_CPU_TYPE,
};

static const struct poptOption table[] = {
	{"from", 0, POPT_ARG_STRING, NULL, OPTION_FROM, "form of the input (default: oprofile)",
	 "oprofile"},
	{"output", 'o', POPT_ARG_STRING, NULL, OPTION_OUTPUT,
	 "write to this file or directory, which is new", "path"},
	{"abi", 'a', POPT_ARG_STRING, NULL, OPTION_ABI,
	 "compare the input with this description of its ABI", "file"},
	{"cpu-type", 0, POPT_ARG_STRING, NULL, OPTION_CPU_TYPE,
	 "the CPU type that was profiled, such as i386/core_2", "name"},
	{"force", 'f', POPT_ARG_NONE, NULL, OPTION_FORCE,
	 "import a file that is of this machine's form, or not of --abi's", NULL},
	POPT_TABLEEND};

static int take(void *context, int option, const char *text, struct op_error *error)
{
	struct job *job = context;

	switch (option) {
	case OPTION_FROM:
		return pp_argument_text(&job->from, text, "--from", error);
	case OPTION_ABI:
		return pp_argument_text(&job->abi, text, "--abi", error);
	case OPTION_OUTPUT:
		return pp_argument_text(&job->output, text, "--output", error);
	case OPTION_CPU_TYPE:
		return pp_argument_text(&job->type, text, "--cpu-type", error);
	case OPTION_FORCE:
		job->force = true;
		break;
	}
	return 0;
}

static int check(const struct job *job, struct op_error *error)
{
	if (job->from && strcmp(job->from, "oprofile"))
		return op_error_set(error, EINVAL, "--from=%s: it is oprofile", job->from);
	if (job->type && op_cpu_type_number(job->type) == OP_CPU_NONE)
		return op_error_set(error, EINVAL, "--cpu-type=%s: no such CPU type", job->type);
	if (!job->output)
		return op_error_set(error, EINVAL, "where to? --output is needed");
	if (job->common.words.count != 1)
		return op_error_set(error, EINVAL,
				    "one sample file or session directory is needed, not %zu",
				    job->common.words.count);
	return 0;
}

/* Code of a JIT compiler is no sample file; the original passed it over, too. */
static bool is_jit_code(const char *path)
{
	size_t n = strlen(path);

	return n > 3 && !strcmp(path + n - 3, ".jo");
}

static int import(struct job *job, struct op_error *error)
{
	const struct pp_import wish = {.abi = job->abi, .type = job->type, .force = job->force};
	const char *path = job->common.words.item[0];
	struct pp_import_result result;
	struct stat status;

	if (stat(path, &status))
		return op_error_set(error, errno, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(status.st_mode))
		return is_jit_code(path) ? 0 : pp_import_file(&wish, path, job->output, error);
	if (pp_import_tree(&wish, path, job->output, &result, &job->trouble, error))
		return -1;
	pp_trouble_sum_up(&job->trouble);
	if (result.failed)
		return op_error_set(error, EINVAL, "%zu of %zu sample files were not imported",
				    result.failed, result.failed + result.imported);
	return result.imported ? 0 : op_error_set(error, ENOENT, "no sample files below %s", path);
}

static enum op_exit run(struct job *job, int argc, const char **argv, struct op_error *error)
{
	const struct pp_command command = {
		.name = "opimport",
		.usage = "[OPTION...] FILE|DIRECTORY",
		.table = table,
		.take = take,
		.context = job,
		.no_session = true,
	};
	enum pp_options_result result =
		pp_arguments_parse(&job->common, &command, argc, argv, error);

	if (result == PP_OPTIONS_DONE)
		return OP_EXIT_OK;
	if (result == PP_OPTIONS_WRONG || check(job, error))
		return OP_EXIT_USAGE;
	job->trouble.verbose = job->common.verbose;
	return import(job, error) ? OP_EXIT_FAILURE : OP_EXIT_OK;
}

int main(int argc, char **argv)
{
	struct job job = {0};
	struct op_error error;
	enum op_exit status;

	op_program_set(argv[0]);
	status = run(&job, argc, (const char **)argv, &error);
	if (status != OP_EXIT_OK)
		op_complain("%s", error.text);
	if (status == OP_EXIT_USAGE)
		fprintf(stderr, "Try '%s --help'.\n", op_program());
	pp_common_free(&job.common);
	free(job.from);
	free(job.abi);
	free(job.type);
	free(job.output);
	return status;
}
