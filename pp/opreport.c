// SPDX-License-Identifier: GPL-2.0-or-later
/* opreport: what the samples of a session were taken in, by image and by symbol. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/error.h"
#include "pp/classes.h"
#include "pp/loss.h"
#include "pp/memory.h"
#include "pp/options.h"
#include "pp/profile.h"
#include "pp/report.h"
#include "pp/selection.h"
#include "pp/trouble.h"

/* All that a report is made of, from the files to the columns. */
struct job {
	struct pp_options options;
	struct pp_spec spec;
	struct pp_trouble trouble;
	struct pp_sample_list list;
	struct pp_classes classes;
	struct pp_image_search search;
	struct pp_profile profile;
	struct pp_loss loss;
};

static int make_profile(struct job *job, struct op_error *error)
{
	const struct pp_options *options = &job->options;
	const struct pp_profile_wish wish = {
		.symbols = options->symbols,
		.details = options->style.details,
		.lines = options->style.lines,
		.arcs = options->callgraph,
		.merge_lib = options->merge.lib,
		.demangle = options->demangle,
		.include = &options->include,
		.exclude = &options->exclude,
		.search = &job->search,
	};

	job->search.archive = job->spec.archive;
	job->search.root = options->root;
	job->search.paths = &options->image_paths;
	pp_profile_make(&job->profile, &job->list, &job->classes, &wish, &job->trouble);
	if (!job->profile.n_files)
		return op_error_set(error, EINVAL, "none of the sample files could be read");
	return 0;
}

/* Losses stand below the report; one without any head is for programs, so they go to stderr. */
static void write_losses(struct job *job, FILE *out)
{
	bool quiet = job->options.style.no_header;

	if (!job->options.stats && !pp_loss_any(&job->loss))
		return;
	if (!quiet)
		fputc('\n', out);
	pp_loss_write(&job->loss, quiet ? stderr : out);
}

static void write_text(struct job *job, FILE *out)
{
	const struct pp_report_style *style = &job->options.style;

	if (!style->no_header)
		pp_report_head(&job->profile, out);
	if (job->options.callgraph)
		pp_report_callgraph(&job->profile, style, out);
	else if (job->options.symbols)
		pp_report_symbols(&job->profile, style, out);
	else
		pp_report_summary(&job->profile, style, out);
	write_losses(job, out);
}

static void write_report(struct job *job, FILE *out)
{
	const struct pp_options *options = &job->options;
	const struct pp_report_facts facts = {
		.symbols = options->symbols,
		.callgraph = options->callgraph,
		.loss = &job->loss,
		.command_line = options->command_line,
		.session_dir = options->session_dir,
	};

	pp_loss_read(&job->loss, job->list.samples_dirs, job->list.n_dirs);
	switch (options->format) {
	case PP_FORMAT_TEXT:
		write_text(job, out);
		break;
	case PP_FORMAT_CSV:
		pp_report_csv(&job->profile, &options->style, &facts, out);
		if (options->style.no_header)
			write_losses(job, out);
		break;
	case PP_FORMAT_JSON:
		pp_report_json(&job->profile, &options->style, &facts, out);
		break;
	case PP_FORMAT_XML:
		pp_report_xml(&job->profile, &options->style, &facts, out);
		break;
	}
}

static int write_output(struct job *job, struct op_error *error)
{
	const char *path = job->options.output, *name = path ? path : "standard output";
	FILE *out = path ? fopen(path, "we") : stdout;
	bool failed;

	if (!out)
		return op_error_set(error, errno, "cannot write %s: %s", path, strerror(errno));
	write_report(job, out);
	fflush(out);
	failed = ferror(out);
	if (path && fclose(out))
		failed = true;
	return failed ? op_error_set(error, EIO, "cannot write all of the report to %s", name) : 0;
}

static int report(struct job *job, struct op_error *error)
{
	const struct pp_options *options = &job->options;

	job->list.want_arcs = options->callgraph;
	if (pp_select(&job->list, &job->classes, options->session_dir, &job->spec, &options->merge,
		      options->exclude_dependent, &job->trouble, error) ||
	    make_profile(job, error))
		return -1;
	pp_trouble_sum_up(&job->trouble);
	return write_output(job, error);
}

static void free_job(struct job *job)
{
	if (job->profile.store)
		pp_profile_free(&job->profile);
	pp_image_search_free(&job->search);
	pp_classes_free(&job->classes);
	pp_sample_list_free(&job->list);
	pp_spec_free(&job->spec);
	pp_options_free(&job->options);
}

static enum op_exit run(struct job *job, int argc, const char **argv, struct op_error *error)
{
	enum pp_options_result result = pp_options_parse(&job->options, argc, argv, error);

	if (result == PP_OPTIONS_DONE)
		return OP_EXIT_OK;
	if (result == PP_OPTIONS_WRONG ||
	    pp_spec_parse(&job->spec, (const char *const *)job->options.words.item,
			  job->options.words.count, error))
		return OP_EXIT_USAGE;
	job->trouble.verbose = job->options.verbose;
	return report(job, error) ? OP_EXIT_FAILURE : OP_EXIT_OK;
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
	free_job(&job);
	return status;
}
