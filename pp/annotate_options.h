/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of opannotate.
 */
#ifndef PP_ANNOTATE_OPTIONS_H
#define PP_ANNOTATE_OPTIONS_H

#include <stdbool.h>

#include "pp/arguments.h"
#include "pp/classes.h"

struct pp_annotate_options {
	struct pp_common common;
	bool source, assembly;
	bool exclude_dependent;
	char *output_dir;   /* or NULL: standard output */
	char *disassembler; /* options of libopcodes, or NULL */
	struct op_strings search_dirs, base_dirs;
	struct op_strings include_files, exclude_files; /* globs */
	struct op_strings include, exclude;		/* symbols */
	struct pp_merge merge;
	enum pp_demangle demangle;
	double threshold; /* percent of the first class that a file or a symbol must have */
};

/**
 * pp_annotate_options_parse - read the command line
 * @options: filled in; pp_annotate_options_free() frees what it holds, whatever is returned
 */
enum pp_options_result pp_annotate_options_parse(struct pp_annotate_options *options, int argc,
						 const char **argv, struct op_error *error);
void pp_annotate_options_free(struct pp_annotate_options *options);

#endif
