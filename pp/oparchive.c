// SPDX-License-Identifier: GPL-2.0-or-later
/* oparchive: copies a session and all files that its reports need, for another machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/archive/files.h"
#include "pp/archive/writer.h"
#include "pp/formats/command/inputs.h"
#include "pp/tool/tool.h"
#include "libop/base/safe_text.h"

struct job {
	struct pp_common common;
	char *output_dir, *output;
	bool list_files, exclude_dependent;
	struct pp_image_search search;
	struct pp_archive_files files;
};

static const struct op_option options[] = {
	{"output-directory", 'o', "DIR",
	 "copy the files below this directory, which is new or empty",
	 OP_TEXT(struct job, output_dir)},
	{"output", 0, "FILE", "write them into this new file: NAME.tar, NAME.tar.gz, NAME.tar.xz or NAME.tar.zst",
	 OP_TEXT(struct job, output)},
	{"list-files", 'l', NULL, "only list the files", OP_FLAG(struct job, list_files)},
	PP_OPTION_EXCLUDE_DEPENDENT(struct job, exclude_dependent),
	{0}};

static int oparchive_check(void *context, struct op_error *error)
{
	const struct job *job = context;
	int ways = !!job->output_dir + !!job->output + job->list_files;

	if (ways == 1)
		return job->output ? pp_archive_check_name(job->output, error) : 0;
	return op_error_set(
		error, EINVAL,
		ways ? "--output-directory, --output and --list-files exclude each other"
		     : "one of --output-directory, --output and --list-files is required");
}

static int list_files(const struct job *job, struct op_error *error)
{
	for (size_t i = 0; i < job->files.n; i++) {
		const struct pp_archive_file *file = &job->files.items[i];

		/* Generated files are shown by their name in the archive. */
		op_safe_line(stdout, "%s",
			     strncmp(file->path, "/proc/self/", 11) ? file->path : file->name);
	}
	fflush(stdout);
	return ferror(stdout)
		       ? op_error_set(error, EIO, "cannot write all of it to standard output")
		       : 0;
}

static int archive(void *context, struct op_error *error)
{
	struct job *job = context;
	const struct pp_spec *spec = &job->common.specs[0];
	struct op_warnings *warnings = &job->common.warnings;
	int result;

	job->search = pp_common_search(&job->common, spec);
	if (pp_archive_files_find(&job->files, job->common.session_dir, spec,
				  job->exclude_dependent, &job->search, warnings, error))
		return -1;
	result = job->list_files ? list_files(job, error)
		 : job->output	 ? pp_archive_write_tar(job->output, &job->files, warnings, error)
			       : pp_archive_write_directory(job->output_dir, &job->files, warnings,
							    error);
	op_warnings_summarize(warnings);
	return result;
}

static void oparchive_release(void *context)
{
	struct job *job = context;

	pp_archive_files_free(&job->files);
	pp_image_search_free(&job->search);
}

static const struct pp_tool tool = {
	.synopsis = PP_SYNOPSIS_SPEC,
	.options = options,
	.words = PP_WORDS_SPEC,
	.inputs = &input_readers,
	.check = oparchive_check,
	.run = archive,
	.release = oparchive_release,
};

int main(int argc, char **argv)
{
	struct job job = {0};

	return pp_tool_main(&tool, &job, argc, argv);
}
