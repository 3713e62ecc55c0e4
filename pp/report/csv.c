// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports as CSV (RFC 4180, lines end with LF): a header, then one line a symbol, address or arc.
 */
#include <stdlib.h>
#include <string.h>

#include "listing.h"
#include "libop/base/memory.h"
#include "libop/base/safe_text.h"
#include "report.h"
#include "pp/select/weights.h"
#include "libop/text/cells.h"

struct csv {
	const struct pp_profile *profile;
	const struct pp_report_style *style;
	const struct pp_report_facts *facts;
	FILE *out;
	struct op_line line;
};

static void put_field(struct csv *csv, const char *text)
{
	if (csv->line.n)
		op_line_add(&csv->line, ",", 1);
	op_line_csv(&csv->line, text);
}

static void put_counts(struct csv *csv, const uint64_t *counts)
{
	const struct pp_classes *classes = csv->profile->classes;

	for (size_t i = 0; i < classes->n; i++) {
		if (csv->line.n)
			op_line_add(&csv->line, ",", 1);
		op_line_count(&csv->line, counts[i], 0);
		if (!classes->items[i].is_weighted)
			continue;
		op_line_add(&csv->line, ",", 1);
		op_line_count(&csv->line, pp_weight(classes, counts, i), 0);
	}
}

static void put_names(struct csv *csv, const char *prefix)
{
	static const char *const names[] = {"application", "image", "symbol", "address"};

	for (size_t i = 0; i < (csv->facts->symbols ? 4 : 2); i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s%s", prefix, names[i]);
		put_field(csv, name);
	}
	if (csv->style->lines) {
		char name[32];

		snprintf(name, sizeof(name), "%sfile", prefix);
		put_field(csv, name);
		snprintf(name, sizeof(name), "%sline", prefix);
		put_field(csv, name);
	}
}

/* Behind the samples of a class stands what they weigh, if that differs. */
static void put_weight_head(struct csv *csv, const struct pp_class *class)
{
	char *name = op_format("%s (events)", class->column);

	if (class->is_weighted)
		put_field(csv, name);
	free(name);
}

static void csv_put_head(struct csv *csv)
{
	if (csv->style->no_header)
		return;
	for (size_t i = 0; i < csv->profile->classes->n; i++) {
		const struct pp_class *class = &csv->profile->classes->items[i];
		char *scaled = op_format("%s (scaled)", class->column);

		put_field(csv, class->is_scaled ? scaled : class->column);
		free(scaled);
		put_weight_head(csv, class);
	}
	for (size_t i = 0; csv->style->inclusive && i < csv->profile->classes->n; i++) {
		const struct pp_class *class = &csv->profile->classes->items[i];
		char *inclusive = op_format("%s (inclusive)", class->column);
		char *weight = op_format("%s (inclusive events)", class->column);

		put_field(csv, inclusive);
		if (class->is_weighted)
			put_field(csv, weight);
		free(inclusive);
		free(weight);
	}
	put_names(csv, "");
	if (csv->facts->callgraph)
		put_names(csv, "callee_");
	if (csv->style->inlines && csv->style->details)
		put_field(csv, "inlined_into");
	op_line_end(&csv->line, csv->out);
}

static void put_place(struct csv *csv, const struct pp_row *row, const struct pp_place *place)
{
	put_field(csv, row->app->full);
	put_field(csv, row->image->full);
	put_field(csv, row->symbol);
	op_line_puts(&csv->line, ",0x");
	op_line_hex(&csv->line, place->vma, 1);
	if (!csv->style->lines)
		return;
	put_field(csv, place->file ? place->file : "");
	op_line_add(&csv->line, ",", 1);
	if (place->file)
		op_line_count(&csv->line, place->line, 0);
}

/* "middle (inlined) in main" */
static void put_callers(struct csv *csv, const char *const *callers)
{
	struct op_line line = {0};

	for (size_t i = 0; callers && callers[i]; i++) {
		op_line_puts(&line, i ? " in " : "");
		op_line_puts(&line, callers[i]);
	}
	op_line_add(&line, "", 1);
	put_field(csv, line.text);
	op_line_free(&line);
}

/* A symbol, or each of its addresses, followed by empty columns for callees. */
static void put_row(struct csv *csv, const struct pp_row *row)
{
	size_t n = csv->style->details ? row->n_details : 1;

	for (size_t i = 0; i < n; i++) {
		const struct pp_detail *detail = csv->style->details ? &row->details[i] : NULL;

		put_counts(csv, detail ? detail->counts : row->counts);
		if (csv->style->inclusive)
			put_counts(csv, row->inclusive);
		put_place(csv, row, detail ? &detail->place : &row->place);
		if (csv->facts->callgraph)
			op_line_puts(&csv->line, csv->style->lines ? ",,,,,," : ",,,,");
		if (detail && csv->style->inlines)
			put_callers(csv, detail->callers);
		op_line_end(&csv->line, csv->out);
	}
}

static void csv_put_symbols(struct csv *csv, struct pp_profile *profile)
{
	struct pp_listing listing;

	pp_listing_make(&listing, profile, csv->style);
	for (size_t i = 0; i < listing.n; i++)
		put_row(csv, listing.rows[i]);
	for (size_t i = 0; i < listing.n_arcs; i++) {
		const struct pp_arc *arc = listing.arcs[i];

		put_counts(csv, arc->counts);
		put_place(csv, arc->caller, &arc->caller->place);
		put_place(csv, arc->callee, &arc->callee->place);
		op_line_end(&csv->line, csv->out);
	}
	pp_listing_free(&listing);
}

static void put_images(struct csv *csv)
{
	for (size_t i = 0; i < csv->profile->n_parts; i++) {
		const struct pp_part *part = &csv->profile->parts[i];

		if (pp_weight_share(csv->profile->classes, part->counts, csv->profile->totals, 0) <
		    csv->style->threshold)
			continue;
		put_counts(csv, part->counts);
		put_field(csv, part->app->full);
		put_field(csv, part->image->full);
		op_line_end(&csv->line, csv->out);
	}
}

/* CSV has no metadata: notes and statistics are lines that begin with '#', to be skipped by
 * readers.
 */
static void put_notes(struct csv *csv, const struct op_strings *notes)
{
	for (size_t i = 0; !csv->style->no_header && i < notes->count; i++) {
		op_line_puts(&csv->line, "# note: ");
		op_line_csv_comment(&csv->line, notes->item[i]);
		op_line_end(&csv->line, csv->out);
	}
}

static void put_loss(struct csv *csv, const struct pp_loss *loss)
{
	if (csv->style->no_header || (!loss->known && !loss->damaged))
		return;
	if (strcmp(pp_loss_account(loss), "whole"))
		fprintf(csv->out, "# account %s\n", pp_loss_account(loss));
	if (loss->compared && loss->in_files != loss->stored)
		fprintf(csv->out, "# samples in files %llu\n", (unsigned long long)loss->in_files);
	fprintf(csv->out,
		"# samples received %llu, stored %llu, lost %llu, lost in the kernel %llu\n",
		(unsigned long long)loss->received, (unsigned long long)loss->stored,
		(unsigned long long)loss->lost, (unsigned long long)loss->kernel_lost);
	for (size_t i = 0; i < loss->n_causes; i++)
		op_safe_line(csv->out, "# %llu %s", (unsigned long long)loss->causes[i].n,
			     loss->causes[i].text);
	if (loss->value[STAT_THROTTLED])
		fprintf(csv->out, "# throttled %llu times\n",
			(unsigned long long)loss->value[STAT_THROTTLED]);
	if (loss->value[STAT_PROFILING_MS])
		fprintf(csv->out, "# daemon CPU time %llu ms, profiling %llu ms\n",
			(unsigned long long)loss->value[STAT_DAEMON_CPU_MS],
			(unsigned long long)loss->value[STAT_PROFILING_MS]);
}

void pp_report_csv(struct pp_profile *profile, const struct pp_report_style *style,
		   const struct pp_report_facts *facts, FILE *out)
{
	struct csv csv = {.profile = profile, .style = style, .facts = facts, .out = out};

	csv_put_head(&csv);
	if (facts->symbols)
		csv_put_symbols(&csv, profile);
	else
		put_images(&csv);
	put_notes(&csv, facts->notes);
	put_loss(&csv, facts->loss);
	op_line_free(&csv.line);
}
