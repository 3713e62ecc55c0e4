/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Annotation: source lines and instructions, and before each the samples it took.
 *
 *	   600 60.0000 :	for (i = 0; i < n; i++) { (one pair of numbers a class)
 *	               :	}
 */
#ifndef PP_ANNOTATE_H
#define PP_ANNOTATE_H

#include <stdio.h>

#include "libop/base/error.h"
#include "pp/annotate/options.h"
#include "pp/profile/loss.h"
#include "pp/symbols/image_reader.h"
#include "pp/profile/profile.h"
#include "libop/text/cells.h"
#include "libop/base/warnings.h"

struct pp_annotation {
	const struct pp_profile *profile; /* with details, and lines if sources are wanted */
	const struct pp_sample_list *list; /* that the profile was made of */
	const struct pp_annotate_options *options;
	const char *command_line;
	const struct pp_loss *loss;
	struct pp_image_search *search;
	struct pp_warnings *trouble;
	uint64_t *missing; /* by class: samples that no line or instruction is known for */
	struct pp_line line;
};

/* Annotates source files.  Return: 0, or -1 with @error set. */
int pp_annotate_source(struct pp_annotation *annotation, struct op_error *error);

/* Annotates instructions, on standard output; with their sources if the options say so. */
void pp_annotate_assembly(struct pp_annotation *annotation);

/* For both: */

/* The comment that says what was counted. */
void pp_annotate_head(struct pp_annotation *annotation, FILE *out);

/* The comment below all: what was lost. */
void pp_annotate_foot(struct pp_annotation *annotation, FILE *out);

/* The comment above a file: its name and its samples. */
void pp_annotate_title(struct pp_annotation *annotation, const char *name, const uint64_t *counts,
		       FILE *out);

/* The comment behind all: samples that stand nowhere, if there are any. */
void pp_annotate_missing(struct pp_annotation *annotation, const char *what, FILE *out);

/* Adds @counts to @sums, class by class. */
void pp_annotate_add(const struct pp_annotation *annotation, uint64_t *sums,
		     const uint64_t *counts);

/* Begins a line: counts, or blanks if @counts is NULL or has none but 0. */
void pp_annotate_prefix(struct pp_annotation *annotation, const uint64_t *counts);

/* Adds "NAME total: COUNTS" as a comment. */
void pp_annotate_total(struct pp_annotation *annotation, const char *name, const uint64_t *counts);

/* Adds @text, in which no comment ends. */
void pp_annotate_comment(struct pp_annotation *annotation, const char *text);

#endif
