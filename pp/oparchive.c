// SPDX-License-Identifier: GPL-2.0-or-later
/* oparchive: a session and all that reports of it need, to be taken to another machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "pp/archive_files.h"
#include "pp/archive_writer.h"
#include "pp/arguments.h"

struct job {
	struct pp_common common;
	char *output_dir, *output;
	bool list_files, exclude_dependent;
	struct pp_spec spec;
	struct pp_trouble trouble;
	struct pp_image_search search;
	struct pp_archive_files files;
};

enum option {
	OPTION_OUTPUT_DIR = 1,
	OPTION_OUTPUT,
	OPTION_LIST,
	OPTION_DEPENDENT,
};

static const struct poptOption table[] = {
	{"output-directory", 'o', POPT_ARG_STRING, NULL, OPTION_OUTPUT_DIR,
	 "copy the files below this directory, which is new or empty", "dir"},
	{"output", 0, POPT_ARG_STRING, NULL, OPTION_OUTPUT, "write them into a new file",
	 "file.tar.zst"},
	{"list-files", 'l', POPT_ARG_NONE, NULL, OPTION_LIST, "only list the files", NULL},
	{"exclude-dependent", 'x', POPT_ARG_NONE, NULL, OPTION_DEPENDENT,
	 "leave out libraries and kernel images of applications", NULL},
	POPT_TABLEEND};

static int take(void *context, int option, const char *text, struct op_error *error)
{
	struct job *job = context;

	switch (option) {
	case OPTION_OUTPUT_DIR:
		return pp_argument_text(&job->output_dir, text, "--output-directory", error);
	case OPTION_OUTPUT:
		return pp_argument_text(&job->output, text, "--output", error);
	case OPTION_LIST:
		job->list_files = true;
		break;
	case OPTION_DEPENDENT:
		job->exclude_dependent = true;
		break;
	}
	return 0;
}

static int check(const struct job *job, struct op_error *error)
{
	int ways = !!job->output_dir + !!job->output + job->list_files;

	if (ways == 1)
		return 0;
	return op_error_set(error, EINVAL,
			    ways ? "only one of --output-directory, --output and --list-files "
				   "is possible"
				 : "where to? one of --output-directory, --output and "
				   "--list-files is needed");
}

static int list_files(const struct job *job, struct op_error *error)
{
	for (size_t i = 0; i < job->files.n; i++)
		puts(job->files.items[i].path);
	fflush(stdout);
	return ferror(stdout)
		       ? op_error_set(error, EIO, "cannot write all of it to standard output")
		       : 0;
}

static int archive(struct job *job, struct op_error *error)
{
	int result;

	job->search.archive = job->spec.archive;
	job->search.root = job->common.root;
	job->search.paths = &job->common.image_paths;
	if (pp_archive_files_find(&job->files, job->common.session_dir, &job->spec,
				  job->exclude_dependent, &job->search, &job->trouble, error))
		return -1;
	result = job->list_files ? list_files(job, error)
		 : job->output
			 ? pp_archive_write_tar(job->output, &job->files, &job->trouble, error)
			 : pp_archive_write_directory(job->output_dir, &job->files, &job->trouble,
						      error);
	pp_trouble_sum_up(&job->trouble);
	return result;
}

static enum op_exit run(struct job *job, int argc, const char **argv, struct op_error *error)
{
	const struct pp_command command = {
		.name = "oparchive",
		.usage = "[OPTION...] [TAG:LIST|IMAGE]...",
		.table = table,
		.take = take,
		.context = job,
	};
	enum pp_options_result result =
		pp_arguments_parse(&job->common, &command, argc, argv, error);
	const struct op_strings *words = &job->common.words;

	if (result == PP_OPTIONS_DONE)
		return OP_EXIT_OK;
	if (result == PP_OPTIONS_WRONG || check(job, error) ||
	    pp_spec_parse(&job->spec, (const char *const *)words->item, words->count, error))
		return OP_EXIT_USAGE;
	job->trouble.verbose = job->common.verbose;
	return archive(job, error) ? OP_EXIT_FAILURE : OP_EXIT_OK;
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
	pp_archive_files_free(&job.files);
	pp_image_search_free(&job.search);
	pp_spec_free(&job.spec);
	pp_common_free(&job.common);
	free(job.output_dir);
	free(job.output);
	return status;
}
