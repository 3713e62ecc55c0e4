// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of symbols, and the addresses in them. */
#include <stdlib.h>

#include "libop/base/memory.h"
#include "table.h"
#include "pp/select/weights.h"

/* What an inlined function stands in. */
static void put_callers(struct pp_table *table, const char *const *callers)
{
	struct op_line names = {0};

	if (!callers || !*callers)
		return;
	for (size_t i = 0; callers[i]; i++) {
		op_line_puts(&names, i ? " in " : "in ");
		op_line_puts(&names, callers[i]);
	}
	op_line_add(&names, "", 1);
	pp_table_last_name(table, names.text, 0);
	op_line_free(&names);
}

static void put_details(struct pp_table *table, const struct pp_row *row)
{
	const uint64_t *wholes =
		table->style->global_percent ? table->profile->totals : row->counts;
	uint64_t *sums = op_alloc(table->profile->classes->columns, sizeof(*sums));

	for (size_t i = 0; i < row->n_details; i++) {
		table->is_indented = true;
		pp_table_numbers(table, &row->details[i].place, row->details[i].counts, wholes,
				 sums);
		put_callers(table, row->details[i].callers);
		op_line_end(&table->line, table->out);
	}
	table->is_indented = false;
	free(sums);
}

void pp_report_symbols(struct pp_profile *profile, const struct pp_report_style *style, FILE *out)
{
	struct pp_table table = {.profile = profile,
				 .style = style,
				 .out = out,
				 .lines_name_images = style->columns && style->lines};
	uint64_t *sums = op_alloc(profile->classes->columns, sizeof(*sums));

	pp_table_sort(profile, style);
	pp_table_choose(&table, style->children);
	pp_table_columns(&table);
	pp_table_head(&table);
	for (size_t i = 0; i < table.n; i++) {
		const struct pp_row *row = table.rows[i];

		table.image = row->image;
		table.inclusive = style->inclusive ? row->inclusive : NULL;
		table.margins = row->margins;
		pp_table_numbers(&table, &row->place, row->counts, profile->totals, sums);
		pp_table_names(&table, row, "");
		put_details(&table, row);
	}
	pp_table_rest(&table);
	free(sums);
	pp_table_free(&table);
}
