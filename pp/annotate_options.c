// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of opannotate. */
#include "pp/annotate_options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "pp/memory.h"

enum option {
	OPTION_SOURCE = 1,
	OPTION_ASSEMBLY,
	OPTION_OUTPUT_DIR,
	OPTION_SEARCH_DIRS,
	OPTION_BASE_DIRS,
	OPTION_INCLUDE_FILE,
	OPTION_EXCLUDE_FILE,
	OPTION_INCLUDE,
	OPTION_EXCLUDE,
	OPTION_OBJDUMP,
	OPTION_DISASSEMBLER,
	OPTION_DEPENDENT,
	OPTION_MERGE,
	OPTION_DEMANGLE,
	OPTION_THRESHOLD,
};

static const struct poptOption table[] = {
	{"source", 's', POPT_ARG_NONE, NULL, OPTION_SOURCE, "annotate source files", NULL},
	{"assembly", 'a', POPT_ARG_NONE, NULL, OPTION_ASSEMBLY,
	 "annotate instructions; with --source, and the source lines they come from", NULL},
	{"output-dir", 'o', POPT_ARG_STRING, NULL, OPTION_OUTPUT_DIR,
	 "write annotated source files below this directory", "dir"},
	{"search-dirs", 'd', POPT_ARG_STRING, NULL, OPTION_SEARCH_DIRS,
	 "look for source files in these directories", "dirs"},
	{"base-dirs", 'b', POPT_ARG_STRING, NULL, OPTION_BASE_DIRS,
	 "what --search-dirs take the place of, in the names of source files", "dirs"},
	{"include-file", 0, POPT_ARG_STRING, NULL, OPTION_INCLUDE_FILE,
	 "annotate only these source files", "globs"},
	{"exclude-file", 0, POPT_ARG_STRING, NULL, OPTION_EXCLUDE_FILE,
	 "leave out these source files", "globs"},
	{"include-symbols", 'i', POPT_ARG_STRING, NULL, OPTION_INCLUDE,
	 "count only samples in these symbols", "names"},
	{"exclude-symbols", 'e', POPT_ARG_STRING, NULL, OPTION_EXCLUDE,
	 "leave out samples in these symbols", "names"},
	{"disassembler-options", 0, POPT_ARG_STRING, NULL, OPTION_DISASSEMBLER,
	 "how to write instructions, such as intel", "options"},
	{"objdump-params", 0, POPT_ARG_STRING, NULL, OPTION_OBJDUMP,
	 "the same as objdump takes it: -M OPTIONS", "params"},
	{"exclude-dependent", 'x', POPT_ARG_NONE, NULL, OPTION_DEPENDENT,
	 "leave out libraries and kernel images of applications", NULL},
	{"merge", 'm', POPT_ARG_STRING, NULL, OPTION_MERGE, "sum up what was separated by these",
	 "cpu,tid,tgid,unitmask,all"},
	{"demangle", 'D', POPT_ARG_STRING, NULL, OPTION_DEMANGLE,
	 "how to show names of C++ and Rust (default: normal)", "none|normal|smart"},
	{"threshold", 't', POPT_ARG_STRING, NULL, OPTION_THRESHOLD,
	 "leave out files, with --assembly symbols, that have less than this part of the samples",
	 "percent"},
	POPT_TABLEEND};

/* What people gave objdump: "-M intel", "-Mintel", "--disassembler-options=intel". */
static int take_objdump(struct pp_annotate_options *options, const char *text,
			struct op_error *error)
{
	static const char *const starts[] = {"--disassembler-options=", "-M"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		size_t n = strlen(starts[i]);
		const char *rest;

		if (strncmp(text, starts[i], n) != 0)
			continue;
		rest = text + n + strspn(text + n, " ");
		if (*rest && !strchr(rest, ' '))
			return pp_argument_text(&options->disassembler, rest, "--objdump-params",
						error);
	}
	return op_error_set(error, EINVAL,
			    "--objdump-params=%s: only '-M OPTIONS' is known; there is no objdump "
			    "behind it",
			    text);
}

static int take(void *context, int option, const char *text, struct op_error *error)
{
	struct pp_annotate_options *options = context;

	switch (option) {
	case OPTION_SOURCE:
		options->source = true;
		return 0;
	case OPTION_ASSEMBLY:
		options->assembly = true;
		return 0;
	case OPTION_DEPENDENT:
		options->exclude_dependent = true;
		return 0;
	case OPTION_OUTPUT_DIR:
		return pp_argument_text(&options->output_dir, text, "--output-dir", error);
	case OPTION_SEARCH_DIRS:
		return pp_argument_list(&options->search_dirs, text, "--search-dirs", error);
	case OPTION_BASE_DIRS:
		return pp_argument_list(&options->base_dirs, text, "--base-dirs", error);
	case OPTION_INCLUDE_FILE:
		return pp_argument_list(&options->include_files, text, "--include-file", error);
	case OPTION_EXCLUDE_FILE:
		return pp_argument_list(&options->exclude_files, text, "--exclude-file", error);
	case OPTION_INCLUDE:
		return pp_argument_list(&options->include, text, "--include-symbols", error);
	case OPTION_EXCLUDE:
		return pp_argument_list(&options->exclude, text, "--exclude-symbols", error);
	case OPTION_DISASSEMBLER:
		return pp_argument_text(&options->disassembler, text, "--disassembler-options",
					error);
	case OPTION_OBJDUMP:
		return take_objdump(options, text, error);
	case OPTION_MERGE:
		return pp_merge_parse(&options->merge, text, error);
	case OPTION_DEMANGLE:
		return pp_argument_demangle(&options->demangle, text, error);
	case OPTION_THRESHOLD:
		return pp_argument_threshold(&options->threshold, text, error);
	}
	return 0;
}

/* Annotated files in the place of their sources would be the end of these. */
static int check_output_dir(const struct pp_annotate_options *options, struct op_error *error)
{
	char real[PATH_MAX];

	if (realpath(options->output_dir, real) && !strcmp(real, "/"))
		return op_error_set(error, EINVAL,
				    "--output-dir=%s: the source files would be overwritten",
				    options->output_dir);
	return 0;
}

static int check(const struct pp_annotate_options *options, struct op_error *error)
{
	if (!options->source && !options->assembly)
		return op_error_set(error, EINVAL,
				    "what to annotate? one of --source and --assembly is needed");
	if (options->assembly && options->output_dir)
		return op_error_set(error, EINVAL,
				    "--output-dir is for source files, not for --assembly");
	if (options->disassembler && !options->assembly)
		return op_error_set(error, EINVAL,
				    "--disassembler-options and --objdump-params need --assembly");
	if (options->base_dirs.count && !options->search_dirs.count)
		return op_error_set(error, EINVAL, "--base-dirs needs --search-dirs");
	if ((options->include_files.count || options->exclude_files.count) && !options->source)
		return op_error_set(error, EINVAL,
				    "--include-file and --exclude-file need --source");
	return options->output_dir ? check_output_dir(options, error) : 0;
}

enum pp_options_result pp_annotate_options_parse(struct pp_annotate_options *options, int argc,
						 const char **argv, struct op_error *error)
{
	const struct pp_command command = {
		.name = "opannotate",
		.usage = "[OPTION...] [TAG:LIST|IMAGE]...",
		.table = table,
		.take = take,
		.context = options,
	};
	enum pp_options_result result;

	memset(options, 0, sizeof(*options));
	options->demangle = PP_DEMANGLE_NORMAL;
	result = pp_arguments_parse(&options->common, &command, argc, argv, error);
	if (result == PP_OPTIONS_RUN && check(options, error))
		result = PP_OPTIONS_WRONG;
	return result;
}

void pp_annotate_options_free(struct pp_annotate_options *options)
{
	pp_common_free(&options->common);
	free(options->output_dir);
	free(options->disassembler);
	op_strings_free(&options->search_dirs);
	op_strings_free(&options->base_dirs);
	op_strings_free(&options->include_files);
	op_strings_free(&options->exclude_files);
	op_strings_free(&options->include);
	op_strings_free(&options->exclude);
}
