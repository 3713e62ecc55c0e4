// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Differences of two profiles: what each symbol, or image, had before and has now, and by how much
 * that has changed; the largest change first.
 *
 * A function that was not changed keeps its samples when others become faster, and its share grows;
 * so counts come first.  Numbers are samples, or events where samples stand for different numbers
 * of them; with --per-second those of a second, for profiles of different durations.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pp/statistics/chance.h"
#include "pp/statistics/runs.h"
#include "event_column.h"
#include "image_pairs.h"
#include "largest.h"
#include "libop/base/memory.h"
#include "libop/perf/event.h"
#include "report.h"
#include "sentences.h"
#include "pp/select/weights.h"
#include "libop/text/cells.h"

/* A symbol or an image in an application, in one profile or both. */
struct entry {
	const char *app, *image; /* what identifies them in both profiles */
	const char *key;	 /* likewise; "" for images */
	const char *symbol;	 /* as it is shown */
	const struct pp_image *app_image, *image_image;
	const uint64_t *counts[PP_SIDES]; /* by class, or NULL */
	double *of_runs[PP_SIDES];	  /* by class and run, or NULL: what each run has */
	double change, sum;		  /* of class 0: what rows are sorted by */
};

struct difference {
	const struct pp_profile *profiles[PP_SIDES];
	const struct pp_runs *runs[PP_SIDES];
	const struct pp_image_pairs *pairs;
	const struct pp_report_style *style;
	FILE *out;
	struct op_line line;
	struct pp_event_column *events; /* by class */
	struct entry *entries;
	size_t n, capacity;
	bool symbols, show_image, show_app;
	bool no_times, no_points; /* a terminal is too narrow for these */
	size_t name_width;	  /* of image and application */
};

/* Widths of cells; LEAST_NAME is one on a terminal. */
enum {
	WIDTH_NUMBER = 9,
	WIDTH_CHANGE = 12,
	WIDTH_TIME = 11,
	WIDTH_NAME = 25,
	WIDTH_SYMBOL = 30,
	LEAST_NAME = 12
};

static const struct pp_classes *classes_of(const struct difference *difference)
{
	return difference->profiles[PP_NEW]->classes;
}

/* ---- rows ---- */

/* @symbol is NULL for images.  Return: good until the next call. */
static struct entry *add_entry(struct difference *difference, int side, const struct pp_image *app,
			       const struct pp_image *image, const char *symbol,
			       const uint64_t *counts)
{
	const struct pp_profile *profile = difference->profiles[side];
	struct entry *entry;

	difference->entries = op_grow(difference->entries, &difference->capacity, difference->n + 1,
				      sizeof(*entry));
	entry = &difference->entries[difference->n++];
	memset(entry, 0, sizeof(*entry));
	entry->app = difference->pairs->apps[side][app - profile->apps];
	entry->image = difference->pairs->images[side][image - profile->images];
	entry->symbol = symbol ? symbol : "";
	/* Code without symbols has the path of its image for a symbol. */
	entry->key = strcmp(entry->symbol, image->full) ? entry->symbol : entry->image;
	entry->app_image = app;
	entry->image_image = image;
	entry->counts[side] = counts;
	if (difference->runs[side]->n)
		entry->of_runs[side] =
			op_alloc(profile->classes->n * difference->runs[side]->n, sizeof(double));
	return entry;
}

static void add_row(struct difference *difference, int side, const struct pp_row *row)
{
	const struct pp_runs *runs = difference->runs[side];
	const struct entry *entry =
		add_entry(difference, side, row->app, row->image, row->symbol, row->counts);

	for (size_t i = 0; runs->n && i < runs->n_classes; i++)
		pp_runs_add_row(runs, row, i, entry->of_runs[side] + i * runs->n);
}

static void add_part(struct difference *difference, int side, const struct pp_part *part)
{
	const struct pp_runs *runs = difference->runs[side];
	const struct entry *entry =
		add_entry(difference, side, part->app, part->image, NULL, part->counts);

	for (size_t i = 0; runs->n && i < runs->n_classes; i++)
		pp_runs_add_part(runs, part, i, entry->of_runs[side] + i * runs->n);
}

static void add_profile(struct difference *difference, int side)
{
	const struct pp_profile *profile = difference->profiles[side];

	if (difference->symbols)
		for (size_t i = 0; i < profile->n_rows; i++)
			add_row(difference, side, profile->rows[i]);
	else
		for (size_t i = 0; i < profile->n_parts; i++)
			add_part(difference, side, &profile->parts[i]);
}

static int compare_names(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;
	int order = strcmp(left->app, right->app);

	order = order ? order : strcmp(left->image, right->image);
	return order ? order : strcmp(left->key, right->key);
}

/* Adds up entries of one name: an application may have several static functions of a name. */
static uint64_t *sum(const struct difference *difference, const struct entry *entries, size_t n,
		     int side)
{
	const struct pp_classes *classes = difference->profiles[side]->classes;
	uint64_t *total = NULL;

	for (size_t i = 0; i < n; i++) {
		const uint64_t *counts = entries[i].counts[side];

		if (!counts)
			continue;
		if (!total)
			total = op_alloc(classes->columns, sizeof(*total));
		pp_counts_add(classes, total, counts);
	}
	return total;
}

/* Likewise; frees those of @entries. */
static double *sum_runs(const struct difference *difference, struct entry *entries, size_t n,
			int side)
{
	size_t numbers = classes_of(difference)->n * difference->runs[side]->n;
	double *total = NULL;

	for (size_t i = 0; i < n; i++) {
		double *of_runs = entries[i].of_runs[side];

		for (size_t k = 0; total && of_runs && k < numbers; k++)
			total[k] += of_runs[k];
		if (total)
			free(of_runs);
		else
			total = of_runs;
	}
	return total;
}

/* Merges all entries of one name; the result owns its counts. */
static void match(struct difference *difference)
{
	size_t kept = 0;

	if (difference->n)
		qsort(difference->entries, difference->n, sizeof(struct entry), compare_names);
	for (size_t i = 0, end; i < difference->n; i = end) {
		struct entry entry = difference->entries[i];

		for (end = i + 1; end < difference->n && !compare_names(&difference->entries[i],
									&difference->entries[end]);)
			if (difference->entries[end++].counts[PP_NEW]) /* shown as the new one */
				entry = difference->entries[end - 1];
		for (int side = PP_OLD; side < PP_SIDES; side++) {
			struct entry *entries = difference->entries + i;

			entry.counts[side] = sum(difference, entries, end - i, side);
			entry.of_runs[side] = sum_runs(difference, entries, end - i, side);
		}
		difference->entries[kept++] = entry;
	}
	difference->n = kept;
}

/* ---- numbers ---- */

/* Sums of different numbers of runs differ by these. */
static bool is_by_run(const struct difference *difference)
{
	return !difference->style->per_second &&
	       pp_runs_count(difference->runs[PP_OLD]) != pp_runs_count(difference->runs[PP_NEW]);
}

/* Seconds or runs of a profile that numbers are divided by. */
static double difference_units(const struct difference *difference, int side)
{
	if (difference->style->per_second)
		return (double)difference->profiles[side]->head.duration_ns / 1e9;
	return is_by_run(difference) ? (double)pp_runs_count(difference->runs[side]) : 1;
}

/* Samples, or events where samples stand for different numbers of them. */
static uint64_t number_of(const struct difference *difference, const uint64_t *counts, size_t class,
			  int side)
{
	const struct pp_classes *classes = difference->profiles[side]->classes;

	if (!counts)
		return 0;
	return difference->events[class].is_shown ? pp_events(classes, counts, class)
						  : counts[class];
}

/* In the unit of the column. */
static double value_of(const struct difference *difference, const uint64_t *counts, size_t class,
		       int side)
{
	const struct pp_event_column *events = &difference->events[class];
	double number = (double)number_of(difference, counts, class, side);

	if (events->is_shown)
		number /= (double)events->unit;
	return number / difference_units(difference, side);
}

static double change_of(const struct difference *difference, const struct entry *entry,
			size_t class)
{
	return value_of(difference, entry->counts[PP_NEW], class, PP_NEW) -
	       value_of(difference, entry->counts[PP_OLD], class, PP_OLD);
}

/* In percent of the old one; INFINITY if there was none, -INFINITY if there is none left. */
static double percent_of(const struct difference *difference, const struct entry *entry,
			 size_t class)
{
	double old = value_of(difference, entry->counts[PP_OLD], class, PP_OLD);
	double new = value_of(difference, entry->counts[PP_NEW], class, PP_NEW);

	if (old == 0)
		return new == 0 ? 0 : INFINITY;
	return new == 0 ? -INFINITY : 100 * (new - old) / old;
}

static double share(const struct difference *difference, const uint64_t *counts, size_t class,
		    int side)
{
	const struct pp_profile *profile = difference->profiles[side];

	return counts ? pp_weight_share(profile->classes, counts, profile->totals, class) : 0;
}

static struct pp_estimate estimate_of(const struct difference *difference,
				      const struct entry *entry, size_t class, int side)
{
	const struct pp_profile *profile = difference->profiles[side];
	const struct pp_runs *runs = difference->runs[side];
	const uint64_t *counts = entry->counts[side];
	enum pp_unit unit = difference->style->per_second ? PP_PER_SECOND : PP_PER_RUN;

	return pp_runs_estimate(runs, profile, class, unit,
				entry->of_runs[side] ? entry->of_runs[side] + class * runs->n
						     : NULL,
				counts ? counts[class] : 0,
				counts ? (double)pp_weight(profile->classes, counts, class) : 0);
}

static enum pp_verdict verdict_of(const struct difference *difference, const struct entry *entry,
				  size_t class)
{
	struct pp_estimate old = estimate_of(difference, entry, class, PP_OLD);
	struct pp_estimate new = estimate_of(difference, entry, class, PP_NEW);

	return pp_chance_judge(&old, &new);
}

/* A clock counts nanoseconds: of samples that all stand for as many, the change is a time. */
static bool has_time(const struct difference *difference, size_t class)
{
	const struct pp_class *column = &classes_of(difference)->items[class];

	return !difference->no_times && !difference->events[class].is_shown && column->count &&
	       op_perf_is_clock_name(column->event);
}

static double milliseconds(const struct difference *difference, const struct entry *entry,
			   size_t class)
{
	return change_of(difference, entry, class) *
	       (double)classes_of(difference)->items[class].count / 1e6;
}

/* ---- order ---- */

static int compare_shown(const struct entry *left, const struct entry *right)
{
	int order = strcmp(left->app_image->full, right->app_image->full);

	order = order ? order : strcmp(left->image_image->full, right->image_image->full);
	return order ? order : strcmp(left->symbol, right->symbol);
}

static int compare_changes(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;
	double of_left = fabs(left->change), of_right = fabs(right->change);

	if (of_left != of_right)
		return of_left < of_right ? 1 : -1;
	if (left->sum != right->sum)
		return left->sum < right->sum ? 1 : -1;
	return compare_shown(a, b);
}

static void sort_entries(struct difference *difference)
{
	for (size_t i = 0; i < difference->n; i++) {
		struct entry *entry = &difference->entries[i];

		entry->change = change_of(difference, entry, 0);
		entry->sum =
			entry->change + 2 * value_of(difference, entry->counts[PP_OLD], 0, PP_OLD);
	}
	if (difference->n)
		qsort(difference->entries, difference->n, sizeof(struct entry), compare_changes);
}

/* ---- cells ---- */

static void difference_put_text(struct difference *difference, const char *text, size_t width)
{
	op_line_cell(&difference->line);
	op_line_width(&difference->line, width);
	op_line_safe(&difference->line, text);
}

/* @sign: "+" for changes. */
static void put_value(struct difference *difference, double value, size_t class, const char *sign)
{
	const struct pp_event_column *events = &difference->events[class];
	int decimals = difference->style->per_second || is_by_run(difference) ? 2
		       : events->is_shown && events->unit >= 1000	      ? 1
									      : 0;
	char text[64];

	snprintf(text, sizeof(text), *sign ? "%+.*f" : "%.*f", decimals, value);
	difference_put_text(difference, text, WIDTH_NUMBER);
}

static void put_change(struct difference *difference, const struct entry *entry, size_t class)
{
	static const char *const marks[] = {
		[PP_IS_CHANGE] = "", [PP_MAY_BE_CHANCE] = " ~", [PP_CANNOT_TELL] = " ?"};
	double value = percent_of(difference, entry, class);
	enum pp_verdict verdict = verdict_of(difference, entry, class);
	bool is_worse = value > 0 && verdict == PP_IS_CHANGE;
	char text[64];

	if (isinf(value))
		snprintf(text, sizeof(text), "%s%s", value > 0 ? "+++" : "---", marks[verdict]);
	else
		snprintf(text, sizeof(text), "%+.1f%s", value, marks[verdict]);
	op_line_cell(&difference->line);
	op_line_width(&difference->line, WIDTH_CHANGE);
	if (is_worse)
		op_line_tone(&difference->line, OP_TONE_ALARM);
	op_line_puts(&difference->line, text);
	if (is_worse)
		op_line_tone(&difference->line, OP_TONE_PLAIN);
}

static void put_signed(struct difference *difference, double value, int decimals, size_t width)
{
	char text[64];

	snprintf(text, sizeof(text), "%+.*f", decimals, value);
	difference_put_text(difference, text, width);
}

/* A name, the last one of a line or not; on a terminal the line holds it. */
static void difference_put_name(struct difference *difference, const char *name, size_t width,
				bool is_last)
{
	const size_t columns = difference->style->columns;
	size_t used;

	if (!columns) {
		difference_put_text(difference, name, width);
		return;
	}
	op_line_cell(&difference->line);
	op_line_width(&difference->line, width);
	used = op_line_columns(&difference->line);
	if (is_last)
		width = columns > used + LEAST_NAME ? columns - used + 1 : LEAST_NAME + 1;
	op_line_short(&difference->line, name, width - 1);
}

static const char *difference_name_of(const struct difference *difference,
				      const struct pp_image *image)
{
	return difference->style->long_names ? image->full : image->base;
}

/* ---- the head ---- */

/* How many a second; 0: the sessions do not say for how long they were sampled. */
static double rate(const struct pp_profile *profile, uint64_t n)
{
	uint64_t ns = profile->head.duration_ns;

	return ns ? (double)n * 1e9 / (double)ns : 0;
}

static bool has_rates(const struct difference *difference)
{
	return difference->profiles[PP_OLD]->head.duration_ns &&
	       difference->profiles[PP_NEW]->head.duration_ns;
}

static void put_percent(double old, double new, FILE *out)
{
	if (old > 0)
		fprintf(out, " (%+.1f %%)", 100 * (new - old) / old);
	fputc('\n', out);
}

static void put_total(const struct difference *difference, const char *what, size_t class,
		      uint64_t old, uint64_t new, FILE *out)
{
	const struct pp_classes *classes = classes_of(difference);
	const struct pp_profile *const *profiles = difference->profiles;
	bool many = classes->n > 1;
	const char *of = many ? " of " : "", *column = many ? classes->items[class].column : "";

	fprintf(out, "%s%s%s: %" PRIu64 " old, %" PRIu64 " new", what, of, column, old, new);
	put_percent((double)old, (double)new, out);
	if (!has_rates(difference))
		return;
	fprintf(out, "%s%s%s a second: %.6g old, %.6g new", what, of, column,
		rate(profiles[PP_OLD], old), rate(profiles[PP_NEW], new));
	put_percent(rate(profiles[PP_OLD], old), rate(profiles[PP_NEW], new), out);
}

static void put_totals(const struct difference *difference, FILE *out)
{
	const struct pp_classes *classes = classes_of(difference);
	const struct pp_profile *old = difference->profiles[PP_OLD];
	const struct pp_profile *new = difference->profiles[PP_NEW];

	for (size_t i = 0; i < classes->n; i++) {
		put_total(difference, "Samples", i, old->totals[i], new->totals[i], out);
		if (classes->items[i].is_weighted)
			put_total(difference, "Events", i, pp_events(old->classes, old->totals, i),
				  pp_events(classes, new->totals, i), out);
	}
}

static void put_legend(const struct difference *difference, FILE *out)
{
	const struct pp_classes *classes = classes_of(difference);
	char *legend = pp_chance_legend(difference->runs[PP_OLD]->evidence,
					difference->runs[PP_NEW]->evidence);

	for (size_t i = 0; i < classes->n; i++)
		if (difference->events[i].is_shown)
			fprintf(out, "Numbers%s%s: %s%s\n", classes->n > 1 ? " of " : "",
				classes->n > 1 ? classes->items[i].column : "",
				difference->events[i].head,
				difference->style->per_second ? " a second"
				: is_by_run(difference)	      ? " of a run"
							      : "");
	if (is_by_run(difference))
		fprintf(out, "Runs: %zu old, %zu new; the numbers below are of one\n",
			pp_runs_count(difference->runs[PP_OLD]),
			pp_runs_count(difference->runs[PP_NEW]));
	fprintf(out, "%s; points: of the share of all\n", legend);
	free(legend);
}

static void put_number_head(struct difference *difference, const char *name, size_t width)
{
	char text[16];

	snprintf(text, sizeof(text), "%s%s", name,
		 difference->style->per_second ? "/s"
		 : is_by_run(difference)       ? "/run"
					       : "");
	difference_put_text(difference, text, width);
}

static void difference_put_head(struct difference *difference)
{
	struct pp_sentences sentences;

	if (difference->style->no_header)
		return;
	pp_sentences_begin(&sentences, difference->style->columns, difference->out);
	put_totals(difference, sentences.file);
	put_legend(difference, sentences.file);
	pp_sentences_end(&sentences);
	op_line_tone(&difference->line, OP_TONE_HEAD);
	for (size_t i = 0; i < classes_of(difference)->n; i++) {
		put_number_head(difference, "old", WIDTH_NUMBER);
		put_number_head(difference, "new", WIDTH_NUMBER);
		put_number_head(difference, "diff", WIDTH_NUMBER);
		difference_put_text(difference, "diff %", WIDTH_CHANGE);
		if (has_time(difference, i))
			put_number_head(difference, "ms", WIDTH_TIME);
		if (!difference->no_points)
			difference_put_text(difference, "points", WIDTH_NUMBER);
	}
	if (difference->show_image)
		difference_put_text(difference, "image name", difference->name_width);
	if (difference->show_app)
		difference_put_text(difference, "app name", difference->name_width);
	if (difference->symbols)
		difference_put_text(difference, "symbol name", WIDTH_SYMBOL);
	op_line_tone(&difference->line, OP_TONE_PLAIN);
	op_line_end(&difference->line, difference->out);
}

/* ---- the table ---- */

static void put_numbers(struct difference *difference, const struct entry *entry, size_t class)
{
	double shares[PP_SIDES];

	for (int side = PP_OLD; side < PP_SIDES; side++) {
		put_value(difference, value_of(difference, entry->counts[side], class, side), class,
			  "");
		shares[side] = share(difference, entry->counts[side], class, side);
	}
	put_value(difference, change_of(difference, entry, class), class, "+");
	put_change(difference, entry, class);
	if (has_time(difference, class))
		put_signed(difference, milliseconds(difference, entry, class), 1, WIDTH_TIME);
	if (!difference->no_points)
		put_signed(difference, shares[PP_NEW] - shares[PP_OLD], 2, WIDTH_NUMBER);
}

static void put_entry(struct difference *difference, const struct entry *entry)
{
	bool has_app = difference->show_app, has_symbol = difference->symbols;

	for (size_t i = 0; i < classes_of(difference)->n; i++)
		put_numbers(difference, entry, i);
	if (difference->show_image)
		difference_put_name(difference, difference_name_of(difference, entry->image_image),
				    difference->name_width, !has_app && !has_symbol);
	if (has_app)
		difference_put_name(difference, difference_name_of(difference, entry->app_image),
				    difference->name_width, !has_symbol);
	if (has_symbol)
		difference_put_name(difference, entry->symbol, WIDTH_SYMBOL, true);
	op_line_end(&difference->line, difference->out);
}

static size_t numbers_width(const struct difference *difference)
{
	size_t width = 0;

	for (size_t i = 0; i < classes_of(difference)->n; i++)
		width += 3 * WIDTH_NUMBER + WIDTH_CHANGE +
			 (has_time(difference, i) ? WIDTH_TIME : 0) +
			 (difference->no_points ? 0 : WIDTH_NUMBER);
	return width;
}

/* Makes room for names on a terminal; return: the columns that they have. */
static size_t difference_make_room(struct difference *difference)
{
	size_t columns = difference->style->columns;
	size_t names = difference->show_image + difference->show_app + difference->symbols;
	size_t least = names * LEAST_NAME;

	difference->no_times = numbers_width(difference) + least > columns;
	difference->no_points = numbers_width(difference) + least > columns;
	return columns > numbers_width(difference) ? columns - numbers_width(difference) : 0;
}

static void choose_columns(struct difference *difference)
{
	size_t left;

	difference->show_image = !difference->symbols;
	for (size_t i = 0; i < difference->n; i++) {
		const struct entry *entry = &difference->entries[i];

		difference->show_image |=
			strcmp(entry->image_image->full, entry->app_image->full) != 0;
		difference->show_app |= strcmp(entry->app, difference->entries->app) != 0;
	}
	difference->show_image |= difference->show_app;
	difference->name_width = WIDTH_NAME;
	if (!difference->style->columns)
		return;
	left = difference_make_room(difference);
	difference->name_width = left > 3 * LEAST_NAME ? left / 3 : LEAST_NAME;
}

static bool is_changed(const struct difference *difference, const struct entry *entry)
{
	return fabs(percent_of(difference, entry, 0)) >= difference->style->threshold;
}

/* Which entries are shown, of those in their order; the caller frees it. */
static bool *choose_entries(const struct difference *difference)
{
	bool *shown = op_alloc(difference->n + 1, sizeof(*shown));
	uint64_t n = 0, most = difference->style->max_lines;

	for (size_t i = 0; i < difference->n && (!most || n < most); i++) {
		shown[i] = is_changed(difference, &difference->entries[i]);
		n += shown[i];
	}
	return shown;
}

/* What the limit of lines leaves out has the share of the new profile. */
static void put_rest(struct difference *difference, const bool *shown)
{
	const struct pp_classes *classes = classes_of(difference);
	uint64_t *counts = op_alloc(classes->columns, sizeof(*counts));
	size_t n = 0;
	char *text;

	for (size_t i = 0; i < difference->n; i++) {
		const struct entry *entry = &difference->entries[i];

		n += !shown[i];
		if (!shown[i] && entry->counts[PP_NEW])
			pp_counts_add(classes, counts, entry->counts[PP_NEW]);
	}
	if (n && difference->style->max_lines) {
		text = pp_rest_text(n, share(difference, counts, 0, PP_NEW));
		difference_put_text(difference, "", numbers_width(difference));
		difference_put_text(difference, text, 0);
		op_line_end(&difference->line, difference->out);
		free(text);
	}
	free(counts);
}

/* In the unit of the profile with more events. */
static struct pp_event_column *make_columns(const struct difference *difference)
{
	const struct pp_profile *old = difference->profiles[PP_OLD];
	const struct pp_profile *new = difference->profiles[PP_NEW];
	bool is_new =
		pp_weight(new->classes, new->totals, 0) >= pp_weight(old->classes, old->totals, 0);

	return pp_event_columns_make(is_new ? new : old, difference->style);
}

void pp_report_difference(const struct pp_report_pair *pair, const struct pp_report_style *style,
			  bool symbols, FILE *out)
{
	struct difference difference = {
		.profiles = {pair->profiles[PP_OLD], pair->profiles[PP_NEW]},
		.runs = {pair->runs[PP_OLD], pair->runs[PP_NEW]},
		.pairs = pair->pairs,
		.style = style,
		.out = out,
		.symbols = symbols};
	bool *shown;

	difference.line.color = style->color;
	difference.events = make_columns(&difference);
	add_profile(&difference, PP_OLD);
	add_profile(&difference, PP_NEW);
	match(&difference);
	choose_columns(&difference);
	sort_entries(&difference);
	difference_put_head(&difference);
	shown = choose_entries(&difference);
	for (size_t i = 0; i < difference.n; i++) {
		size_t place = style->reverse ? difference.n - 1 - i : i;

		if (shown[place])
			put_entry(&difference, &difference.entries[place]);
	}
	put_rest(&difference, shown);
	free(shown);
	for (size_t i = 0; i < difference.n; i++)
		for (int side = PP_OLD; side < PP_SIDES; side++) {
			free((void *)difference.entries[i].counts[side]);
			free(difference.entries[i].of_runs[side]);
		}
	free(difference.entries);
	free(difference.events);
	op_line_free(&difference.line);
}
