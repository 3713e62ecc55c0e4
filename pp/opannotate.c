// SPDX-License-Identifier: GPL-2.0-or-later
/* opannotate: source lines and instructions with the samples that were taken in them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/annotate.h"
#include "pp/memory.h"
#include "pp/selection.h"

struct job {
	struct pp_annotate_options options;
	struct pp_spec spec;
	struct pp_trouble trouble;
	struct pp_sample_list list;
	struct pp_classes classes;
	struct pp_image_search search;
	struct pp_profile profile;
};

/* The words as they were given; those with blanks in quotes. */
static char *join_words(int argc, char **argv)
{
	char *line = pp_copy(op_program());

	for (int i = 1; i < argc; i++) {
		char *longer = pp_format(strchr(argv[i], ' ') ? "%s '%s'" : "%s %s", line, argv[i]);

		free(line);
		line = longer;
	}
	for (char *p = line; *p; p++)
		if (*p == '\n')
			*p = ' ';
	return line;
}

static int make_profile(struct job *job, struct op_error *error)
{
	const struct pp_annotate_options *options = &job->options;
	const struct pp_profile_wish wish = {
		.symbols = true,
		.details = true,
		.lines = options->source && !options->assembly,
		.merge_lib = true, /* a line is one line, whoever called it */
		.demangle = options->demangle,
		.include = &options->include,
		.exclude = &options->exclude,
		.search = &job->search,
	};

	if (pp_select(&job->list, &job->classes, options->common.session_dir, &job->spec,
		      &options->merge, options->exclude_dependent, &job->trouble, error))
		return -1;
	job->search.archive = job->spec.archive;
	job->search.root = options->common.root;
	job->search.paths = &options->common.image_paths;
	pp_profile_make(&job->profile, &job->list, &job->classes, &wish, &job->trouble);
	if (!job->profile.n_files)
		return op_error_set(error, EINVAL, "none of the sample files could be read");
	return 0;
}

static int annotate(struct job *job, const char *command_line, struct op_error *error)
{
	struct pp_annotation annotation = {
		.profile = &job->profile,
		.options = &job->options,
		.command_line = command_line,
		.search = &job->search,
		.trouble = &job->trouble,
	};
	int result = 0;

	if (make_profile(job, error))
		return -1;
	annotation.missing = pp_alloc(job->classes.n, sizeof(uint64_t));
	if (job->options.assembly)
		pp_annotate_assembly(&annotation);
	else
		result = pp_annotate_source(&annotation, error);
	pp_trouble_sum_up(&job->trouble);
	fflush(stdout);
	if (!result && ferror(stdout))
		result = op_error_set(error, EIO, "cannot write all of it to standard output");
	free(annotation.missing);
	pp_line_free(&annotation.line);
	return result;
}

static enum op_exit run(struct job *job, int argc, char **argv, struct op_error *error)
{
	enum pp_options_result result =
		pp_annotate_options_parse(&job->options, argc, (const char **)argv, error);
	const struct op_strings *words = &job->options.common.words;
	char *command_line;
	int failed;

	if (result == PP_OPTIONS_DONE)
		return OP_EXIT_OK;
	if (result == PP_OPTIONS_WRONG ||
	    pp_spec_parse(&job->spec, (const char *const *)words->item, words->count, error))
		return OP_EXIT_USAGE;
	job->trouble.verbose = job->options.common.verbose;
	command_line = join_words(argc, argv);
	failed = annotate(job, command_line, error);
	free(command_line);
	return failed ? OP_EXIT_FAILURE : OP_EXIT_OK;
}

int main(int argc, char **argv)
{
	struct job job = {0};
	struct op_error error;
	enum op_exit status;

	op_program_set(argv[0]);
	status = run(&job, argc, argv, &error);
	if (status != OP_EXIT_OK)
		op_complain("%s", error.text);
	if (status == OP_EXIT_USAGE)
		fprintf(stderr, "Try '%s --help'.\n", op_program());
	if (job.profile.store)
		pp_profile_free(&job.profile);
	pp_image_search_free(&job.search);
	pp_classes_free(&job.classes);
	pp_sample_list_free(&job.list);
	pp_spec_free(&job.spec);
	pp_annotate_options_free(&job.options);
	return status;
}
