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
	struct pp_line line;
	struct pp_event_column *events; /* by class */
	const uint64_t *inclusive;	/* of the current line, by class; NULL: not shown */
	unsigned int vma_digits;
	bool show_image, show_app;
};

/* Sorts the profile's rows. */
void pp_table_sort(struct pp_profile *profile, const struct pp_report_style *style);

/* Chooses columns by the content of the rows of table->profile; pp_table_free() frees the table. */
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

/* Writes image, application, symbol and @more; ends the line. */
void pp_table_names(struct pp_table *table, const struct pp_row *row, const char *more);

#endif
