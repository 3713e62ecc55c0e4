// SPDX-License-Identifier: GPL-2.0-or-later
/* opannotate: source lines and instructions with their samples. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/annotate/annotate.h"
#include "pp/formats/command/inputs.h"
#include "libop/base/memory.h"
#include "pp/profile/loss.h"
#include "pp/select/selection.h"

struct job {
	struct pp_annotate_options options;
	struct pp_sample_list list;
	struct pp_classes classes;
	struct pp_image_search search;
	struct pp_profile profile;
	struct pp_loss loss;
	struct pp_symbol_filter filter;
};

static int make_profile(struct job *job, struct op_error *error)
{
	struct pp_annotate_options *options = &job->options;
	const struct pp_spec *spec = &options->common.specs[0];
	struct pp_merge merge = options->merge;
	struct op_warnings *warnings = &options->common.warnings;
	const struct pp_profile_request request = {
		.symbols = true,
		.details = true,
		.lines = options->source && !options->assembly,
		.keep_troubles = true,
		.merge_lib = true, /* a source line is one row in all applications */
		.demangle = options->demangle,
		.filter = &job->filter,
		.search = &job->search,
	};

	job->list.unscaled = options->unscaled;
	job->list.want_entries = true;
	merge.all_if_many = !merge.cpu && !merge.tid && !merge.tgid && !merge.unit_mask &&
			    !spec->cpus.n && !spec->tgids.n && !spec->tids.n;
	if (pp_select(&job->list, &job->classes, options->common.session_dir, spec, &merge,
		      options->exclude_dependent, warnings, error))
		return pp_loss_explain(&job->list, error);
	job->search = pp_common_search(&options->common, spec);
	pp_symbol_filter_init(&job->filter, &options->include, &options->exclude);
	pp_profile_make(&job->profile, &job->list, &job->classes, &request, warnings);
	if (!job->profile.n_files)
		return op_error_set(error, EINVAL, "none of the sample files could be read");
	pp_loss_read(&job->loss, job->list.samples_dirs, job->list.n_dirs);
	return pp_symbol_filter_check(&job->filter, error);
}

static int annotate(void *context, struct op_error *error)
{
	struct job *job = context;
	struct pp_annotation annotation = {
		.profile = &job->profile,
		.list = &job->list,
		.options = &job->options,
		.command_line = job->options.common.command_line,
		.loss = &job->loss,
		.search = &job->search,
		.warnings = &job->options.common.warnings,
	};
	const struct pp_report_style style = {.events = job->options.events};
	struct pp_output output;
	int result = 0, closed;

	if (make_profile(job, error) ||
	    pp_output_open(&output, &job->options.common.output, NULL, error))
		return -1;
	annotation.missing = op_alloc(job->classes.columns, sizeof(uint64_t));
	annotation.events = pp_event_columns_make(&job->profile, &style);
	annotation.line.color = output.color && !job->options.output_dir;
	if (job->options.assembly)
		pp_annotate_assembly(&annotation);
	else
		result = pp_annotate_source(&annotation, error);
	closed = pp_output_close(&output, result ? NULL : error);
	op_warnings_summarize(&job->options.common.warnings);
	free(annotation.missing);
	free(annotation.events);
	op_line_free(&annotation.line);
	return result || closed ? -1 : 0;
}

static int opannotate_check(void *job, struct op_error *error)
{
	return pp_annotate_options_check(&((struct job *)job)->options, error);
}

static void opannotate_release(void *context)
{
	struct job *job = context;

	if (job->profile.store)
		pp_profile_free(&job->profile);
	pp_image_search_free(&job->search);
	pp_classes_free(&job->classes);
	pp_sample_list_free(&job->list);
	pp_symbol_filter_free(&job->filter);
}

static const struct pp_tool tool = {
	.synopsis = PP_SYNOPSIS_SPEC,
	.options = pp_annotate_options_table,
	.words = PP_WORDS_SPEC,
	.inputs = &input_readers,
	.reports = true,
	.check = opannotate_check,
	.run = annotate,
	.release = opannotate_release,
};

int main(int argc, char **argv)
{
	struct job job = {.options.demangle = PP_DEMANGLE_NORMAL};

	return pp_tool_main(&tool, &job, argc, argv);
}
