// SPDX-License-Identifier: GPL-2.0-or-later
/* opimport: samples of other machines, versions and profilers as native sample files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/cpu_type.h"
#include "pp/import.h"
#include "pp/tool.h"

struct job {
	struct pp_common common;
	char *from, *abi, *type, *output;
	bool force;
};

static const struct pp_option options[] = {
	{"from", 0, "oprofile", "form of the input (default: oprofile)", PP_TEXT(struct job, from)},
	{"output", 'o', "path", "write to this file or directory, which is new",
	 PP_TEXT(struct job, output)},
	{"abi", 'a', "file", "compare the input with this description of its ABI",
	 PP_TEXT(struct job, abi)},
	{"cpu-type", 0, "name", "the CPU type that was profiled, such as i386/core_2",
	 PP_TEXT(struct job, type)},
	{"force", 'f', NULL, "import a file that is of this machine's form, or not of --abi's",
	 PP_FLAG(struct job, force)},
	{0}};

static int check(void *context, struct op_error *error)
{
	const struct job *job = context;

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

static int import(void *context, struct op_error *error)
{
	struct job *job = context;
	const struct pp_import wish = {.abi = job->abi, .type = job->type, .force = job->force};
	const char *path = job->common.words.item[0];
	struct pp_import_result result;
	struct stat status;

	if (stat(path, &status))
		return op_error_set(error, errno, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(status.st_mode))
		return is_jit_code(path) ? 0 : pp_import_file(&wish, path, job->output, error);
	if (pp_import_tree(&wish, path, job->output, &result, &job->common.trouble, error))
		return -1;
	pp_trouble_sum_up(&job->common.trouble);
	if (result.failed)
		return op_error_set(error, EINVAL, "%zu of %zu sample files were not imported",
				    result.failed, result.failed + result.imported);
	return result.imported ? 0 : op_error_set(error, ENOENT, "no sample files below %s", path);
}

static const struct pp_tool tool = {
	.synopsis = "[OPTION...] FILE|DIRECTORY",
	.options = options,
	.words = PP_WORDS_OWN,
	.no_session = true,
	.check = check,
	.run = import,
};

int main(int argc, char **argv)
{
	struct job job = {0};

	return pp_tool_main(&tool, &job, argc, argv);
}
