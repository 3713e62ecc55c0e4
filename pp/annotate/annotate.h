/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Annotation: source lines and instructions, each with its samples.
 *
 *	   600 60.0000 :	for (i = 0; i < n; i++) { (one pair of numbers a class)
 *	               :	}
 */
#ifndef PP_ANNOTATE_ANNOTATE_H
#define PP_ANNOTATE_ANNOTATE_H

#include <stdio.h>

#include "libop/base/error.h"
#include "options.h"
#include "pp/profile/loss.h"
#include "pp/report/event_column.h"
#include "pp/symbols/image_reader.h"
#include "pp/profile/profile.h"
#include "libop/text/cells.h"
#include "libop/base/warnings.h"

struct pp_annotation {
	const struct pp_profile *profile;  /* with details, and with lines for sources */
	const struct pp_sample_list *list; /* the sample files of the profile */
	const struct pp_annotate_options *options;
	const char *command_line;
	const struct pp_loss *loss;
	struct pp_image_search *search;
	struct op_warnings *warnings;
	uint64_t *missing; /* by class: samples without a line or instruction */
	struct pp_event_column *events; /* by class */
	struct op_line line;
};

/* Annotates source files.  Return: 0, or -1 with @error set. */
int pp_annotate_source(struct pp_annotation *annotation, struct op_error *error);

/* Annotates instructions, on standard output; with their sources if requested. */
void pp_annotate_assembly(struct pp_annotation *annotation);

/* For both: */

/* The comment with CPU type and events. */
void pp_annotate_head(struct pp_annotation *annotation, FILE *out);

/* The last comment: lost samples, and those without a name. */
void pp_annotate_foot(struct pp_annotation *annotation, FILE *out);

/* The comment before a file: its name and its samples. */
void pp_annotate_title(struct pp_annotation *annotation, const char *name, const uint64_t *counts,
		       FILE *out);

/* A comment that is a list of lines, each with its samples. */
void pp_annotate_begin_list(struct pp_annotation *annotation, const char *what, FILE *out);
void pp_annotate_item(struct pp_annotation *annotation, const uint64_t *counts, const char *file,
		      int line, FILE *out);
void pp_annotate_end_list(struct pp_annotation *annotation, FILE *out);

/* The comment after all files: samples without a line, if there are any. */
void pp_annotate_missing(struct pp_annotation *annotation, const char *what, FILE *out);

/* Adds @counts to @sums, class by class. */
void pp_annotate_add(const struct pp_annotation *annotation, uint64_t *sums,
		     const uint64_t *counts);

/* Begins a line: counts, or blanks if @counts is NULL or has none but 0. */
void pp_annotate_prefix(struct pp_annotation *annotation, const uint64_t *counts);

/* Adds "NAME total: COUNTS" as a comment. */
void pp_annotate_total(struct pp_annotation *annotation, const char *name, const uint64_t *counts);

/* Adds @text to a comment, with each end-of-comment mark in it separated, so that it does not end
 * there. */
void pp_annotate_comment(struct pp_annotation *annotation, const char *text);

#endif
