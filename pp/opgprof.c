// SPDX-License-Identifier: GPL-2.0-or-later
/* opgprof: the samples of one image as a file for gprof. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "pp/formats/command/inputs.h"
#include "pp/report/gprof_data.h"
#include "libop/base/memory.h"
#include "pp/profile/loss.h"
#include "pp/select/selection.h"
#include "pp/tool/tool.h"
#include "pp/tool/whole_file.h"

struct job {
	struct pp_common common;
	char *output;
	double threshold;
	struct pp_sample_list list;
	struct pp_classes classes;
	struct pp_image_search search;
	struct pp_profile profile;
	struct pp_gprof_data data;
};

static const struct op_option options[] = {{"output-filename", 'o', "FILE",
					    "write to this file (default: gmon.out)",
					    OP_TEXT(struct job, output)},
					   PP_OPTION_THRESHOLD(struct job, threshold),
					   {0}};

/*
 * Without lib-image: the image is the application itself, the only one that gprof supports.
 */
static int find_samples(struct job *job, struct op_error *error)
{
	const struct pp_merge merge = {
		.cpu = true, .tid = true, .tgid = true, .unit_mask = true, .lib = true};
	const struct pp_spec *spec = &job->common.specs[0];
	bool exclude_dependent = !spec->lib_images.count;

	job->list.want_arcs = job->list.want_stacks = job->list.want_entries = true;
	if (pp_select(&job->list, &job->classes, job->common.session_dir, spec, &merge,
		      exclude_dependent, &job->common.warnings, error))
		return pp_loss_explain(&job->list, error);
	if (job->classes.n == 1)
		return 0;
	return op_error_set(error, EINVAL,
			    "gprof takes one event, but the samples are of %s and %s; choose one "
			    "with event: or count:",
			    job->classes.items[0].column, job->classes.items[1].column);
}

/* The file is replaced when the new one is complete. */
static int write_file(struct job *job, struct op_error *error)
{
	const struct pp_gprof_data *data = &job->data;
	const char *path = job->output ? job->output : "gmon.out";
	struct pp_whole_file whole;
	uint64_t left_out;
	int result;

	if (pp_whole_file_open(&whole, path, error))
		return -1;
	left_out = pp_gmon_write(whole.file, &data->machine, data->counts, data->n, data->arcs,
				 data->n_arcs);
	result = pp_whole_file_close(&whole, 0, error);
	if (!result && left_out)
		op_warn("%" PRIu64 " samples are not in %s: too many at one address for gprof",
			left_out, path);
	if (!result && data->outside)
		op_warn("%" PRIu64 " samples are not in %s: they are in no code of the image",
			data->outside, path);
	return result;
}

static int convert(void *context, struct op_error *error)
{
	struct job *job = context;
	struct op_warnings *warnings = &job->common.warnings;
	const struct pp_profile_request request = {
		.symbols = true,
		.details = true,
		.arcs = true,
		.arc_sites = true,
		.merge_lib = true,
		.demangle = PP_DEMANGLE_NONE,
		.search = &job->search,
	};

	if (find_samples(job, error))
		return -1;
	job->search = pp_common_search(&job->common, &job->common.specs[0]);
	pp_profile_make(&job->profile, &job->list, &job->classes, &request, warnings);
	if (!job->profile.n_files)
		return op_error_set(error, EINVAL, "none of the sample files could be read");
	if (pp_gprof_data_make(&job->data, &job->profile, &job->search, job->threshold, error))
		return -1;
	op_warnings_summarize(warnings);
	return write_file(job, error);
}

static void opgprof_release(void *context)
{
	struct job *job = context;

	if (job->profile.store)
		pp_profile_free(&job->profile);
	pp_gprof_data_free(&job->data);
	pp_image_search_free(&job->search);
	pp_classes_free(&job->classes);
	pp_sample_list_free(&job->list);
}

static const struct pp_tool tool = {
	.synopsis = PP_SYNOPSIS_SPEC,
	.options = options,
	.words = PP_WORDS_SPEC,
	.inputs = &input_readers,
	.run = convert,
	.release = opgprof_release,
};

int main(int argc, char **argv)
{
	struct job job = {0};

	return pp_tool_main(&tool, &job, argc, argv);
}
