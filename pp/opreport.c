// SPDX-License-Identifier: GPL-2.0-or-later
/* opreport: the samples of a session by image and by symbol; opdiff: how two profiles differ. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "pp/select/classes.h"
#include "libop/session/temporary.h"
#include "pp/formats/command/inputs.h"
#include "pp/formats/html/sessions.h"
#include "pp/profile/loss.h"
#include "libop/base/memory.h"
#include "pp/report/image_pairs.h"
#include "pp/statistics/intervals.h"
#include "pp/report/notes.h"
#include "pp/report/options.h"
#include "pp/profile/profile.h"
#include "pp/report/report.h"
#include "pp/report/sentences.h"
#include "pp/report/unnamed.h"
#include "pp/select/selection.h"
#include "pp/tool/browser.h"
#include "pp/tool/whole_file.h"
#include "libop/base/warnings.h"

/* The sources of a profile: sample files and columns. */
struct source {
	struct pp_sample_list list;
	struct pp_classes classes;
	struct pp_image_search search, page_search;
	struct pp_profile profile;
	struct pp_runs runs; /* of a difference, or if intervals are asked for */
	struct pp_loss loss;
	struct op_strings notes;
	char *unnamed; /* the last line of text; NULL: none, or one of the notes */
};

struct job {
	struct pp_options options;
	struct source sources[2]; /* the second one for the difference of a pair */
	struct pp_symbol_filter filter, limits;
	struct pp_image_pairs pairs; /* of a difference */
};

/* Whether the report has call chains in it, if there are any. */
static bool shows_chains(const struct pp_options *options)
{
	return options->callgraph || pp_options_need_stacks(options) || options->style.by_line ||
	       options->hottest || options->inclusive_if_any || options->html;
}

static bool need_chains(const struct pp_options *options)
{
	return shows_chains(options) || options->limits.any_inclusive;
}

/* Text ends with it; documents and pages have it among the notes. */
static void note_unnamed(const struct job *job, struct source *source)
{
	const struct pp_options *options = &job->options;
	const char *what = !options->common.is_pair	? "Unnamed"
			   : source == &job->sources[0] ? "Unnamed in the old profile"
							: "Unnamed in the new profile";
	char *text = pp_unnamed_text(&source->profile, what);

	if (text && (options->html || options->format != PP_FORMAT_TEXT)) {
		if (op_strings_add(&source->notes, text))
			op_out_of_memory();
		free(text);
		text = NULL;
	}
	source->unnamed = text;
}

static struct pp_profile_request profile_request(struct job *job, struct source *source)
{
	const struct pp_options *options = &job->options;
	bool is_dcpi =
		options->format == PP_FORMAT_DCPICAT || options->format == PP_FORMAT_DCPIPROF;
	bool is_page = options->html;
	bool has_notes = options->format == PP_FORMAT_JSON || options->format == PP_FORMAT_XML ||
			 (!options->style.no_header && !is_dcpi);

	return (struct pp_profile_request){
		.keep_troubles = has_notes,
		.symbols = options->symbols || options->hottest || is_page,
		.details = options->style.details,
		.lines = options->style.lines,
		.inlines = options->style.inlines,
		.by_line = options->style.by_line,
		.arcs = need_chains(options),
		.calls = options->style.calls,
		.one_vdso = options->format == PP_FORMAT_TEXT && !options->style.show_address &&
			    !is_page,
		.merge_lib = options->merge.lib,
		.demangle = options->demangle,
		.filter = &job->filter,
		.limits = &job->limits,
		.search = &source->search,
	};
}

static int make_profile(struct job *job, struct source *source, struct op_error *error)
{
	const struct pp_options *options = &job->options;
	const struct pp_profile_request request = profile_request(job, source);
	const struct pp_notes_request notes = {
		.symbols = request.symbols,
		.chains = shows_chains(options),
		.stacks = pp_options_need_stacks(options) || options->html,
		.trees = options->style.calls || options->html,
		.all = options->common.warnings.verbose,
	};

	pp_profile_make(&source->profile, &source->list, &source->classes, &request,
			&job->options.common.warnings);
	if (request.arcs && !shows_chains(options))
		pp_profile_drop_arcs(&source->profile);
	if (!source->profile.n_files)
		return op_error_set(error, EINVAL, "none of the sample files could be read");
	if (options->inclusive_if_any)
		job->options.style.inclusive = job->options.style.no_callers =
			source->profile.has_stacks || source->profile.has_calls;
	pp_loss_read(&source->loss, source->list.samples_dirs, source->list.n_dirs);
	pp_notes_find(&source->notes, &source->profile, &source->loss, &notes);
	note_unnamed(job, source);
	if (options->style.intervals || (options->common.is_pair && !options->html))
		pp_runs_find(&source->runs, &source->list, &source->classes, &request);
	return 0;
}

static void write_loss(const struct job *job, const struct pp_loss *loss, bool color, FILE *out)
{
	pp_loss_write(loss, color, out);
	if (job->options.common.stats)
		pp_loss_write_others(loss, out);
}

/*
 * Lost samples, and then those without a name, are shown after every report.  A report without a
 * header is for programs, so there losses go to stderr, and only if samples were lost.
 */
static void write_end(const struct job *job, const struct source *source, FILE *out)
{
	const struct pp_loss *loss = &source->loss;
	bool quiet = job->options.style.no_header;
	bool has_losses = job->options.common.stats ||
			  (loss->known && (!job->options.style.brief_head || loss->lost));
	struct pp_sentences sentences;

	if (quiet && (job->options.common.stats || pp_loss_any(loss))) {
		pp_loss_write_doubts(loss, false, stderr);
		write_loss(job, loss, false, stderr);
	}
	if (quiet || (!has_losses && !source->unnamed))
		return;
	pp_sentences_begin(&sentences, job->options.style.columns, out);
	fputc('\n', sentences.file);
	if (has_losses)
		write_loss(job, loss, job->options.style.color, sentences.file);
	if (source->unnamed)
		pp_note_write(source->unnamed, job->options.style.color, sentences.file);
	pp_sentences_end(&sentences);
}

/* Other looks at the same samples: by source line, and by function with whole stacks. */
static void write_hottest(struct job *job, struct source *source, FILE *out)
{
	bool has_run_time = pp_hottest_has_run_time(&source->profile);
	struct pp_profile_request request = {
		.symbols = true,
		.keep_troubles = true,
		.lines = true,
		.by_line = true,
		.arcs = true,
		.one_vdso = true,
		.merge_lib = job->options.merge.lib,
		.demangle = job->options.demangle,
		.filter = &job->filter,
		.search = &source->search,
	};
	struct pp_profile lines = {0}, run_time = {0};

	pp_profile_make(&lines, &source->list, &source->classes, &request,
			&job->options.common.warnings);
	request.lines = request.by_line = false;
	request.calls = PP_CALLS_FROM_CALLERS;
	if (has_run_time)
		pp_profile_make(&run_time, &source->list, &source->classes, &request,
				&job->options.common.warnings);
	pp_report_hottest(&source->profile, has_run_time ? &run_time : NULL, &lines,
			  &job->options.style, out);
	if (has_run_time)
		pp_profile_free(&run_time);
	pp_profile_free(&lines);
}

static void put_head(const struct pp_profile *profile, const struct pp_report_style *style,
		     FILE *out)
{
	if (style->brief_head)
		pp_report_brief_head(profile, style, out);
	else
		pp_report_head(profile, style, out);
}

static void write_text(struct job *job, struct source *source, FILE *out)
{
	const struct pp_report_style *style = &job->options.style;
	struct pp_sentences sentences;

	if (!style->no_header) {
		pp_sentences_begin(&sentences, style->columns, out);
		put_head(&source->profile, style, sentences.file);
		pp_loss_write_doubts(&source->loss, style->color, sentences.file);
		pp_notes_write(&source->notes, style->color, sentences.file);
		if (style->intervals)
			fprintf(sentences.file, "%s\n", pp_intervals_legend(&source->runs));
		pp_sentences_end(&sentences);
	}
	if (job->options.hottest)
		write_hottest(job, source, out);
	else if (style->calls)
		pp_report_tree(&source->profile, style, out);
	else if (job->options.callgraph)
		pp_report_callgraph(&source->profile, style, out);
	else if (job->options.symbols)
		pp_report_symbols(&source->profile, style, out);
	else if (style->who_lines)
		pp_report_who(&source->profile, &job->options.common.label_sums, style, out);
	else
		pp_report_summary(&source->profile, style, out);
	write_end(job, source, out);
}

static void write_difference(const struct job *job, FILE *out)
{
	const struct source *old = &job->sources[0], *new = &job->sources[1];
	const struct pp_report_style *style = &job->options.style;
	const struct pp_report_pair pair = {.profiles = {&old->profile, &new->profile},
					    .runs = {&old->runs, &new->runs},
					    .pairs = &job->pairs};
	struct pp_sentences sentences;

	if (!style->no_header) {
		pp_sentences_begin(&sentences, style->columns, out);
		put_head(&new->profile, style, sentences.file);
		pp_report_old_sessions(&old->profile, sentences.file);
		pp_loss_write_doubts(&old->loss, style->color, sentences.file);
		pp_loss_write_doubts(&new->loss, style->color, sentences.file);
		pp_notes_write(&old->notes, style->color, sentences.file);
		pp_notes_write(&new->notes, style->color, sentences.file);
		pp_sentences_end(&sentences);
	}
	pp_report_difference(&pair, style, job->options.symbols, out);
	write_end(job, old, out);
	write_end(job, new, out);
}

/* DCPI's layouts have no header, and programs that read them expect none. */
static bool is_without_place_for_losses(enum op_format format)
{
	return format == PP_FORMAT_DCPICAT || format == PP_FORMAT_DCPIPROF;
}

static void write_report(struct job *job, FILE *out)
{
	struct source *source = &job->sources[0];
	const struct pp_options *options = &job->options;
	const struct pp_report_facts facts = {
		.search = &source->search,
		.list = &source->list,
		.symbols = options->symbols,
		.callgraph = options->callgraph,
		.loss = &source->loss,
		.notes = &source->notes,
		.command_line = options->common.command_line,
		.session_dir = op_session_shown(options->common.session_dir),
		.image_paths = &options->common.image_paths,
		.include = &options->include,
		.exclude = &options->exclude,
		.merge = &options->merge,
		.exclude_dependent = options->exclude_dependent,
	};

	if (job->options.common.is_pair) {
		write_difference(job, out);
		return;
	}
	if (is_without_place_for_losses(options->format) && pp_loss_any(&source->loss)) {
		pp_loss_write_doubts(&source->loss, false, stderr);
		write_loss(job, &source->loss, false, stderr);
	}
	switch (options->format) {
	case PP_FORMAT_TEXT:
		write_text(job, source, out);
		break;
	case PP_FORMAT_CSV:
		pp_report_csv(&source->profile, &options->style, &facts, out);
		if (options->style.no_header)
			write_end(job, source, out);
		break;
	case PP_FORMAT_JSON:
		pp_report_json(&source->profile, &options->style, &facts, out);
		break;
	case PP_FORMAT_XML:
		pp_report_xml(&source->profile, &options->style, &facts, out);
		break;
	case PP_FORMAT_DCPICAT:
		pp_report_dcpicat(&source->profile, &options->style, &facts, out);
		break;
	case PP_FORMAT_DCPIPROF:
		pp_report_dcpiprof(&source->profile, &options->style, &facts, out);
		break;
	}
}

static uint64_t lines_of(const struct pp_options *options, bool is_terminal)
{
	if (!is_terminal)
		return 0;
	return options->style.calls ? PP_TREE_LINES_ON_TERMINAL : PP_LINES_ON_TERMINAL;
}

static int write_output(struct job *job, struct op_error *error)
{
	struct pp_options *options = &job->options;
	struct pp_output output;

	if (pp_output_open(&output, &options->common.output, options->output, error))
		return -1;
	options->style.color = output.color;
	options->style.columns = output.columns;
	options->style.brief_head = (output.columns || options->hottest) &&
				    !options->common.warnings.verbose && !options->common.stats;
	options->style.libraries =
		options->libraries || (!options->no_libraries && !output.is_terminal);
	if (options->style.max_lines == PP_LINES_AUTO)
		options->style.max_lines = lines_of(options, output.is_terminal);
	write_report(job, output.file);
	return pp_output_close(&output, error);
}

static const char *session_dir_of(const struct job *job, size_t which)
{
	const char *own = job->options.common.specs[which].session_dir;

	return own ? own : job->options.common.session_dir;
}

/* Whether a page can be made of profiles as they are: of all of their samples, from files. */
static bool can_read_inputs(const struct job *job, const struct pp_spec *spec)
{
	const struct pp_options *options = &job->options;

	for (size_t i = 0; i < spec->inputs.count; i++)
		if (!strcmp(spec->inputs.item[i], "-"))
			return false;
	return spec->inputs.count && !pp_spec_is_selective(spec) && !options->exclude_dependent;
}

static int write_page(struct job *job, struct op_error *error)
{
	const struct pp_options *options = &job->options;
	size_t n = options->common.is_pair ? 2 : 1;
	const struct html_request request = {
		.merge = &options->merge,
		.exclude_dependent = options->exclude_dependent,
		.demangle = options->demangle,
		.warnings = &job->options.common.warnings,
		.pairs = &job->pairs,
	};
	struct html_session sessions[2];
	struct pp_whole_file whole;
	int result;

	for (size_t i = 0; i < n; i++) {
		struct source *source = &job->sources[i];

		source->page_search = pp_common_search(&options->common, &options->common.specs[i]);
		sessions[i] = (struct html_session){.dir = session_dir_of(job, i),
						    .spec = &options->common.specs[i],
						    .search = &source->page_search,
						    .profile = &source->profile,
						    .loss = &source->loss,
						    .notes = &source->notes};
		if (can_read_inputs(job, &options->common.specs[i]))
			sessions[i].read_inputs = inputs_read_again;
	}
	if (pp_whole_file_open(&whole, options->html, error))
		return -1;
	result = html_sessions_write(sessions, n, &request, whole.file, error);
	if (pp_whole_file_close(&whole, result, error))
		return -1;
	return options->open ? pp_browser_open(options->html, error) : 0;
}

/* What --by leaves apart is its own only; a thread has one process. */
static struct pp_merge merge_others(const struct pp_options *options)
{
	enum pp_by by = options->style.by;

	return (struct pp_merge){.label = options->style.label,
				 .cpu = by != PP_BY_CPU,
				 .tid = by != PP_BY_THREAD,
				 .tgid = by != PP_BY_PROCESS,
				 .unit_mask = options->merge.unit_mask};
}

/* Sessions have no threads unless they were asked to keep them apart. */
static int check_who(const struct pp_classes *classes, const char *session_dir, enum pp_by by,
		     const char *label, struct op_error *error)
{
	const char *what = by == PP_BY_CPU ? "CPUs" : "threads";
	const char *option = by == PP_BY_CPU ? "cpu" : "thread";
	const char *shown = op_session_shown(session_dir);
	struct op_similar similar;

	for (size_t i = 0; i < classes->n; i++)
		if (by == PP_BY_APPLICATION || pp_who_is_known(&classes->items[i], by))
			return 0;
	if (by == PP_BY_LABEL) {
		similar = pp_by_similar(label);
		return op_error_set(error, EINVAL,
				    "--by=%s: no such label: sessions have process, thread, cpu "
				    "and application, profiles of other formats labels of their "
				    "own" OP_SIMILAR_FORMAT,
				    label, OP_SIMILAR_ARGUMENTS(similar, ""));
	}
	if (shown != session_dir)
		return op_error_set(error, EINVAL, "%s: the profile does not say which %s", shown,
				    what);
	return op_error_set(error, EINVAL,
			    "the session does not keep %s apart; --separate-%s of "
			    "operf, or --separate=%s of opcontrol, does",
			    what, option, option);
}

static int read_source(struct job *job, size_t which, struct op_error *error)
{
	struct pp_options *options = &job->options;
	const struct pp_spec *spec = &options->common.specs[which];
	/* a page needs the profile for what is said above it, and tells the rest apart itself */
	const struct pp_merge by_event = {
		.cpu = true, .tid = true, .tgid = true, .unit_mask = options->merge.unit_mask};
	struct pp_merge as_given = options->merge, others = merge_others(options);
	const struct pp_merge *merge = &as_given;
	const struct pp_merge all = {
		.cpu = true, .tid = true, .tgid = true, .lib = options->merge.lib};
	bool is_page = options->html;
	struct source *source = &job->sources[which];

	source->list.want_arcs = need_chains(options) && !is_page;
	source->list.want_stacks = need_chains(options);
	source->list.want_entries = options->symbols || options->hottest || is_page;
	source->list.unscaled = options->unscaled || is_page;
	source->list.want_empty = !spec->events.count && !spec->counts.n && !spec->unit_masks.n;
	source->search = pp_common_search(&options->common, spec);
	if (is_page)
		merge = &by_event;
	else if (options->style.by)
		merge = &others;
	else if (!spec->cpus.n && !spec->tgids.n && !spec->tids.n) {
		as_given.all_if_many = options->sums_up_many;
		if (options->sums_up)
			merge = &all;
	}
	if (pp_select(&source->list, &source->classes, session_dir_of(job, which), spec, merge,
		      options->exclude_dependent, &options->common.warnings, error))
		return pp_loss_explain(&source->list, error);
	if (!options->common.label_sums.n &&
	    check_who(&source->classes, session_dir_of(job, which), options->style.by,
		      options->style.label, error))
		return -1;
	return make_profile(job, source, error);
}

/* Only columns of the same kind can be subtracted. */
static int compare_columns(const struct job *job, struct op_error *error)
{
	const struct pp_classes *old = &job->sources[0].classes, *new = &job->sources[1].classes;

	for (size_t i = 0; i < old->n || i < new->n; i++)
		if (i >= old->n || i >= new->n || old->axis != new->axis ||
		    strcmp(old->items[i].column, new->items[i].column) != 0)
			return op_error_set(error, EINVAL,
					    "the two profiles have different columns (%s and %s); "
					    "--merge or the profile specification can make them "
					    "alike",
					    i < old->n ? old->items[i].column : "none",
					    i < new->n ? new->items[i].column : "none");
	return 0;
}

/* What a difference needs of both profiles. */
static int prepare_difference(struct job *job, struct op_error *error)
{
	const struct pp_profile *const profiles[PP_SIDES] = {
		[PP_OLD] = &job->sources[0].profile, [PP_NEW] = &job->sources[1].profile};
	struct pp_image_search *const searches[PP_SIDES] = {
		[PP_OLD] = &job->sources[0].search, [PP_NEW] = &job->sources[1].search};

	for (int i = PP_OLD; i < PP_SIDES; i++) {
		searches[i]->samples_dirs = job->sources[i].list.samples_dirs;
		searches[i]->n_dirs = job->sources[i].list.n_dirs;
	}
	if (pp_image_pairs_find(&job->pairs, profiles, searches, &job->options.map, error))
		return -1;
	for (size_t i = 0; i < job->pairs.notes.count; i++)
		if (op_strings_add(&job->sources[1].notes, job->pairs.notes.item[i]))
			op_out_of_memory();
	if (job->options.html)
		return 0;
	if (compare_columns(job, error))
		return -1;
	if (job->options.style.per_second &&
	    (!profiles[PP_OLD]->head.duration_ns || !profiles[PP_NEW]->head.duration_ns))
		return op_error_set(error, EINVAL,
				    "--per-second: a session does not say for how long it was "
				    "sampled");
	return 0;
}

/* On a terminal, text has short names, and inclusive samples where there are call chains; pages
 * have short names, too. */
static void choose_for_reader(struct pp_options *options)
{
	const struct pp_report_style *style = &options->style;
	bool is_read = !options->html && options->format == PP_FORMAT_TEXT &&
		       (options->hottest || pp_output_is_for_terminal(options->output));

	if (options->demangle == PP_DEMANGLE_AUTO)
		options->demangle =
			is_read || options->html ? PP_DEMANGLE_SMART : PP_DEMANGLE_NORMAL;
	options->sums_up_many = !options->merge.cpu && !options->merge.tid &&
				!options->merge.tgid && !options->merge.unit_mask &&
				!options->common.is_pair;
	options->sums_up = is_read && options->sums_up_many;
	options->inclusive_if_any = is_read && options->symbols && !options->no_children &&
				    !options->callgraph && !style->inclusive && !style->calls &&
				    !style->details && !style->inlines && !options->common.is_pair;
}

static int report(void *context, struct op_error *error)
{
	struct job *job = context;

	choose_for_reader(&job->options);
	pp_symbol_filter_init(&job->filter, &job->options.include, &job->options.exclude);
	pp_symbol_filter_init_limits(&job->limits, &job->options.limits.names);
	if (read_source(job, 0, error))
		return -1;
	if (job->options.common.is_pair &&
	    (read_source(job, 1, error) || prepare_difference(job, error)))
		return -1;
	if (pp_symbol_filter_check(&job->filter, error))
		return -1;
	pp_symbol_filter_warn(&job->limits);
	if (job->options.style.intervals)
		pp_intervals_find(&job->sources[0].profile, &job->sources[0].runs);
	if (job->options.html) {
		int result = write_page(job, error);

		op_warnings_summarize(&job->options.common.warnings);
		return result;
	}
	op_warnings_summarize(&job->options.common.warnings);
	return write_output(job, error);
}

/* What --by leaves apart; all else would be columns that nobody asked for. */
static struct pp_separation separation(const void *job)
{
	const struct pp_options *options = &((const struct job *)job)->options;
	const struct pp_report_style *style = &options->style;
	const struct pp_spec *spec = &options->common.specs[0];
	enum pp_by by = style->by;

	return (struct pp_separation){.label = style->label,
				      .programs_only = style->who_lines && by == PP_BY_LABEL &&
						       !pp_spec_is_by_image(spec) &&
						       !spec->cpus.n && !spec->tgids.n &&
						       !spec->tids.n && !options->exclude_dependent,
				      .process = by == PP_BY_PROCESS,
				      .thread = by == PP_BY_THREAD,
				      .cpu = by == PP_BY_CPU};
}

/* perf report names its file with -i. */
static int check_include(const struct pp_options *options, struct op_error *error)
{
	for (size_t i = 0; i < options->include.count; i++)
		if (input_readers.is_input(options->include.item[i]))
			return op_error_set(error, EINVAL,
					    "--include-symbols=%s: this is a profile, which is a "
					    "word of its own: %s %s",
					    options->include.item[i], op_program(),
					    options->include.item[i]);
	return 0;
}

static int opreport_check(void *job, struct op_error *error)
{
	struct pp_options *options = &((struct job *)job)->options;

	return check_include(options, error) || pp_options_check(options, error) ? -1 : 0;
}

/* Of a difference, symbols are what is asked for; a page has all. */
static int opdiff_check(void *context, struct op_error *error)
{
	struct pp_options *options = &((struct job *)context)->options;

	if (options->symbols && options->no_symbols)
		return op_error_set(error, EINVAL, "--symbols and --no-symbols exclude each other");
	if (options->no_symbols && options->html)
		return op_error_set(error, EINVAL, "--html and --no-symbols exclude each other");
	options->symbols |= !options->no_symbols && !options->html;
	return pp_options_check(options, error);
}

static int opreport_judge(void *context, struct op_error *error)
{
	const struct job *job = context;

	return pp_limits_check(&job->options.limits, &job->sources[0].profile, error);
}

static void opreport_release(void *context)
{
	struct job *job = context;

	for (size_t i = 0; i < 2; i++) {
		struct source *source = &job->sources[i];

		pp_runs_free(&source->runs);
		if (source->profile.store)
			pp_profile_free(&source->profile);
		op_strings_free(&source->notes);
		free(source->unnamed);
		pp_image_search_free(&source->search);
		pp_image_search_free(&source->page_search);
		pp_classes_free(&source->classes);
		pp_sample_list_free(&source->list);
	}
	pp_symbol_filter_free(&job->filter);
	pp_symbol_filter_free(&job->limits);
	pp_image_pairs_free(&job->pairs);
}

static const struct pp_tool tool = {
	.synopsis = PP_SYNOPSIS_SPEC,
	.options = pp_options_table,
	.words = PP_WORDS_PAIR,
	.inputs = &input_readers,
	.separation = separation,
	.reports = true,
	.check = opreport_check,
	.run = report,
	.judge = opreport_judge,
	.release = opreport_release,
};

/* The name of the link that makes this program opdiff */
#define OPDIFF "opdiff"

static bool is_opdiff(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

	return argv0 && !strcmp(slash ? slash + 1 : argv0, OPDIFF);
}

int main(int argc, char **argv)
{
	struct pp_tool opdiff = tool;
	struct job job = {
		.options = {.demangle = PP_DEMANGLE_AUTO, .style.max_lines = PP_LINES_AUTO}};

	if (!is_opdiff(argv[0]))
		return pp_tool_main(&tool, &job, argc, argv);
	opdiff.synopsis = PP_SYNOPSIS_TWO;
	opdiff.options = pp_options_of_difference();
	opdiff.words = PP_WORDS_TWO;
	opdiff.check = opdiff_check;
	return pp_tool_main(&opdiff, &job, argc, argv);
}
