// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of opreport. */
#include "options.h"

#include <errno.h>
#include <string.h>

#include "libop/base/array.h"
#include "event_column.h"

static int take_sort(const struct op_option *option, void *field, const char *text,
		     struct op_error *error)
{
	(void)option;
	return pp_sort_parse(field, text, error);
}

static const struct op_option_type sort_type = {.take = take_sort};

/* In the order of enum op_format. */
static const char *const formats[] = {"text", "csv", "json", "xml", "dcpicat", "dcpiprof", NULL};

/* In the order of enum pp_by. */
static const char *const pp_by_words[] = {"application", "process", "thread", "cpu", NULL};

const struct op_option pp_options_table[] = {
	{"symbols", 'l', NULL, "list symbols", OP_FLAG(struct pp_options, symbols)},
	{"details", 'd', NULL,
	 "list the addresses in symbols (includes --symbols and --show-address)",
	 OP_FLAG(struct pp_options, style.details)},
	{"callgraph", 'c', NULL,
	 "list symbols with their callers and what they call (includes --symbols)",
	 OP_FLAG(struct pp_options, callgraph)},
	{"children", 0, NULL,
	 "show inclusive samples beside those of each symbol, and sort by them (includes "
	 "--symbols)",
	 OP_FLAG(struct pp_options, style.children)},
	{"no-children", 0, NULL, "show the samples of each symbol only (includes --symbols)",
	 OP_FLAG(struct pp_options, no_children)},
	{"tree", 0, NULL, "show the tree of calls, from callers on (includes --symbols)",
	 OP_FLAG(struct pp_options, tree)},
	{"inverted", 0, NULL, "show each symbol with those that call it below (includes --symbols)",
	 OP_FLAG(struct pp_options, inverted)},
	{"lines", 0, NULL,
	 "list source lines, those with the most samples first (includes --debug-info)",
	 OP_FLAG(struct pp_options, style.by_line)},
	{"hottest", 0, NULL, "show the hottest functions and source lines only",
	 OP_FLAG(struct pp_options, hottest)},
	{"max-depth", 0, "N", "of a tree, show N levels; 0: all",
	 OP_NUMBER(struct pp_options, style.max_depth, 0, 1000000)},
	{"max-lines", 0, "N",
	 "show the N lines with the most samples; 0: all (the default unless on a terminal)",
	 OP_NUMBER(struct pp_options, style.max_lines, 0, 1000000000)},
	{"debug-info", 'g', NULL, "show source file and line",
	 OP_FLAG(struct pp_options, style.lines)},
	{"inline", 0, NULL, "list inlined functions, too (includes --symbols)",
	 OP_FLAG(struct pp_options, style.inlines)},
	{"show-address", 'w', NULL, "show the addresses of symbols",
	 OP_FLAG(struct pp_options, style.show_address)},
	{"by", 0, "WHO",
	 "show one line each, or with symbols one column: application (the default), process, "
	 "thread, cpu, or a label of the profile",
	 OP_TEXT(struct pp_options, by), .words = pp_by_words},
	{"cpu", 0, "LIST", "show samples of these CPUs only, as cpu:LIST does",
	 OP_TEXT(struct pp_options, cpu)},
	{"tgid", 0, "LIST", "show samples of these processes only, as tgid:LIST does",
	 OP_TEXT(struct pp_options, tgid)},
	{"tid", 0, "LIST", "show samples of these threads only, as tid:LIST does",
	 OP_TEXT(struct pp_options, tid)},
	{"libraries", 0, NULL,
	 "without symbols, list the images of each application below it (the default unless on a "
	 "terminal)",
	 OP_FLAG(struct pp_options, libraries)},
	{"no-libraries", 0, NULL, "without symbols, show one line an application",
	 OP_FLAG(struct pp_options, no_libraries)},
	{"long-filenames", 'f', NULL, "show whole paths",
	 OP_FLAG(struct pp_options, style.long_names)},
	{"accumulated", 'a', NULL, "show running sums of samples and percentages",
	 OP_FLAG(struct pp_options, style.accumulated)},
	PP_OPTION_SHOW_EVENTS(struct pp_options, style.events),
	{"intervals", 0, NULL,
	 "show by how much shares may be off: as sessions differ, or by the number of samples",
	 OP_FLAG(struct pp_options, style.intervals)},
	{"global-percent", '%', NULL, "make percentages relative to all samples",
	 OP_FLAG(struct pp_options, style.global_percent)},
	PP_OPTION_THRESHOLD(struct pp_options, style.threshold),
	{"sort", 's', "LIST",
	 "sort by these, first key first: sample, image, app-name, symbol, debug, vma",
	 .type = &sort_type, .field = OP_FIELD(struct pp_options, style, struct pp_report_style)},
	{"reverse-sort", 'r', NULL, "reverse the order", OP_FLAG(struct pp_options, style.reverse)},
	{"per-second", 0, NULL, "of a difference, compare numbers a second",
	 OP_FLAG(struct pp_options, style.per_second)},
	{"map", 0, "OLD=NEW", "of a difference, take these images for one (paths or base names)",
	 OP_LIST(struct pp_options, map)},
	PP_OPTION_MERGE(struct pp_options, merge),
	PP_OPTION_UNSCALED(struct pp_options, unscaled),
	PP_OPTION_EXCLUDE_DEPENDENT(struct pp_options, exclude_dependent),
	PP_OPTION_EXCLUDE_SYMBOLS(struct pp_options, exclude),
	PP_OPTION_INCLUDE_SYMBOLS(struct pp_options, include),
	{"fail-above", 0, "NAME=PERCENT",
	 "exit with 3 if these symbols have a larger share of the samples; PERCENT:inclusive: they "
	 "and what they call (includes --symbols)",
	 .type = &pp_option_limit, .field = OP_FIELD(struct pp_options, limits, struct pp_limits)},
	PP_OPTION_DEMANGLE(struct pp_options, demangle),
	{"no-header", 'n', NULL, "print neither column headings nor statistics",
	 OP_FLAG(struct pp_options, style.no_header)},
	{"output-file", 'o', "FILE", "write to this file", OP_TEXT(struct pp_options, output)},
	{"stats", 0, NULL, "show how many samples were received, stored and lost",
	 OP_FLAG(struct pp_options, common.stats)},
	{"xml", 'X', NULL, "write XML (includes --symbols)", OP_FLAG(struct pp_options, xml)},
	{"json", 0, NULL, "write JSON", OP_FLAG(struct pp_options, json)},
	{"csv", 0, NULL, "write CSV", OP_FLAG(struct pp_options, csv)},
	{"html", 0, "FILE",
	 "write a page for browsers: flame graph, tables and code; of a pair, the difference",
	 OP_TEXT(struct pp_options, html)},
	{"open", 0, NULL, "show the page of --html in the desktop's browser",
	 OP_FLAG(struct pp_options, open)},
	{"format", 0, "FORMAT",
	 "write text, csv, json, xml, or what dcpicat or dcpiprof of DCPI would print",
	 OP_WORD(struct pp_options, format, enum op_format, formats)},
	/* as perf report has them */
	{"stdio", 0, NULL, NULL, OP_FLAG(struct pp_options, common.output.no_pager)},
	{"percent-limit", 0, "PERCENT", NULL, OP_PERCENT(struct pp_options, style.threshold)},
	{"input", 0, "FILE", NULL, OP_HINT("a profile is a word of its own: opreport perf.data")},
	{"comms", 0, "LIST", NULL, OP_HINT("programs are chosen by the word image:LIST")},
	{"comm", 0, "LIST", NULL, OP_HINT("programs are chosen by the word image:LIST")},
	{"dsos", 0, "LIST", NULL, OP_HINT("libraries are chosen by the word lib-image:LIST")},
	{"dso", 0, "LIST", NULL, OP_HINT("libraries are chosen by the word lib-image:LIST")},
	{"pid", 0, "LIST", NULL, OP_TEXT(struct pp_options, tgid)},
	{0}};

struct op_similar pp_by_similar(const char *word)
{
	return op_similar_of(word, pp_by_words);
}

static const struct op_option no_symbols_row = {"no-symbols", 0, NULL,
						"list images instead of symbols",
						OP_FLAG(struct pp_options, no_symbols)};

const struct op_option *pp_options_of_difference(void)
{
	static const char *const names[] = {"cpu",
					    "tgid",
					    "tid",
					    "long-filenames",
					    "threshold",
					    "reverse-sort",
					    "per-second",
					    "map",
					    "merge",
					    "unscaled",
					    "exclude-dependent",
					    "exclude-symbols",
					    "include-symbols",
					    "demangle",
					    "max-lines",
					    "no-header",
					    "output-file",
					    "stats",
					    "html",
					    "open",
					    "symbols"};
	static struct op_option rows[OP_ARRAY_SIZE(names) + 2];
	size_t n = 0;

	for (const struct op_option *row = pp_options_table; row->type; row++)
		for (size_t i = 0; i < OP_ARRAY_SIZE(names); i++)
			if (!strcmp(row->name, names[i]))
				rows[n++] = *row;
	rows[n] = no_symbols_row;
	return rows;
}

static bool sorts_by(const struct pp_report_style *style, enum pp_sort_key key)
{
	for (size_t i = 0; i < style->n_sort; i++)
		if (style->sort[i] == key)
			return true;
	return false;
}

/* What an option excludes, where @wrong says that it was given. */
struct exclusion {
	bool wrong;
	const char *name;
};

static int check_exclusions(const char *option, const struct exclusion *others, size_t n,
			    struct op_error *error)
{
	for (size_t i = 0; i < n; i++)
		if (others[i].wrong)
			return op_error_set(error, EINVAL, "%s and %s exclude each other", option,
					    others[i].name);
	return 0;
}

#define CHECK_EXCLUSIONS(option, others, error)                                                    \
	check_exclusions(option, others, OP_ARRAY_SIZE(others), error)

/* Rejects options about symbols in reports without symbols. */
static int check_without_symbols(const struct pp_options *options, struct op_error *error)
{
	const struct pp_report_style *style = &options->style;
	const struct {
		bool wrong;
		const char *name;
	} needy[] = {
		{style->show_address, "--show-address"},
		{style->lines, "--debug-info"},
		{style->accumulated, "--accumulated"},
		{style->intervals, "--intervals"},
		{options->exclude.count, "--exclude-symbols"},
		{options->include.count, "--include-symbols"},
		{sorts_by(style, PP_SORT_VMA), "--sort=vma"},
		{sorts_by(style, PP_SORT_DEBUG), "--sort=debug"},
		{sorts_by(style, PP_SORT_SYMBOL), "--sort=symbol"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(needy); i++)
		if (needy[i].wrong)
			return op_error_set(error, EINVAL, "%s needs --symbols", needy[i].name);
	return 0;
}

static int check_difference(const struct pp_options *options, struct op_error *error)
{
	const struct pp_report_style *style = &options->style;

	if (!options->callgraph && !pp_options_need_stacks(options) && !style->details &&
	    options->format == PP_FORMAT_TEXT && !style->lines && !style->show_address &&
	    !style->accumulated && !style->global_percent && !style->n_sort &&
	    style->events == PP_EVENTS_AUTO)
		return 0;
	return op_error_set(
		error, EINVAL,
		"a difference excludes --callgraph, --children, --tree, --inverted, --details, "
		"--debug-info, "
		"--show-address, --show-events, --accumulated, --global-percent, --sort, --xml, "
		"--json and --csv");
}

/* Reports of whole stacks are text, and have no other rows than symbols. */
static int check_stacks(const struct pp_options *options, struct op_error *error)
{
	const struct pp_report_style *style = &options->style;
	const struct exclusion others[] = {
		{options->callgraph, "--callgraph"},
		{style->details, "--details"},
		{style->inlines, "--inline"},
		{options->format != PP_FORMAT_TEXT, "another format than text"},
		{style->calls && style->lines, "--debug-info"},
		{style->calls && style->show_address, "--show-address"},
		{style->calls && style->accumulated, "--accumulated"},
		{style->calls && style->events == PP_EVENTS_ALWAYS, "--show-events=always"},
		{style->calls && style->n_sort, "--sort"},
		{style->calls && style->reverse, "--reverse-sort"},
		{options->no_children, "--no-children"},
	};
	const char *name = options->tree       ? "--tree"
			   : options->inverted ? "--inverted"
					       : "--children";

	if (options->tree + options->inverted + style->children > 1)
		return op_error_set(error, EINVAL,
				    "only one of --children, --tree and --inverted can be shown");
	return CHECK_EXCLUSIONS(name, others, error);
}

/* Rows are lines instead of symbols. */
static int check_lines(const struct pp_options *options, struct op_error *error)
{
	const struct exclusion others[] = {
		{options->callgraph, "--callgraph"},
		{options->style.calls, "a tree of calls"},
		{options->style.details, "--details"},
		{options->style.inlines, "--inline, which it includes,"},
		{options->no_children, "--no-children"},
		{options->common.is_pair, "a difference"},
		{options->format != PP_FORMAT_TEXT && options->format != PP_FORMAT_CSV &&
			 options->format != PP_FORMAT_JSON,
		 "another format than text, CSV and JSON"},
	};

	return options->style.by_line ? CHECK_EXCLUSIONS("--lines", others, error) : 0;
}

/* It has a choice of its own. */
static int check_hottest(const struct pp_options *options, struct op_error *error)
{
	const struct pp_report_style *style = &options->style;
	const struct exclusion others[] = {
		{options->callgraph, "--callgraph"},
		{style->children, "--children"},
		{options->no_children, "--no-children"},
		{options->tree, "--tree"},
		{options->inverted, "--inverted"},
		{style->details, "--details"},
		{style->by_line, "--lines"},
		{style->lines, "--debug-info"},
		{style->inlines, "--inline"},
		{style->show_address, "--show-address"},
		{style->accumulated, "--accumulated"},
		{style->intervals, "--intervals"},
		{style->by, "--by"},
		{style->n_sort, "--sort"},
		{style->reverse, "--reverse-sort"},
		{style->max_lines != PP_LINES_AUTO, "--max-lines"},
		{options->common.is_pair, "a difference"},
		{options->format != PP_FORMAT_TEXT, "another format than text"},
	};

	return options->hottest ? CHECK_EXCLUSIONS("--hottest", others, error) : 0;
}

/* Inclusive samples are of functions as the symbol table has them. */
static int check_inclusive_limits(const struct pp_options *options, struct op_error *error)
{
	const struct exclusion others[] = {
		{options->style.details, "--details"},
		{options->style.inlines, "--inline"},
	};

	return options->limits.any_inclusive
		       ? CHECK_EXCLUSIONS("--fail-above=NAME=PERCENT:inclusive", others, error)
		       : 0;
}

/* Only lists of symbols or lines in text have a place for them. */
static int check_intervals(const struct pp_options *options, struct op_error *error)
{
	const struct exclusion others[] = {
		{options->callgraph, "--callgraph"},
		{options->style.calls, "a tree of calls"},
		{options->style.details, "--details"},
		{options->style.label, "--by a label"},
		{options->common.is_pair, "a difference"},
		{options->format != PP_FORMAT_TEXT, "another format than text"},
	};

	return options->style.intervals ? CHECK_EXCLUSIONS("--intervals", others, error) : 0;
}

static int check_libraries(const struct pp_options *options, struct op_error *error)
{
	const char *name = options->libraries ? "--libraries" : "--no-libraries";

	if (!options->libraries && !options->no_libraries)
		return 0;
	if (options->libraries && options->no_libraries)
		return op_error_set(error, EINVAL,
				    "--libraries and --no-libraries exclude each other");
	if (options->symbols || options->format != PP_FORMAT_TEXT || options->common.is_pair)
		return op_error_set(error, EINVAL, "%s is for summaries in text only", name);
	return 0;
}

/* What is none of the words is a label of the profile. */
static void choose_by(struct pp_options *options)
{
	struct pp_report_style *style = &options->style;

	for (size_t i = 0; options->by && pp_by_words[i]; i++) {
		if (strcmp(options->by, pp_by_words[i]) != 0)
			continue;
		style->by = (enum pp_by)i;
		return;
	}
	style->label = options->by;
	style->by = options->by ? PP_BY_LABEL : PP_BY_APPLICATION;
}

/* Columns are what --by makes lines of. */
static int check_by(const struct pp_options *options, struct op_error *error)
{
	const struct pp_merge *merge = &options->merge;
	const struct exclusion others[] = {
		{options->libraries, "--libraries"},
		{options->no_libraries, "--no-libraries"},
		{options->exclude_dependent, "--exclude-dependent"},
		{options->style.n_sort, "--sort"},
		{options->style.global_percent, "--global-percent"},
		{options->style.events == PP_EVENTS_ALWAYS, "--show-events=always"},
		{merge->cpu || merge->tid || merge->tgid || merge->lib, "--merge"},
	};

	return options->style.by ? CHECK_EXCLUSIONS("--by", others, error) : 0;
}

static int check_limits(const struct pp_options *options, struct op_error *error)
{
	const struct pp_report_style *style = &options->style;

	if (style->max_depth && !style->calls)
		return op_error_set(error, EINVAL, "--max-depth needs --tree or --inverted");
	if (style->max_lines != PP_LINES_AUTO && options->format != PP_FORMAT_TEXT)
		return op_error_set(error, EINVAL, "--max-lines is for text only");
	return 0;
}

static bool is_dcpi(enum op_format format)
{
	return format == PP_FORMAT_DCPICAT || format == PP_FORMAT_DCPIPROF;
}

static int check_dcpi(struct pp_options *options, struct op_error *error)
{
	struct pp_report_style *style = &options->style;

	if (options->callgraph || style->lines || style->show_address || style->n_sort ||
	    style->reverse || style->long_names)
		return op_error_set(error, EINVAL,
				    "dcpicat and dcpiprof exclude --callgraph, --debug-info, "
				    "--details, --show-address, --sort, --reverse-sort and "
				    "--long-filenames");
	style->details = options->format == PP_FORMAT_DCPICAT;
	return 0;
}

static int choose_format(struct pp_options *options, struct op_error *error)
{
	const struct {
		bool wanted;
		enum op_format format;
	} short_ways[] = {
		{options->xml, PP_FORMAT_XML},
		{options->json, PP_FORMAT_JSON},
		{options->csv, PP_FORMAT_CSV},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(short_ways); i++) {
		if (!short_ways[i].wanted || options->format == short_ways[i].format)
			continue;
		if (options->format != PP_FORMAT_TEXT)
			return op_error_set(error, EINVAL,
					    "only one of --xml, --json, --csv and --format can be "
					    "written");
		options->format = short_ways[i].format;
	}
	return 0;
}

/* A page has all that reports have, so what chooses between reports has no meaning there. */
static int check_html(const struct pp_options *options, struct op_error *error)
{
	const struct pp_report_style *style = &options->style;
	const struct exclusion others[] = {
		{options->output, "--output-file"},
		{style->details, "--details"},
		{options->callgraph, "--callgraph"},
		{style->children, "--children"},
		{options->no_children, "--no-children"},
		{options->tree, "--tree"},
		{options->inverted, "--inverted"},
		{style->max_depth, "--max-depth"},
		{style->max_lines != PP_LINES_AUTO, "--max-lines"},
		{style->lines, "--debug-info"},
		{style->inlines, "--inline"},
		{style->by_line, "--lines"},
		{style->show_address, "--show-address"},
		{style->long_names, "--long-filenames"},
		{style->by, "--by"},
		{options->libraries, "--libraries"},
		{options->no_libraries, "--no-libraries"},
		{style->accumulated, "--accumulated"},
		{style->intervals, "--intervals"},
		{style->events != PP_EVENTS_AUTO, "--show-events"},
		{style->global_percent, "--global-percent"},
		{style->threshold > 0, "--threshold"},
		{style->n_sort, "--sort"},
		{style->reverse, "--reverse-sort"},
		{options->exclude.count, "--exclude-symbols"},
		{options->include.count, "--include-symbols"},
		{options->merge.lib, "--merge=lib"},
		{style->no_header, "--no-header"},
		{style->per_second, "--per-second"},
		{options->xml || options->json || options->csv || options->format != PP_FORMAT_TEXT,
		 "another format"},
	};

	if (CHECK_EXCLUSIONS("--html", others, error))
		return -1;
	if (options->open && (!strcmp(options->html, "-") || !*options->html))
		return op_error_set(error, EINVAL, "--open needs --html with the name of a file");
	return 0;
}

/* Of a pair, both sides. */
static int add_filters(struct pp_options *options, struct op_error *error)
{
	const struct {
		const char *tag, *list;
	} filters[] = {{"cpu", options->cpu}, {"tgid", options->tgid}, {"tid", options->tid}};
	size_t n = options->common.is_pair ? 2 : 1;

	for (size_t i = 0; i < OP_ARRAY_SIZE(filters); i++)
		for (size_t k = 0; filters[i].list && k < n; k++)
			if (pp_spec_add(&options->common.specs[k], filters[i].tag, filters[i].list,
					error))
				return -1;
	return 0;
}

int pp_options_check(struct pp_options *options, struct op_error *error)
{
	struct pp_report_style *style = &options->style;

	choose_by(options);
	if (add_filters(options, error))
		return -1;
	if (options->map.count && !options->common.is_pair)
		return op_error_set(error, EINVAL, "--map needs a difference: { OLD } { NEW }");
	if (options->limits.names.count && options->common.is_pair)
		return op_error_set(error, EINVAL, "--fail-above is for one profile");
	if (options->html)
		return check_html(options, error);
	if (options->open)
		return op_error_set(error, EINVAL, "--open needs --html");
	if (choose_format(options, error))
		return -1;
	if (options->tree || options->inverted)
		style->calls = options->tree ? PP_CALLS_FROM_CALLERS : PP_CALLS_FROM_CALLEES;
	if (check_libraries(options, error) || check_limits(options, error) ||
	    (pp_options_need_stacks(options) && check_stacks(options, error)))
		return -1;
	if (style->global_percent && options->symbols && !style->details && !options->callgraph)
		return op_error_set(error, EINVAL,
				    "--global-percent with --symbols needs --details or "
				    "--callgraph");
	if (check_hottest(options, error) || check_lines(options, error) ||
	    check_intervals(options, error) || check_inclusive_limits(options, error))
		return -1;
	style->lines |= style->by_line;
	style->inclusive = style->children || style->by_line;
	options->symbols |=
		pp_options_need_stacks(options) || options->no_children || style->by_line;
	options->symbols |= options->limits.names.count || style->details || options->callgraph ||
			    style->inlines || options->format == PP_FORMAT_XML ||
			    options->format == PP_FORMAT_DCPICAT;
	if (!options->symbols && !options->hottest && check_without_symbols(options, error))
		return -1;
	style->who_lines = style->by && !options->symbols && options->format == PP_FORMAT_TEXT &&
			   !options->common.is_pair;
	style->show_address |= style->details;
	if (check_by(options, error))
		return -1;
	if (is_dcpi(options->format) && check_dcpi(options, error))
		return -1;
	if (options->callgraph && style->details)
		return op_error_set(error, EINVAL, "--callgraph and --details exclude each other");
	if (options->callgraph && style->inlines)
		return op_error_set(error, EINVAL, "--callgraph and --inline exclude each other");
	if (options->format != PP_FORMAT_TEXT && (style->accumulated || style->global_percent))
		return op_error_set(error, EINVAL,
				    "--accumulated and --global-percent are for text only, not "
				    "for --xml, --json and --csv");
	if (style->events != PP_EVENTS_AUTO && options->format != PP_FORMAT_TEXT)
		return op_error_set(error, EINVAL,
				    "--show-events is for text only: --xml, --json and --csv have "
				    "events wherever samples stand for different numbers of them");
	if (options->merge.lib && options->exclude_dependent)
		return op_error_set(error, EINVAL,
				    "--merge=lib and --exclude-dependent contradict each other");
	if (style->per_second && !options->common.is_pair)
		return op_error_set(error, EINVAL,
				    "--per-second needs a difference: { OLD } { NEW }");
	return options->common.is_pair ? check_difference(options, error) : 0;
}
