/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of opreport.
 */
#ifndef PP_REPORT_OPTIONS_H
#define PP_REPORT_OPTIONS_H

#include <stdbool.h>

#include "libop/base/similar.h"
#include "report.h"
#include "pp/statistics/limits.h"
#include "pp/tool/tool.h"

enum op_format {
	PP_FORMAT_TEXT,
	PP_FORMAT_CSV,
	PP_FORMAT_JSON,
	PP_FORMAT_XML,
	PP_FORMAT_DCPICAT,
	PP_FORMAT_DCPIPROF,
};

struct pp_options {
	struct pp_common common;
	char *output; /* --output-file, or NULL */
	struct op_strings include, exclude;
	struct pp_limits limits; /* of symbols' shares: --fail-above */
	struct pp_merge merge;
	struct pp_report_style style;
	enum pp_demangle demangle;
	char *by;		/* the argument of --by: style.by and style.label; or NULL */
	char *cpu, *tgid, *tid; /* lists, which go to the specifications; or NULL */
	struct op_strings map;	/* "OLD=NEW": images of a difference */
	bool tree, inverted;	/* of these, style.calls */
	bool no_children;
	bool hottest;
	bool sums_up;	       /* processes, threads and CPUs, unless some are chosen */
	bool sums_up_many;     /* likewise, where columns could not show them */
	bool inclusive_if_any; /* style.inclusive, if the sessions have whole stacks */
	bool libraries, no_libraries; /* of these or where the report is read, style.libraries */
	bool no_symbols;	      /* of opdiff, which lists symbols unless it is given */
	bool symbols, callgraph, exclude_dependent, unscaled;
	bool xml, json, csv;
	char *html;	       /* --html: the file of a page, instead of a report; or NULL */
	bool open;	       /* show it */
	enum op_format format; /* of --format or one of these */
};

/* Lines: not given, then those of a list and of a tree on a terminal. */
#define PP_LINES_AUTO		  UINT64_MAX
#define PP_LINES_ON_TERMINAL	  20
#define PP_TREE_LINES_ON_TERMINAL 40

/* Whether the report is of whole stacks, for which {cg} files are of no use.  One of lines shows
 * what there is. */
static inline bool pp_options_need_stacks(const struct pp_options *options)
{
	return options->style.children || options->style.calls;
}

extern const struct op_option pp_options_table[];

/* Of words of --by, the nearest to one that is not even a label of the profile. */
struct op_similar pp_by_similar(const char *word);

/* The rows that go with a difference: the options of opdiff. */
const struct op_option *pp_options_of_difference(void);

/**
 * pp_options_check - reject contradictory options, and apply implied ones
 *
 * Return: 0, or -1 with @error set.
 */
int pp_options_check(struct pp_options *options, struct op_error *error);

#endif
