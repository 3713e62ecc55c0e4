// SPDX-License-Identifier: GPL-2.0-or-later
/* opgprof: the samples of one image as a file for gprof. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "libop/file.h"
#include "pp/arguments.h"
#include "pp/gprof_data.h"
#include "pp/memory.h"
#include "pp/selection.h"

struct job {
	struct pp_common common;
	char *output;
	double threshold;
	struct pp_spec spec;
	struct pp_trouble trouble;
	struct pp_sample_list list;
	struct pp_classes classes;
	struct pp_image_search search;
	struct pp_profile profile;
	struct pp_gprof_data data;
};

enum option {
	OPTION_OUTPUT = 1,
	OPTION_THRESHOLD,
};

static const struct poptOption table[] = {
	{"output-filename", 'o', POPT_ARG_STRING, NULL, OPTION_OUTPUT,
	 "write to this file (default: gmon.out)", "file"},
	{"threshold", 't', POPT_ARG_STRING, NULL, OPTION_THRESHOLD,
	 "leave out symbols that have less than this part of the samples", "percent"},
	POPT_TABLEEND};

static int take(void *context, int option, const char *text, struct op_error *error)
{
	struct job *job = context;

	return option == OPTION_OUTPUT
		       ? pp_argument_text(&job->output, text, "--output-filename", error)
		       : pp_argument_threshold(&job->threshold, text, error);
}

/*
 * Without lib-image: the image is meant that is the application itself; gprof could take no
 * others anyway.
 */
static int find_samples(struct job *job, struct op_error *error)
{
	const struct pp_merge merge = {
		.cpu = true, .tid = true, .tgid = true, .unit_mask = true, .lib = true};
	bool exclude_dependent = !job->spec.lib_images.count;

	job->list.want_arcs = true;
	if (pp_select(&job->list, &job->classes, job->common.session_dir, &job->spec, &merge,
		      exclude_dependent, &job->trouble, error))
		return -1;
	if (job->classes.n == 1)
		return 0;
	return op_error_set(error, EINVAL,
			    "gprof takes one event, but there are samples of %s and %s; name the "
			    "one you want with event: or count:",
			    job->classes.items[0].column, job->classes.items[1].column);
}

/* The file is replaced only once all is written. */
static int write_file(struct job *job, struct op_error *error)
{
	const struct pp_gprof_data *data = &job->data;
	const char *path = job->output ? job->output : "gmon.out";
	char *bytes = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&bytes, &length);
	uint64_t left_out;
	int result;

	if (!out)
		pp_out_of_memory();
	left_out =
		pp_gmon_write(out, &data->machine, data->counts, data->n, data->arcs, data->n_arcs);
	if (ferror(out) | fclose(out))
		pp_out_of_memory();
	result = op_file_replace(path, bytes, length, 0644, error);
	free(bytes);
	if (!result && left_out)
		op_warn("%" PRIu64 " samples are not in %s: too many for gprof at one place",
			left_out, path);
	if (!result && data->outside)
		op_warn("%" PRIu64 " samples are not in %s: they are in no code of the image",
			data->outside, path);
	return result;
}

static int convert(struct job *job, struct op_error *error)
{
	const struct pp_profile_wish wish = {
		.symbols = true,
		.details = true,
		.merge_lib = true,
		.demangle = PP_DEMANGLE_NONE,
		.search = &job->search,
	};

	if (find_samples(job, error))
		return -1;
	job->search.archive = job->spec.archive;
	job->search.root = job->common.root;
	job->search.paths = &job->common.image_paths;
	pp_profile_make(&job->profile, &job->list, &job->classes, &wish, &job->trouble);
	if (!job->profile.n_files)
		return op_error_set(error, EINVAL, "none of the sample files could be read");
	if (pp_gprof_data_make(&job->data, &job->profile, &job->list, &job->search, job->threshold,
			       &job->trouble, error))
		return -1;
	pp_trouble_sum_up(&job->trouble);
	return write_file(job, error);
}

static enum op_exit run(struct job *job, int argc, const char **argv, struct op_error *error)
{
	const struct pp_command command = {
		.name = "opgprof",
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
	if (result == PP_OPTIONS_WRONG ||
	    pp_spec_parse(&job->spec, (const char *const *)words->item, words->count, error))
		return OP_EXIT_USAGE;
	job->trouble.verbose = job->common.verbose;
	return convert(job, error) ? OP_EXIT_FAILURE : OP_EXIT_OK;
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
	if (job.profile.store)
		pp_profile_free(&job.profile);
	pp_gprof_data_free(&job.data);
	pp_image_search_free(&job.search);
	pp_classes_free(&job.classes);
	pp_sample_list_free(&job.list);
	pp_spec_free(&job.spec);
	pp_common_free(&job.common);
	free(job.output);
	return status;
}
