// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of symbols, and the addresses in them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pp/memory.h"
#include "pp/report.h"
#include "pp/text.h"

/* Widths of cells, as OProfile's reports have them. */
enum {
	WIDTH_SAMPLES = 9,
	WIDTH_CUM_SAMPLES = 14,
	WIDTH_PERCENT = 9,
	WIDTH_CUM_PERCENT = 11,
	WIDTH_LINE = 28,
	WIDTH_IMAGE = 25,
	WIDTH_APP = 25,
	WIDTH_SYMBOL = 30,
};

struct symbol_report {
	const struct pp_profile *profile;
	const struct pp_report_style *style;
	FILE *out;
	struct pp_line line;
	unsigned int vma_digits;
	bool show_image, show_app;
	uint64_t *sums; /* running, by class */
};

/* ---- order ---- */

static const char *const sort_names[PP_SORT_KEYS] = {
	[PP_SORT_SAMPLE] = "sample", [PP_SORT_IMAGE] = "image", [PP_SORT_APP] = "app-name",
	[PP_SORT_SYMBOL] = "symbol", [PP_SORT_DEBUG] = "debug", [PP_SORT_VMA] = "vma",
};

static int add_key(struct pp_report_style *style, enum pp_sort_key key)
{
	for (size_t i = 0; i < style->n_sort; i++)
		if (style->sort[i] == key)
			return -1;
	style->sort[style->n_sort++] = key;
	return 0;
}

int pp_sort_parse(struct pp_report_style *style, const char *list, struct op_error *error)
{
	char *copy = pp_copy(list), *rest = copy, *item;
	int result = 0;

	while (!result && (item = strsep(&rest, ",")) != NULL) {
		int key = 0;

		while (key < PP_SORT_KEYS && strcmp(item, sort_names[key]))
			key++;
		if (key == PP_SORT_KEYS)
			result = op_error_set(error, EINVAL,
					      "--sort=%s: '%s' is none of sample, image, "
					      "app-name, symbol, debug, vma",
					      list, item);
		else if (add_key(style, key))
			result = op_error_set(error, EINVAL, "--sort=%s: '%s' is given twice", list,
					      item);
	}
	free(copy);
	return result;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_lines(const struct pp_place *a, const struct pp_place *b)
{
	int order;

	if (!a->file || !b->file)
		return !a->file - !b->file;
	order = strcmp(a->file, b->file);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int compare_by(enum pp_sort_key key, const struct pp_row *a, const struct pp_row *b)
{
	switch (key) {
	case PP_SORT_SAMPLE:
		return compare_numbers(b->counts[0], a->counts[0]);
	case PP_SORT_IMAGE:
		return compare_numbers(a->image->order, b->image->order);
	case PP_SORT_APP:
		return compare_numbers(a->app->order, b->app->order);
	case PP_SORT_SYMBOL:
		return strcmp(a->symbol, b->symbol);
	case PP_SORT_DEBUG:
		return compare_lines(&a->place, &b->place);
	case PP_SORT_VMA:
		return compare_numbers(a->place.vma, b->place.vma);
	case PP_SORT_KEYS:
		break;
	}
	return 0;
}

static int compare_rows(const void *a, const void *b, void *keys)
{
	const struct pp_row *left = *(struct pp_row *const *)a, *right = *(struct pp_row *const *)b;
	const struct pp_report_style *order = keys;
	int result = 0;

	for (size_t i = 0; !result && i < order->n_sort; i++)
		result = compare_by(order->sort[i], left, right);
	return result;
}

static void sort_rows(struct pp_profile *profile, const struct pp_report_style *style)
{
	struct pp_report_style order = *style;

	for (int key = 0; key < PP_SORT_KEYS; key++)
		add_key(&order, key);
	if (profile->n_rows)
		qsort_r(profile->rows, profile->n_rows, sizeof(*profile->rows), compare_rows,
			&order);
	for (size_t i = 0; style->reverse && i < profile->n_rows / 2; i++) {
		struct pp_row *row = profile->rows[i];

		profile->rows[i] = profile->rows[profile->n_rows - 1 - i];
		profile->rows[profile->n_rows - 1 - i] = row;
	}
}

/* ---- lines ---- */

static void put_text(struct symbol_report *report, const char *text, size_t width)
{
	pp_line_cell(&report->line);
	pp_line_width(&report->line, width);
	pp_line_puts(&report->line, text);
}

static void put_head(struct symbol_report *report)
{
	const struct pp_report_style *style = report->style;

	if (style->show_address)
		put_text(report, "vma", report->vma_digits + 1);
	for (size_t i = 0; i < report->profile->classes->n; i++) {
		put_text(report, "samples", WIDTH_SAMPLES);
		if (style->accumulated)
			put_text(report, "cum. samples", WIDTH_CUM_SAMPLES);
		put_text(report, "%", WIDTH_PERCENT);
		if (style->accumulated)
			put_text(report, "cum. %", WIDTH_CUM_PERCENT);
	}
	if (style->lines)
		put_text(report, "linenr info", WIDTH_LINE);
	if (report->show_image)
		put_text(report, "image name", WIDTH_IMAGE);
	if (report->show_app)
		put_text(report, "app name", WIDTH_APP);
	put_text(report, "symbol name", WIDTH_SYMBOL);
	pp_line_end(&report->line, report->out);
}

static void put_count(struct symbol_report *report, uint64_t count, size_t width)
{
	pp_line_cell(&report->line);
	pp_line_width(&report->line, width);
	pp_line_count(&report->line, count, 0);
}

static void put_percent(struct symbol_report *report, double percent, size_t width)
{
	pp_line_cell(&report->line);
	pp_line_width(&report->line, width);
	pp_line_percent(&report->line, percent);
}

static void put_vma(struct symbol_report *report, uint64_t vma)
{
	pp_line_cell(&report->line);
	pp_line_width(&report->line, report->vma_digits + 1);
	pp_line_hex(&report->line, vma, report->vma_digits);
}

static void put_place(struct symbol_report *report, const struct pp_place *place)
{
	const char *file = place->file, *slash;

	pp_line_cell(&report->line);
	pp_line_width(&report->line, WIDTH_LINE);
	if (!file) {
		pp_line_puts(&report->line, "(no location information)");
		return;
	}
	slash = report->style->long_names ? NULL : strrchr(file, '/');
	pp_line_puts(&report->line, slash ? slash + 1 : file);
	pp_line_add(&report->line, ":", 1);
	pp_line_count(&report->line, place->line, 0);
}

/* Address, counts of @wholes, and line: what symbols and their details have in common. */
static void put_numbers(struct symbol_report *report, const struct pp_place *place,
			const uint64_t *counts, const uint64_t *wholes, uint64_t *sums)
{
	const struct pp_report_style *style = report->style;

	if (style->show_address)
		put_vma(report, place->vma);
	for (size_t i = 0; i < report->profile->classes->n; i++) {
		sums[i] += counts[i];
		put_count(report, counts[i], WIDTH_SAMPLES);
		if (style->accumulated)
			put_count(report, sums[i], WIDTH_CUM_SAMPLES);
		put_percent(report, pp_percent(counts[i], wholes[i]), WIDTH_PERCENT);
		if (style->accumulated)
			put_percent(report, pp_percent(sums[i], wholes[i]), WIDTH_CUM_PERCENT);
	}
	if (style->lines)
		put_place(report, place);
}

static void put_details(struct symbol_report *report, const struct pp_row *row)
{
	const uint64_t *wholes =
		report->style->global_percent ? report->profile->totals : row->counts;
	uint64_t *sums = pp_alloc(report->profile->classes->n, sizeof(*sums));

	for (size_t i = 0; i < row->n_details; i++) {
		pp_line_puts(&report->line, "  ");
		report->line.cell = 2;
		put_numbers(report, &row->details[i].place, row->details[i].counts, wholes, sums);
		pp_line_end(&report->line, report->out);
	}
	free(sums);
}

static void put_row(struct symbol_report *report, const struct pp_row *row)
{
	bool long_names = report->style->long_names;

	put_numbers(report, &row->place, row->counts, report->profile->totals, report->sums);
	if (report->show_image)
		put_text(report, long_names ? row->image->full : row->image->base, WIDTH_IMAGE);
	if (report->show_app)
		put_text(report, long_names ? row->app->full : row->app->base, WIDTH_APP);
	put_text(report, row->symbol, WIDTH_SYMBOL);
	pp_line_end(&report->line, report->out);
	put_details(report, row);
}

/* ---- which columns ---- */

static uint64_t highest_vma(const struct pp_row *row)
{
	return row->n_details ? row->details[row->n_details - 1].place.vma : row->place.vma;
}

static void choose_columns(struct symbol_report *report)
{
	const struct pp_profile *profile = report->profile;

	report->vma_digits = 8;
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct pp_row *row = profile->rows[i];

		if (row->image->order != row->app->order)
			report->show_image = true;
		if (highest_vma(row) > UINT32_MAX)
			report->vma_digits = 16;
		if (row->app != profile->rows[0]->app)
			report->show_app = true;
	}
}

void pp_report_symbols(struct pp_profile *profile, const struct pp_report_style *style, FILE *out)
{
	struct symbol_report report = {.profile = profile, .style = style, .out = out};

	report.sums = pp_alloc(profile->classes->n, sizeof(uint64_t));
	sort_rows(profile, style);
	choose_columns(&report);
	if (!style->no_header)
		put_head(&report);
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct pp_row *row = profile->rows[i];

		if (pp_percent(row->counts[0], profile->totals[0]) >= style->threshold)
			put_row(&report, row);
	}
	free(report.sums);
	pp_line_free(&report.line);
}
