/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of symbols and the cells of a line, for all text reports of symbols.
 */
#ifndef PP_REPORT_TABLE_H
#define PP_REPORT_TABLE_H

#include <stdio.h>

#include "event_column.h"
#include "report.h"
#include "libop/text/cells.h"

struct pp_table {
	const struct pp_profile *profile;
	const struct pp_report_style *style;
	FILE *out;
	struct op_line line;
	struct pp_event_column *events; /* by class */
	const uint64_t *inclusive;	/* of the current line, by class; NULL: not shown */
	const double *margins;		/* of the current line, by class; NULL: not shown */
	unsigned int vma_digits;
	bool show_image, show_app;
	size_t n_compact; /* classes that have a column, of percentages only; 0: as usual */
	bool is_indented; /* the current line, by two columns */
	/* No image has a column: where no source line is known, it stands there. */
	bool lines_name_images;
	const struct pp_image *image; /* then, of the current line */
	size_t count_width, line_width, image_width, app_width;
	/* What is listed; pp_table_choose() sets them. */
	struct pp_row **rows;
	size_t n, n_all; /* and how many there are to choose from */
};

/* Sorts the profile's rows. */
void pp_table_sort(struct pp_profile *profile, const struct pp_report_style *style);

/**
 * pp_table_choose - choose which of the profile's sorted rows are listed
 * @inclusive: by their inclusive samples; they have some
 *
 * Those that reach the threshold are, and of these as many as style->max_lines, those with the most
 * samples.
 */
void pp_table_choose(struct pp_table *table, bool inclusive);

/* Chooses columns by the content of all rows of table->profile (the image also by what
 * style->max_lines leaves), and their widths by those that are listed; pp_table_free() frees the
 * table. */
void pp_table_columns(struct pp_table *table);
void pp_table_free(struct pp_table *table);
void pp_table_head(struct pp_table *table);

/**
 * pp_table_numbers - address, counts and source line
 * @counts: by class
 * @wholes: by class: 100 percent
 * @sums: running sums, by class; @counts is added
 */
void pp_table_numbers(struct pp_table *table, const struct pp_place *place, const uint64_t *counts,
		      const uint64_t *wholes, uint64_t *sums);

/* Writes a name that takes the rest of the line but for @used columns. */
void pp_table_last_name(struct pp_table *table, const char *name, size_t used);

/* Writes image, application, symbol and @more; ends the line. */
void pp_table_names(struct pp_table *table, const struct pp_row *row, const char *more);

/* Writes a line about what style->max_lines leaves out, if there is any: "… 702 more (4.1 %)". */
void pp_table_rest(struct pp_table *table);

#endif
