// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of opannotate. */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "pp/report/event_column.h"

/* Options of objdump: "-M intel", "-Mintel", "--disassembler-options=intel". */
static int take_objdump(const struct op_option *option, void *field, const char *text,
			struct op_error *error)
{
	static const char *const starts[] = {"--disassembler-options=", "-M"};

	for (size_t i = 0; i < OP_ARRAY_SIZE(starts); i++) {
		size_t n = strlen(starts[i]);
		const char *rest;

		if (strncmp(text, starts[i], n) != 0)
			continue;
		rest = text + n + strspn(text + n, " ");
		if (*rest && !strchr(rest, ' '))
			return op_option_text.take(option, field, rest, error);
	}
	return op_option_refuse(option, text, error,
				"only '-M OPTIONS' is supported; objdump is not used");
}

static const struct op_option_type objdump_type = {.take = take_objdump};

const struct op_option pp_annotate_options_table[] = {
	{"source", 's', NULL, "annotate source files", OP_FLAG(struct pp_annotate_options, source)},
	{"assembly", 'a', NULL,
	 "annotate instructions; with --source, and the source lines they come from",
	 OP_FLAG(struct pp_annotate_options, assembly)},
	{"full", 0, NULL, "show all lines of source files, not only those near samples",
	 OP_FLAG(struct pp_annotate_options, full)},
	{"output-dir", 'o', "DIR", "write annotated source files below this directory",
	 OP_TEXT(struct pp_annotate_options, output_dir)},
	{"search-dirs", 'd', "DIRS", "look for source files in these directories",
	 OP_LIST(struct pp_annotate_options, search_dirs)},
	{"base-dirs", 'b', "DIRS", "parts of source file names that --search-dirs replace",
	 OP_LIST(struct pp_annotate_options, base_dirs)},
	{"include-file", 0, "GLOBS", "annotate only source files that match these patterns",
	 OP_LIST(struct pp_annotate_options, include_files)},
	{"exclude-file", 0, "GLOBS", "leave out source files that match these patterns",
	 OP_LIST(struct pp_annotate_options, exclude_files)},
	PP_OPTION_INCLUDE_SYMBOLS(struct pp_annotate_options, include),
	PP_OPTION_EXCLUDE_SYMBOLS(struct pp_annotate_options, exclude),
	{"disassembler-options", 0, "OPTIONS", "how to write instructions, such as intel",
	 OP_TEXT(struct pp_annotate_options, disassembler)},
	{"objdump-params", 0, "PARAMS", "the same as objdump takes it: -M OPTIONS",
	 .type = &objdump_type,
	 .field = OP_FIELD(struct pp_annotate_options, disassembler, char *)},
	PP_OPTION_EXCLUDE_DEPENDENT(struct pp_annotate_options, exclude_dependent),
	PP_OPTION_MERGE(struct pp_annotate_options, merge),
	PP_OPTION_SHOW_EVENTS(struct pp_annotate_options, events),
	PP_OPTION_UNSCALED(struct pp_annotate_options, unscaled),
	PP_OPTION_DEMANGLE(struct pp_annotate_options, demangle),
	/* Threshold of files; with --assembly, of symbols. */
	PP_OPTION_THRESHOLD(struct pp_annotate_options, threshold),
	{"stdio", 0, NULL, NULL, /* as perf annotate has it */
	 OP_FLAG(struct pp_annotate_options, common.output.no_pager)},
	{0}};

/* Writing annotated files in place of their sources would overwrite these. */
static int check_output_dir(const struct pp_annotate_options *options, struct op_error *error)
{
	char real[PATH_MAX];

	if (realpath(options->output_dir, real) && !strcmp(real, "/"))
		return op_error_set(error, EINVAL,
				    "--output-dir=%s: the source files would be overwritten",
				    options->output_dir);
	return 0;
}

int pp_annotate_options_check(const struct pp_annotate_options *options, struct op_error *error)
{
	if (!options->source && !options->assembly)
		return op_error_set(error, EINVAL, "--source or --assembly is required");
	if (options->assembly && options->output_dir)
		return op_error_set(error, EINVAL,
				    "--output-dir is for source files, not for --assembly");
	if (options->full && (!options->source || options->assembly))
		return op_error_set(error, EINVAL, "--full is for --source alone");
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
