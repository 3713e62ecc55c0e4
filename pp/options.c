// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of opreport. */
#include "pp/options.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/session.h"
#include "pp/memory.h"
#include "pp/text.h"

/* Options with an argument. */
enum option {
	OPTION_SESSION_DIR = 1,
	OPTION_IMAGE_PATH,
	OPTION_ROOT,
	OPTION_OUTPUT,
	OPTION_SORT,
	OPTION_MERGE,
	OPTION_EXCLUDE,
	OPTION_INCLUDE,
	OPTION_THRESHOLD,
	OPTION_DEMANGLE,
	OPTION_VERBOSE,
};

/* popt sets flags as int. */
struct flags {
	int details, symbols, callgraph, reverse, exclude_dependent, debug_info, no_header,
		show_address;
	int long_filenames, accumulated, global_percent, stats, xml, json, csv, version;
};

static int take_option(struct pp_options *options, enum option option, const char *text,
		       struct op_error *error)
{
	switch (option) {
	case OPTION_SESSION_DIR:
		return pp_argument_text(&options->session_dir, text, "--session-dir", error);
	case OPTION_IMAGE_PATH:
		return pp_argument_list(&options->image_paths, text, "--image-path", error);
	case OPTION_ROOT:
		return pp_argument_text(&options->root, text, "--root", error);
	case OPTION_OUTPUT:
		return pp_argument_text(&options->output, text, "--output-file", error);
	case OPTION_SORT:
		return pp_sort_parse(&options->style, text, error);
	case OPTION_MERGE:
		return pp_merge_parse(&options->merge, text, error);
	case OPTION_EXCLUDE:
		return pp_argument_list(&options->exclude, text, "--exclude-symbols", error);
	case OPTION_INCLUDE:
		return pp_argument_list(&options->include, text, "--include-symbols", error);
	case OPTION_THRESHOLD:
		return pp_argument_threshold(&options->style.threshold, text, error);
	case OPTION_DEMANGLE:
		return pp_argument_demangle(&options->demangle, text, error);
	case OPTION_VERBOSE:
		return pp_argument_verbose(&options->verbose, &options->stats, text, error);
	}
	return 0;
}

static bool sorts_by(const struct pp_report_style *style, enum pp_sort_key key)
{
	for (size_t i = 0; i < style->n_sort; i++)
		if (style->sort[i] == key)
			return true;
	return false;
}

/* Options that make no sense together. */
static int check(const struct pp_options *options, const struct flags *flags,
		 struct op_error *error)
{
	const struct {
		bool wrong;
		const char *text;
	} conflicts[] = {
		{flags->show_address, "--show-address needs --symbols"},
		{flags->debug_info, "--debug-info needs --symbols"},
		{flags->accumulated, "--accumulated needs --symbols"},
		{options->exclude.count, "--exclude-symbols needs --symbols"},
		{options->include.count, "--include-symbols needs --symbols"},
		{sorts_by(&options->style, PP_SORT_VMA), "--sort=vma needs --symbols"},
		{sorts_by(&options->style, PP_SORT_DEBUG), "--sort=debug needs --symbols"},
		{sorts_by(&options->style, PP_SORT_SYMBOL), "--sort=symbol needs --symbols"},
	};

	for (size_t i = 0; !options->symbols && i < sizeof(conflicts) / sizeof(conflicts[0]); i++)
		if (conflicts[i].wrong)
			return op_error_set(error, EINVAL, "%s", conflicts[i].text);
	if (flags->global_percent && flags->symbols && !flags->details && !flags->callgraph)
		return op_error_set(error, EINVAL,
				    "--global-percent with --symbols needs --details or "
				    "--callgraph");
	if (flags->callgraph && flags->details)
		return op_error_set(error, EINVAL,
				    "--callgraph and --details contradict each other");
	if (flags->xml + flags->json + flags->csv > 1)
		return op_error_set(error, EINVAL,
				    "only one of --xml, --json and --csv can be written");
	if (options->format != PP_FORMAT_TEXT && (flags->accumulated || flags->global_percent))
		return op_error_set(error, EINVAL,
				    "--accumulated and --global-percent are for text only, not "
				    "for --xml, --json and --csv");
	if (options->merge.lib && flags->exclude_dependent)
		return op_error_set(error, EINVAL,
				    "--merge=lib and --exclude-dependent contradict each other");
	return 0;
}

static void apply_flags(struct pp_options *options, const struct flags *flags)
{
	struct pp_report_style *style = &options->style;

	options->format = flags->xml	? PP_FORMAT_XML
			  : flags->json ? PP_FORMAT_JSON
			  : flags->csv	? PP_FORMAT_CSV
					: PP_FORMAT_TEXT;
	options->symbols = flags->symbols || flags->details || flags->callgraph || flags->xml;
	options->callgraph = flags->callgraph;
	options->exclude_dependent = flags->exclude_dependent;
	options->stats |= flags->stats;
	style->details = flags->details;
	style->show_address = flags->show_address || flags->details;
	style->lines = flags->debug_info;
	style->reverse = flags->reverse;
	style->no_header = flags->no_header;
	style->long_names = flags->long_filenames;
	style->accumulated = flags->accumulated;
	style->global_percent = flags->global_percent;
}

static void take_words(struct pp_options *options, poptContext context)
{
	const char **words = poptGetArgs(context);

	for (size_t i = 0; words && words[i]; i++)
		if (op_strings_add(&options->words, words[i]))
			pp_out_of_memory();
}

static void join_words(struct pp_options *options, int argc, const char **argv)
{
	struct pp_line line = {0};

	pp_line_puts(&line, op_program());
	for (int i = 1; i < argc; i++) {
		pp_line_puts(&line, " ");
		pp_line_puts(&line, argv[i]);
	}
	pp_line_add(&line, "", 1);
	options->command_line = line.text;
}

static void choose_session(struct pp_options *options)
{
	char *chosen = op_session_dir(options->session_dir);

	if (!chosen)
		pp_out_of_memory();
	free(options->session_dir);
	options->session_dir = chosen;
}

enum pp_options_result pp_options_parse(struct pp_options *options, int argc, const char **argv,
					struct op_error *error)
{
	struct flags flags = {0};
	const struct poptOption table[] = {
		{"symbols", 'l', POPT_ARG_NONE, &flags.symbols, 0, "list symbols", NULL},
		{"details", 'd', POPT_ARG_NONE, &flags.details, 0,
		 "list the addresses in symbols (includes --symbols and --show-address)", NULL},
		{"callgraph", 'c', POPT_ARG_NONE, &flags.callgraph, 0,
		 "list symbols with their callers and what they call", NULL},
		{"debug-info", 'g', POPT_ARG_NONE, &flags.debug_info, 0,
		 "show source file and line", NULL},
		{"show-address", 'w', POPT_ARG_NONE, &flags.show_address, 0,
		 "show the addresses of symbols", NULL},
		{"long-filenames", 'f', POPT_ARG_NONE, &flags.long_filenames, 0, "show whole paths",
		 NULL},
		{"accumulated", 'a', POPT_ARG_NONE, &flags.accumulated, 0,
		 "show running sums of samples and percentages", NULL},
		{"global-percent", '%', POPT_ARG_NONE, &flags.global_percent, 0,
		 "make percentages relative to all samples", NULL},
		{"threshold", 't', POPT_ARG_STRING, NULL, OPTION_THRESHOLD,
		 "leave out what has less than this part of the samples", "percent"},
		{"sort", 's', POPT_ARG_STRING, NULL, OPTION_SORT, "sort by these, first key first",
		 "sample,image,app-name,symbol,debug,vma"},
		{"reverse-sort", 'r', POPT_ARG_NONE, &flags.reverse, 0, "turn the order around",
		 NULL},
		{"merge", 'm', POPT_ARG_STRING, NULL, OPTION_MERGE,
		 "sum up what was separated by these", "cpu,tid,tgid,unitmask,lib,all"},
		{"exclude-dependent", 'x', POPT_ARG_NONE, &flags.exclude_dependent, 0,
		 "leave out libraries and kernel images of applications", NULL},
		{"exclude-symbols", 'e', POPT_ARG_STRING, NULL, OPTION_EXCLUDE,
		 "leave out these symbols", "names"},
		{"include-symbols", 'i', POPT_ARG_STRING, NULL, OPTION_INCLUDE,
		 "list only these symbols", "names"},
		{"demangle", 'D', POPT_ARG_STRING, NULL, OPTION_DEMANGLE,
		 "how to show names of C++ and Rust (default: normal)", "none|normal|smart"},
		{"no-header", 'n', POPT_ARG_NONE, &flags.no_header, 0,
		 "print neither heads of columns nor statistics", NULL},
		{"output-file", 'o', POPT_ARG_STRING, NULL, OPTION_OUTPUT, "write to this file",
		 "file"},
		{"stats", 0, POPT_ARG_NONE, &flags.stats, 0,
		 "say how many samples were received, stored and lost", NULL},
		{"xml", 'X', POPT_ARG_NONE, &flags.xml, 0, "write XML (includes --symbols)", NULL},
		{"json", 0, POPT_ARG_NONE, &flags.json, 0, "write JSON", NULL},
		{"csv", 0, POPT_ARG_NONE, &flags.csv, 0, "write CSV", NULL},
		{"session-dir", 0, POPT_ARG_STRING, NULL, OPTION_SESSION_DIR,
		 "where the sessions are (default: oprofile_data, or " OP_SESSION_DEFAULT_DIR ")",
		 "dir"},
		{"image-path", 'p', POPT_ARG_STRING, NULL, OPTION_IMAGE_PATH,
		 "search these directories for images, too", "dirs"},
		{"root", 'R', POPT_ARG_STRING, NULL, OPTION_ROOT, "images are below this directory",
		 "dir"},
		{"verbose", 'V', POPT_ARG_STRING, NULL, OPTION_VERBOSE,
		 "show every warning (all) or the statistics (stats)", "all,stats,..."},
		{"version", 'v', POPT_ARG_NONE, &flags.version, 0, "show the version", NULL},
		POPT_AUTOHELP POPT_TABLEEND};
	poptContext context = poptGetContext("opreport", argc, argv, table, 0);
	enum pp_options_result result = PP_OPTIONS_RUN;
	int option;

	memset(options, 0, sizeof(*options));
	options->demangle = PP_DEMANGLE_NORMAL;
	poptSetOtherOptionHelp(context, "[OPTION...] [TAG:LIST|IMAGE]...");
	while (result == PP_OPTIONS_RUN && (option = poptGetNextOpt(context)) > 0) {
		char *text = poptGetOptArg(context);

		if (take_option(options, option, text, error))
			result = PP_OPTIONS_WRONG;
		free(text);
	}
	if (result == PP_OPTIONS_RUN && option < -1) {
		op_error_set(error, EINVAL, "%s: %s",
			     poptBadOption(context, POPT_BADOPTION_NOALIAS), poptStrerror(option));
		result = PP_OPTIONS_WRONG;
	}
	if (result == PP_OPTIONS_RUN && flags.version) {
		printf("opreport: oprofile " OP_VERSION "\n");
		result = PP_OPTIONS_DONE;
	}
	take_words(options, context);
	join_words(options, argc, argv);
	apply_flags(options, &flags);
	if (result == PP_OPTIONS_RUN && check(options, &flags, error))
		result = PP_OPTIONS_WRONG;
	choose_session(options);
	poptFreeContext(context);
	return result;
}

void pp_options_free(struct pp_options *options)
{
	free(options->session_dir);
	free(options->root);
	free(options->output);
	free(options->command_line);
	op_strings_free(&options->image_paths);
	op_strings_free(&options->include);
	op_strings_free(&options->exclude);
	op_strings_free(&options->words);
}
