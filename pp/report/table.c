// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines and order of reports about symbols. */
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "largest.h"
#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/safe_text.h"
#include "libop/text/shorten.h"
#include "libop/base/similar.h"
#include "pp/select/weights.h"

/* Widths of cells, as in OProfile's reports. */
enum {
	WIDTH_SAMPLES = 9,
	WIDTH_INCLUSIVE = 10,
	WIDTH_CUM_SAMPLES = 14,
	WIDTH_PERCENT = 9,
	WIDTH_CUM_PERCENT = 11,
	WIDTH_MARGIN = 8,
	EVENTS_GAP = 2,
	WIDTH_LINE = 28,
	WIDTH_IMAGE = 25,
	WIDTH_APP = 25,
	WIDTH_SYMBOL = 30,
	/* On a terminal, where numbers end where their columns do: */
	WIDTH_SCREEN_COUNT = 8,
	WIDTH_SCREEN_PERCENT = 7,
	WIDTH_COMPACT = 10,
	LEAST_NAME = 8,
	LEAST_SYMBOL = 12,
	LEAST_NAMES = 24,
};

/* ---- order ---- */

static const char *const sort_names[PP_SORT_KEYS + 1] = {
	[PP_SORT_SAMPLE] = "sample", [PP_SORT_IMAGE] = "image", [PP_SORT_APP] = "app-name",
	[PP_SORT_SYMBOL] = "symbol", [PP_SORT_DEBUG] = "debug", [PP_SORT_VMA] = "vma",
};

/* As perf report calls them. */
static const struct {
	const char *name;
	enum pp_sort_key key;
} perf_names[] = {
	{"overhead", PP_SORT_SAMPLE}, {"dso", PP_SORT_IMAGE},	  {"comm", PP_SORT_APP},
	{"sym", PP_SORT_SYMBOL},      {"srcline", PP_SORT_DEBUG},
};

/* PP_SORT_KEYS: there is no such key. */
static int sort_key(const char *name)
{
	int key = 0;

	for (size_t i = 0; i < OP_ARRAY_SIZE(perf_names); i++)
		if (!strcmp(name, perf_names[i].name))
			return (int)perf_names[i].key;
	while (key < PP_SORT_KEYS && strcmp(name, sort_names[key]))
		key++;
	return key;
}

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
	char *copy = op_copy(list), *rest = copy, *item;
	int result = 0;

	while (!result && (item = strsep(&rest, ",")) != NULL) {
		struct op_similar similar = op_similar_of(item, sort_names);
		int key = sort_key(item);

		if (key == PP_SORT_KEYS)
			result = op_error_set(error, EINVAL,
					      "--sort=%s: '%s' is not one of sample, image, "
					      "app-name, symbol, debug, vma" OP_SIMILAR_FORMAT,
					      list, item, OP_SIMILAR_ARGUMENTS(similar, ""));
		else if (add_key(style, key))
			result = op_error_set(error, EINVAL, "--sort=%s: '%s' is given twice", list,
					      item);
	}
	free(copy);
	return result;
}

static int compare_lines(const struct pp_place *a, const struct pp_place *b)
{
	int order;

	if (!a->file || !b->file)
		return !a->file - !b->file;
	order = strcmp(a->file, b->file);
	return order ? order : op_compare_u64(a->line, b->line);
}

static int compare_by(enum pp_sort_key key, const struct pp_row *a, const struct pp_row *b,
		      const struct pp_classes *classes)
{
	switch (key) {
	case PP_SORT_SAMPLE:
		return op_compare_u64(pp_weight(classes, b->counts, 0),
				      pp_weight(classes, a->counts, 0));
	case PP_SORT_IMAGE:
		return op_compare_u64(a->image->order, b->image->order);
	case PP_SORT_APP:
		return op_compare_u64(a->app->order, b->app->order);
	case PP_SORT_SYMBOL:
		return strcmp(a->symbol, b->symbol);
	case PP_SORT_DEBUG:
		return compare_lines(&a->place, &b->place);
	case PP_SORT_VMA:
		return op_compare_u64(a->place.vma, b->place.vma);
	case PP_SORT_KEYS:
		break;
	}
	return 0;
}

/* What rows are sorted by. */
struct order {
	struct pp_report_style style;
	const struct pp_classes *classes;
	bool inclusive; /* by inclusive samples first */
};

static int report_table_compare_rows(const void *a, const void *b, void *context)
{
	const struct pp_row *left = *(struct pp_row *const *)a, *right = *(struct pp_row *const *)b;
	const struct order *order = context;
	int result = 0;

	if (order->inclusive)
		result = op_compare_u64(pp_weight(order->classes, right->inclusive, 0),
					pp_weight(order->classes, left->inclusive, 0));
	for (size_t i = 0; !result && i < order->style.n_sort; i++)
		result = compare_by(order->style.sort[i], left, right, order->classes);
	return result;
}

void pp_table_sort(struct pp_profile *profile, const struct pp_report_style *style)
{
	struct order order = {*style, profile->classes, style->children && !style->n_sort};

	for (int key = 0; key < PP_SORT_KEYS; key++)
		add_key(&order.style, key);
	if (profile->n_rows)
		qsort_r(profile->rows, profile->n_rows, sizeof(*profile->rows),
			report_table_compare_rows, &order);
	for (size_t i = 0; style->reverse && i < profile->n_rows / 2; i++) {
		struct pp_row *row = profile->rows[i];

		profile->rows[i] = profile->rows[profile->n_rows - 1 - i];
		profile->rows[profile->n_rows - 1 - i] = row;
	}
}

/* ---- what is listed ---- */

static const uint64_t *order_counts(const struct pp_row *row, bool inclusive)
{
	return inclusive ? row->inclusive : row->counts;
}

static void keep_largest(struct pp_table *table, bool inclusive)
{
	uint64_t *weights = op_alloc(table->n + 1, sizeof(*weights));
	size_t n = table->n;
	bool *is_kept;

	for (size_t i = 0; i < n; i++)
		weights[i] = pp_weight(table->profile->classes,
				       order_counts(table->rows[i], inclusive), 0);
	is_kept = pp_largest(weights, n, table->style->max_lines);
	table->n = 0;
	for (size_t i = 0; i < n; i++)
		if (is_kept[i])
			table->rows[table->n++] = table->rows[i];
	free(is_kept);
	free(weights);
}

static bool has_samples(const struct pp_classes *classes, const struct pp_row *row)
{
	for (size_t i = 0; i < classes->n; i++)
		if (row->counts[i])
			return true;
	return false;
}

void pp_table_choose(struct pp_table *table, bool inclusive)
{
	const struct pp_profile *profile = table->profile;

	table->rows = op_alloc(profile->n_rows, sizeof(struct pp_row *));
	table->n_all = profile->n_rows;
	for (size_t i = 0; i < profile->n_rows; i++) {
		struct pp_row *row = profile->rows[i];

		if (table->style->no_callers && !has_samples(profile->classes, row))
			table->n_all--;
		else if (pp_weight_share(profile->classes, order_counts(row, inclusive),
					 profile->totals, 0) >= table->style->threshold)
			table->rows[table->n++] = row;
	}
	if (table->style->max_lines)
		keep_largest(table, inclusive);
}

/* ---- lines ---- */

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void table_put_text(struct pp_table *table, const char *text, size_t width)
{
	op_line_cell(&table->line);
	op_line_width(&table->line, width);
	op_line_safe(&table->line, text);
}

static bool is_on_screen(const struct pp_table *table)
{
	return table->style->columns;
}

/* A text that ends where its column does, which a blank follows. */
static void put_right(struct pp_table *table, const char *text, size_t width)
{
	size_t n = strlen(text);

	op_line_cell(&table->line);
	op_line_width(&table->line, width);
	while (n + 1 < width--)
		op_line_puts(&table->line, " ");
	op_line_puts(&table->line, text);
}

/* The head of a column of numbers. */
static void put_head(struct pp_table *table, const char *text, size_t width)
{
	if (is_on_screen(table))
		put_right(table, text, width);
	else
		table_put_text(table, text, width);
}

static size_t percent_width(const struct pp_table *table)
{
	return is_on_screen(table) ? WIDTH_SCREEN_PERCENT : WIDTH_PERCENT;
}

static size_t events_width(const struct pp_table *table, size_t class)
{
	return table->events[class].width + (is_on_screen(table) ? 1 : EVENTS_GAP);
}

static void put_class_head(struct pp_table *table, size_t class)
{
	char *head = pp_class_head(table->profile->classes, class, WIDTH_COMPACT - 1);
	size_t bytes = strlen(head);

	op_line_cell(&table->line);
	op_line_width(&table->line, WIDTH_COMPACT + bytes - op_text_columns(head, bytes));
	op_line_puts(&table->line, head);
	free(head);
}

static void put_compact(struct pp_table *table, const uint64_t *counts, const uint64_t *wholes,
			size_t class)
{
	op_line_cell(&table->line);
	op_line_width(&table->line, WIDTH_COMPACT);
	op_line_puts(&table->line, "   ");
	op_line_share(&table->line,
		      pp_weight_share(table->profile->classes, counts, wholes, class));
}

void pp_table_head(struct pp_table *table)
{
	const struct pp_report_style *style = table->style;
	bool on_screen = is_on_screen(table);

	if (style->no_header)
		return;
	op_line_tone(&table->line, OP_TONE_HEAD);
	if (style->show_address)
		table_put_text(table, "vma", table->vma_digits + 1);
	for (size_t i = 0; i < table->n_compact; i++)
		put_class_head(table, i);
	for (size_t i = 0; !table->n_compact && i < table->profile->classes->n; i++) {
		if (style->inclusive && !on_screen) {
			table_put_text(table, "inclusive", WIDTH_INCLUSIVE);
			table_put_text(table, "%", WIDTH_PERCENT);
		}
		put_head(table, "samples", table->count_width);
		if (style->accumulated)
			put_head(table, "cum. samples", WIDTH_CUM_SAMPLES);
		if (table->events[i].is_shown)
			put_head(table, table->events[i].head, events_width(table, i));
		put_head(table, on_screen && style->inclusive ? "self%" : "%",
			 percent_width(table));
		if (style->inclusive && on_screen)
			put_right(table, "incl.%", percent_width(table));
		if (style->intervals)
			table_put_text(table, "+- %", WIDTH_MARGIN);
		if (style->accumulated)
			put_head(table, "cum. %", WIDTH_CUM_PERCENT);
	}
	if (style->lines)
		table_put_text(table, on_screen ? "line" : "linenr info", table->line_width);
	if (table->show_image)
		table_put_text(table, on_screen ? "image" : "image name", table->image_width);
	if (table->show_app)
		table_put_text(table, on_screen ? "program" : "app name", table->app_width);
	table_put_text(table, on_screen ? "function" : "symbol name", WIDTH_SYMBOL);
	op_line_tone(&table->line, OP_TONE_PLAIN);
	op_line_end(&table->line, table->out);
}

static void put_count(struct pp_table *table, uint64_t count, size_t width)
{
	op_line_cell(&table->line);
	op_line_width(&table->line, width);
	op_line_count(&table->line, count, is_on_screen(table) ? (unsigned int)width - 1 : 0);
}

static void put_events(struct pp_table *table, const uint64_t *counts, size_t class)
{
	const struct pp_event_column *column = &table->events[class];

	op_line_cell(&table->line);
	op_line_width(&table->line, events_width(table, class));
	pp_event_column_put(column, table->profile->classes, counts, class,
			    is_on_screen(table) ? column->width : 0, &table->line);
}

static void put_percent(struct pp_table *table, double percent, size_t width)
{
	op_line_cell(&table->line);
	op_line_width(&table->line, width);
	op_line_share(&table->line, percent);
}

static void put_margin(struct pp_table *table, double percent)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3g", percent);
	table_put_text(table, text, WIDTH_MARGIN);
}

static void put_vma(struct pp_table *table, uint64_t vma)
{
	op_line_cell(&table->line);
	op_line_width(&table->line, table->vma_digits + 1);
	op_line_hex(&table->line, vma, table->vma_digits);
}

/* A name in a column; lines of a terminal hold all of them. */
static void table_put_name(struct pp_table *table, const char *name, size_t width)
{
	op_line_cell(&table->line);
	op_line_width(&table->line, width);
	if (table->style->columns)
		op_line_short(&table->line, name, width - 1);
	else
		op_line_safe(&table->line, name);
}

static const char *table_name_of(const struct pp_table *table, const struct pp_image *image)
{
	return table->style->long_names ? image->full : image->base;
}

/* "prog.c:20"; the caller frees it. */
static char *place_text(const struct pp_table *table, const struct pp_place *place)
{
	const char *file = place->file, *slash;

	if (!file && table->lines_name_images)
		return op_copy(table_name_of(table, table->image));
	if (!file)
		return op_copy(table->style->columns ? "(not known)" : "(no location information)");
	slash = table->style->long_names ? NULL : strrchr(file, '/');
	return op_format("%s:%u", slash ? slash + 1 : file, (unsigned int)place->line);
}

static void put_place(struct pp_table *table, const struct pp_place *place)
{
	char *text = place_text(table, place);

	table_put_name(table, text, table->line_width);
	free(text);
}

static void put_inclusive(struct pp_table *table, size_t class)
{
	const struct pp_profile *profile = table->profile;

	if (!is_on_screen(table))
		put_count(table, table->inclusive[class], WIDTH_INCLUSIVE);
	put_percent(table,
		    pp_weight_share(profile->classes, table->inclusive, profile->totals, class),
		    percent_width(table));
}

/* Address, counts of @wholes, and line: common to symbols and their details. */
void pp_table_numbers(struct pp_table *table, const struct pp_place *place, const uint64_t *counts,
		      const uint64_t *wholes, uint64_t *sums)
{
	const struct pp_classes *classes = table->profile->classes;
	const struct pp_report_style *style = table->style;
	const uint64_t *first = table->inclusive ? table->inclusive : counts;

	op_line_row(&table->line,
		    pp_weight_share(classes, first,
				    table->inclusive ? table->profile->totals : wholes, 0));
	if (table->is_indented)
		op_line_puts(&table->line, "  ");
	table->line.cell += table->is_indented ? 2 : 0;
	if (style->show_address)
		put_vma(table, place->vma);
	pp_counts_add(classes, sums, counts);
	for (size_t i = 0; i < table->n_compact; i++)
		put_compact(table, counts, wholes, i);
	for (size_t i = 0; !table->n_compact && i < classes->n; i++) {
		if (table->inclusive && !is_on_screen(table))
			put_inclusive(table, i);
		put_count(table, counts[i], table->count_width);
		if (style->accumulated)
			put_count(table, sums[i], WIDTH_CUM_SAMPLES);
		if (table->events[i].is_shown)
			put_events(table, counts, i);
		put_percent(table, pp_weight_share(classes, counts, wholes, i),
			    percent_width(table));
		if (table->inclusive && is_on_screen(table))
			put_inclusive(table, i);
		if (table->margins)
			put_margin(table, table->margins[i]);
		if (style->accumulated)
			put_percent(table, pp_weight_share(classes, sums, wholes, i),
				    WIDTH_CUM_PERCENT);
	}
	if (style->lines)
		put_place(table, place);
}

void pp_table_last_name(struct pp_table *table, const char *name, size_t used)
{
	size_t columns = table->style->columns, least = LEAST_SYMBOL;

	op_line_cell(&table->line);
	used += op_line_columns(&table->line);
	if (!columns)
		op_line_safe(&table->line, name);
	else
		op_line_short(&table->line, name, columns > used + least ? columns - used : least);
}

void pp_table_names(struct pp_table *table, const struct pp_row *row, const char *more)
{
	if (table->show_image)
		table_put_name(table, table_name_of(table, row->image), table->image_width);
	if (table->show_app)
		table_put_name(table, table_name_of(table, row->app), table->app_width);
	pp_table_last_name(table, row->symbol, strlen(more));
	op_line_puts(&table->line, more);
	op_line_end(&table->line, table->out);
}

/* Columns of addresses, numbers and lines. */
static size_t numbers_width(const struct pp_table *table)
{
	const struct pp_report_style *style = table->style;
	size_t class = table->count_width + percent_width(table), width = 0;

	class += style->inclusive ? percent_width(table) : 0;
	class += style->inclusive && !is_on_screen(table) ? WIDTH_INCLUSIVE : 0;
	class += style->accumulated ? WIDTH_CUM_SAMPLES + WIDTH_CUM_PERCENT : 0;
	class += style->intervals ? WIDTH_MARGIN : 0;
	for (size_t i = 0; !table->n_compact && i < table->profile->classes->n; i++)
		width += class + (table->events[i].is_shown ? events_width(table, i) : 0);
	width += table->n_compact * WIDTH_COMPACT;
	width += style->show_address ? table->vma_digits + 1 : 0;
	return width + (style->lines ? table->line_width : 0);
}

/* Blanks, up to the first name. */
static void skip_numbers(struct pp_table *table)
{
	table_put_text(table, "", numbers_width(table));
}

/* Classes that would leave names no room have percentages only, as many as there is room for. */
static void choose_compact(struct pp_table *table)
{
	size_t n = table->profile->classes->n, columns = table->style->columns, others;

	if (n < 2 || !columns || numbers_width(table) + LEAST_NAMES <= columns)
		return;
	table->n_compact = 1;
	others = numbers_width(table) - WIDTH_COMPACT + LEAST_NAMES;
	if (columns > others)
		table->n_compact = smaller((columns - others) / WIDTH_COMPACT, n);
	table->n_compact = larger(table->n_compact, 1);
}

void pp_table_rest(struct pp_table *table)
{
	const struct pp_profile *profile = table->profile;
	uint64_t *counts;
	char *text;

	if (!table->style->max_lines || table->n == table->n_all)
		return;
	counts = op_alloc(profile->classes->columns, sizeof(*counts));
	for (size_t i = 0; i < profile->n_rows; i++)
		pp_counts_add(profile->classes, counts, profile->rows[i]->counts);
	for (size_t i = 0; i < table->n; i++)
		for (size_t k = 0; k < profile->classes->columns; k++)
			counts[k] -= table->rows[i]->counts[k];
	text = pp_rest_text(table->n_all - table->n,
			    pp_weight_share(profile->classes, counts, profile->totals, 0));
	skip_numbers(table);
	table_put_text(table, text, 0);
	op_line_end(&table->line, table->out);
	free(text);
	free(counts);
}

/* ---- columns ---- */

static uint64_t highest_vma(const struct pp_row *row)
{
	return row->n_details ? row->details[row->n_details - 1].place.vma : row->place.vma;
}

static void table_make_room(struct pp_table *table, const struct pp_row *row)
{
	const struct pp_profile *profile = table->profile;

	if (highest_vma(row) > UINT32_MAX)
		table->vma_digits = 16;
	if (profile->n_rows && row->app != profile->rows[0]->app)
		table->show_app = true;
}

static bool differs(const struct pp_row *row)
{
	return row->image->order != row->app->order;
}

/* Where nothing listed is in another image than its application, the name of that is enough. */
static void choose_names(struct pp_table *table)
{
	const struct pp_profile *profile = table->profile;
	bool is_short = table->style->max_lines && table->show_app;
	struct pp_row *const *rows = is_short ? table->rows : profile->rows;
	size_t n = is_short ? table->n : profile->n_rows;

	if (table->lines_name_images)
		return;
	for (size_t i = 0; i < n; i++)
		table->show_image |= differs(rows[i]);
	for (size_t i = 0; i < profile->n_arcs; i++)
		table->show_image |=
			differs(profile->arcs[i].caller) || differs(profile->arcs[i].callee);
}

static size_t place_width(const struct pp_table *table, const struct pp_place *place)
{
	char *text = place_text(table, place);
	size_t width = op_safe_width(text);

	free(text);
	return width;
}

/* On a terminal as wide as the longest one needs, a quarter of the line at most. */
static void make_line_width(struct pp_table *table)
{
	size_t width = strlen("line"), columns = table->style->columns;

	table->line_width = WIDTH_LINE;
	if (!columns || !table->style->lines)
		return;
	for (size_t i = 0; i < table->n; i++) {
		const struct pp_row *row = table->rows[i];

		table->image = row->image;
		width = larger(width, place_width(table, &row->place));
		for (size_t k = 0; k < row->n_details; k++)
			width = larger(width, place_width(table, &row->details[k].place));
	}
	table->line_width = smaller(
		width + 1, smaller(WIDTH_LINE, columns / (table->lines_name_images ? 3 : 4)));
}

/* As wide as the longest name needs, a quarter of what names have at most. */
static void make_name_widths(struct pp_table *table)
{
	size_t columns = table->style->columns, numbers, most;
	size_t image = strlen("image name"), app = strlen("app name");

	table->image_width = WIDTH_IMAGE;
	table->app_width = WIDTH_APP;
	if (!columns)
		return;
	skip_numbers(table);
	op_line_cell(&table->line);
	numbers = table->line.n;
	table->line.n = table->line.cell = 0;
	most = columns > numbers + 4 * LEAST_NAME ? (columns - numbers) / 4 : LEAST_NAME;
	for (size_t i = 0; i < table->n; i++) {
		image = larger(image, op_safe_width(table_name_of(table, table->rows[i]->image)));
		app = larger(app, op_safe_width(table_name_of(table, table->rows[i]->app)));
	}
	table->image_width = smaller(image, most) + 1;
	table->app_width = smaller(app, most) + 1;
}

static size_t screen_count_width(const struct pp_profile *profile)
{
	uint64_t most = 0;
	char text[32];
	size_t width;

	for (size_t i = 0; i < profile->classes->n; i++)
		most = profile->totals[i] > most ? profile->totals[i] : most;
	width = (size_t)snprintf(text, sizeof(text), "%" PRIu64, most) + 1;
	return larger(width, WIDTH_SCREEN_COUNT);
}

void pp_table_columns(struct pp_table *table)
{
	const struct pp_profile *profile = table->profile;

	table->vma_digits = 8;
	table->line.color = table->style->color;
	table->line.brief = is_on_screen(table);
	table->count_width = is_on_screen(table) ? screen_count_width(profile) : WIDTH_SAMPLES;
	table->events = pp_event_columns_make(profile, table->style);
	for (size_t i = 0; i < profile->n_rows; i++)
		table_make_room(table, profile->rows[i]);
	/* Ends of arcs may be hidden, and are not rows then. */
	for (size_t i = 0; i < profile->n_arcs; i++) {
		table_make_room(table, profile->arcs[i].caller);
		table_make_room(table, profile->arcs[i].callee);
	}
	choose_names(table);
	make_line_width(table);
	choose_compact(table);
	make_name_widths(table);
}

void pp_table_free(struct pp_table *table)
{
	free(table->events);
	free(table->rows);
	op_line_free(&table->line);
}
