/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of opreport.
 */
#ifndef PP_OPTIONS_H
#define PP_OPTIONS_H

#include <stdbool.h>

#include "libop/error.h"
#include "libop/string_list.h"
#include "pp/arguments.h"
#include "pp/classes.h"
#include "pp/demangle.h"
#include "pp/report.h"

enum pp_format { PP_FORMAT_TEXT, PP_FORMAT_CSV, PP_FORMAT_JSON, PP_FORMAT_XML };

struct pp_options {
	char *session_dir; /* absolute */
	char *root;	   /* --root, or NULL */
	char *output;	   /* --output-file, or NULL */
	struct op_strings image_paths, include, exclude, words;
	struct pp_merge merge;
	struct pp_report_style style;
	enum pp_demangle demangle;
	enum pp_format format;
	char *command_line; /* words with blanks between them */
	bool symbols, callgraph, exclude_dependent, stats, verbose;
};

/**
 * pp_options_parse - read the command line
 * @options: filled in; pp_options_free() frees what it holds, whatever is returned
 */
enum pp_options_result pp_options_parse(struct pp_options *options, int argc, const char **argv,
					struct op_error *error);
void pp_options_free(struct pp_options *options);

#endif
