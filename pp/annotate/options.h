/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of opannotate.
 */
#ifndef PP_ANNOTATE_OPTIONS_H
#define PP_ANNOTATE_OPTIONS_H

#include <stdbool.h>

#include "pp/report/report.h"
#include "pp/tool/tool.h"

struct pp_annotate_options {
	struct pp_common common;
	bool source, assembly, full;
	bool exclude_dependent, unscaled;
	char *output_dir;   /* or NULL: standard output */
	char *disassembler; /* options of libopcodes, or NULL */
	struct op_strings search_dirs, base_dirs;
	struct op_strings include_files, exclude_files; /* globs */
	struct op_strings include, exclude;		/* symbols */
	struct pp_merge merge;
	enum pp_demangle demangle;
	enum pp_events_shown events;
	double threshold; /* percent of the first class that a file or a symbol must have */
};

extern const struct op_option pp_annotate_options_table[];

/**
 * pp_annotate_options_check - reject contradictory options
 *
 * Return: 0, or -1 with @error set.
 */
int pp_annotate_options_check(const struct pp_annotate_options *options, struct op_error *error);

#endif
