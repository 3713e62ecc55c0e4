// SPDX-License-Identifier: GPL-2.0-or-later
/* The summary: applications and their images. */
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "event_column.h"
#include "largest.h"
#include "report.h"
#include "pp/select/weights.h"
#include "libop/text/cells.h"

/* Width of samples and percentages of a class, without the '|' after them. */
#define HEAD_WIDTH	  17
#define SCREEN_HEAD_WIDTH 16

/* On a terminal. */
enum { TAB = 8, LEAST_NAME = 20, SCREEN_SHARE = 6, COMPACT = 10 };

struct summary {
	const struct pp_profile *profile;
	const struct pp_report_style *style;
	FILE *out;
	struct op_line line;
	struct pp_event_column *events; /* by class */
	size_t n_compact; /* classes that have a column, of percentages only; 0: as usual */
};

/* Writes an application and its images, the one with the most samples first. */
struct entry {
	const struct pp_image *app;
	struct pp_part *parts;
	size_t n_parts;
};

static int compare_counts(const uint64_t *a, const uint64_t *b, const struct pp_classes *classes)
{
	uint64_t x = pp_weight(classes, a, 0), y = pp_weight(classes, b, 0);

	return (x < y) - (x > y);
}

static int compare_entries(const void *a, const void *b, void *classes)
{
	const struct entry *left = a, *right = b;
	int order = compare_counts(left->app->counts, right->app->counts, classes);

	return order ? order
		     : (left->app->order > right->app->order) -
			       (left->app->order < right->app->order);
}

static int compare_parts(const void *a, const void *b, void *classes)
{
	const struct pp_part *left = a, *right = b;
	int order = compare_counts(left->counts, right->counts, classes);

	return order ? order
		     : (left->image->order > right->image->order) -
			       (left->image->order < right->image->order);
}

static bool is_zero(const struct summary *summary, const uint64_t *counts)
{
	for (size_t i = 0; i < summary->profile->classes->n; i++)
		if (counts[i])
			return false;
	return true;
}

/* The columns of a class, without the '|' after them. */
static size_t width_of(const struct summary *summary, size_t class)
{
	const struct pp_event_column *events = &summary->events[class];

	return (summary->style->columns ? SCREEN_HEAD_WIDTH : HEAD_WIDTH) +
	       (events->is_shown ? events->width + 1 : 0);
}

static void put_blanks_and(struct op_line *line, const char *text, size_t width)
{
	for (size_t n = strlen(text); n < width; n++)
		op_line_puts(line, " ");
	op_line_puts(line, text);
}

/* @text, or the start of it, at the right of @width columns. */
static void put_right(struct summary *summary, const char *text, size_t width)
{
	struct op_line *line = &summary->line;
	size_t n = strlen(text);

	put_blanks_and(line, "", n < width ? width - n : 0);
	op_line_safe_add(line, text, n > width ? width - 3 : n);
	op_line_puts(line, n > width ? "...|" : "|");
}

/* One line: what a single class is of stands in the head of the report. */
static void put_screen_head(struct summary *summary, const char *indent)
{
	const struct pp_event_column *events = &summary->events[0];
	struct op_line *line = &summary->line;

	op_line_puts(line, indent);
	op_line_puts(line, "  samples");
	if (events->is_shown)
		put_blanks_and(line, events->head, events->width + 1);
	put_blanks_and(line, "%", SCREEN_SHARE + 1);
	op_line_puts(line, *indent ? " image" : " program");
	op_line_tone(line, OP_TONE_PLAIN);
	op_line_end(line, summary->out);
}

/* Names of events, or what else tells classes apart, above percentages. */
static void put_compact_head(struct summary *summary, const char *indent)
{
	struct op_line *line = &summary->line;

	op_line_puts(line, indent);
	for (size_t i = 0; i < summary->n_compact; i++) {
		char *head = pp_class_head(summary->profile->classes, i, COMPACT - 1);

		op_line_puts(line, head);
		op_line_puts(line, " ");
		free(head);
	}
	op_line_puts(line, *indent ? "image" : "program");
	op_line_tone(line, OP_TONE_PLAIN);
	op_line_end(line, summary->out);
}

static void summary_put_head(struct summary *summary, const char *indent)
{
	const struct pp_classes *classes = summary->profile->classes;
	struct op_line *line = &summary->line;

	if (summary->style->no_header)
		return;
	op_line_tone(line, OP_TONE_HEAD);
	if (summary->style->columns && classes->n == 1) {
		put_screen_head(summary, indent);
		return;
	}
	if (summary->n_compact) {
		put_compact_head(summary, indent);
		return;
	}
	op_line_puts(line, indent);
	for (size_t i = 0; i < classes->n; i++)
		put_right(summary, classes->items[i].column, width_of(summary, i));
	op_line_end(line, summary->out);
	op_line_puts(line, indent);
	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_event_column *events = &summary->events[i];

		op_line_puts(line, "  samples|");
		if (events->is_shown)
			put_right(summary, events->head, events->width);
		op_line_puts(line, summary->style->columns ? "     %|" : "      %|");
	}
	op_line_end(line, summary->out);
	op_line_puts(line, indent);
	for (size_t i = 0; i < classes->n; i++)
		for (size_t k = 0; k <= width_of(summary, i); k++)
			op_line_puts(line, "-");
	op_line_tone(line, OP_TONE_PLAIN);
	op_line_end(line, summary->out);
}

/* In what is left of a line on a terminal; a tab may have eight columns. */
static void summary_put_name(struct summary *summary, const char *name)
{
	struct op_line *line = &summary->line;
	size_t used = op_line_columns(line) + (line->text[line->lead] == '\t' ? TAB - 1 : 0);
	size_t columns = summary->style->columns;

	if (!columns)
		op_line_safe(line, name);
	else
		op_line_short(line, name,
			      columns > used + LEAST_NAME ? columns - used : LEAST_NAME);
}

static void put_row(struct summary *summary, const char *indent, const uint64_t *counts,
		    const uint64_t *wholes, const struct pp_image *image)
{
	struct op_line *line = &summary->line;

	op_line_row(line, pp_weight_share(summary->profile->classes, counts, wholes, 0));
	op_line_puts(line, indent);
	for (size_t i = 0; i < summary->n_compact; i++) {
		put_blanks_and(line, "", COMPACT - 1 - SCREEN_SHARE);
		op_line_share(line, pp_weight_share(summary->profile->classes, counts, wholes, i));
		op_line_add(line, " ", 1);
	}
	for (size_t i = 0; !summary->n_compact && i < summary->profile->classes->n; i++) {
		op_line_count(line, counts[i], 9);
		op_line_add(line, " ", 1);
		if (summary->events[i].is_shown) {
			pp_event_column_put(&summary->events[i], summary->profile->classes, counts,
					    i, summary->events[i].width, line);
			op_line_add(line, " ", 1);
		}
		op_line_share(line, pp_weight_share(summary->profile->classes, counts, wholes, i));
		op_line_add(line, " ", 1);
	}
	summary_put_name(summary, summary->style->long_names ? image->full : image->base);
	op_line_end(line, summary->out);
}

/* Images get lines of their own if there are others than the application itself. */
static void put_parts(struct summary *summary, const struct entry *entry)
{
	const uint64_t *wholes =
		summary->style->global_percent ? summary->profile->totals : entry->app->counts;
	size_t n = 0, last = 0;

	if (!summary->style->libraries)
		return;
	for (size_t i = 0; i < entry->n_parts; i++) {
		if (!is_zero(summary, entry->parts[i].counts)) {
			last = i;
			n++;
		}
	}
	if (!n || (n == 1 && entry->parts[last].image->order == entry->app->order))
		return;
	summary_put_head(summary, "\t");
	for (size_t i = 0; i < entry->n_parts; i++) {
		const struct pp_part *part =
			&entry->parts[summary->style->reverse ? entry->n_parts - 1 - i : i];

		if (!is_zero(summary, part->counts) &&
		    pp_weight_share(summary->profile->classes, part->counts, wholes, 0) >=
			    summary->style->threshold)
			put_row(summary, "\t", part->counts, wholes, part->image);
	}
}

static struct entry *gather_entries(const struct pp_profile *profile, size_t *n)
{
	struct entry *entries = op_alloc(profile->n_apps, sizeof(*entries));

	*n = 0;
	for (size_t i = 0, end; i < profile->n_parts; i = end) {
		struct entry *entry = &entries[(*n)++];

		for (end = i + 1;
		     end < profile->n_parts && profile->parts[end].app == profile->parts[i].app;)
			end++;
		entry->app = profile->parts[i].app;
		entry->parts = profile->parts + i;
		entry->n_parts = end - i;
		qsort_r(entry->parts, entry->n_parts, sizeof(*entry->parts), compare_parts,
			(void *)profile->classes);
	}
	if (*n)
		qsort_r(entries, *n, sizeof(*entries), compare_entries, (void *)profile->classes);
	return entries;
}

static size_t leave_out_empty(const struct summary *summary, struct entry *entries, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!is_zero(summary, entries[i].app->counts))
			entries[kept++] = entries[i];
	return kept;
}

/* Which applications are shown; the caller frees it. */
static bool *choose_entries(const struct summary *summary, const struct entry *entries, size_t n)
{
	const struct pp_profile *profile = summary->profile;
	bool *shown = op_alloc(n + 1, sizeof(*shown));
	uint64_t most = summary->style->max_lines;

	for (size_t i = 0; i < n && (!most || i < most); i++)
		shown[i] = pp_weight_share(profile->classes, entries[i].app->counts,
					   profile->totals, 0) >= summary->style->threshold;
	return shown;
}

/* What the limit of lines leaves out. */
static void put_rest(struct summary *summary, const struct entry *entries, size_t n,
		     const bool *shown)
{
	const struct pp_classes *classes = summary->profile->classes;
	uint64_t *counts = op_alloc(classes->columns, sizeof(*counts));
	size_t n_rest = 0, blanks = 0;
	char *text;

	for (size_t i = 0; i < n; i++) {
		n_rest += !shown[i];
		if (!shown[i])
			pp_counts_add(classes, counts, entries[i].app->counts);
	}
	if (n_rest && summary->style->max_lines) {
		text = pp_rest_text(n_rest,
				    pp_weight_share(classes, counts, summary->profile->totals, 0));
		blanks = summary->n_compact * COMPACT;
		for (size_t i = 0; !summary->n_compact && i < classes->n; i++)
			blanks += width_of(summary, i) + 1;
		while (blanks--)
			op_line_puts(&summary->line, " ");
		op_line_puts(&summary->line, text);
		op_line_end(&summary->line, summary->out);
		free(text);
	}
	free(counts);
}

/* Classes that would leave names no room have percentages only, as many as there is room for. */
static void summary_choose_compact(struct summary *summary)
{
	size_t n = summary->profile->classes->n, columns = summary->style->columns;
	size_t width = LEAST_NAME, room = columns > LEAST_NAME ? columns - LEAST_NAME : 0;

	for (size_t i = 0; i < n; i++)
		width += width_of(summary, i) + 1;
	if (n < 2 || !columns || width <= columns)
		return;
	summary->n_compact = room / COMPACT < n ? room / COMPACT : n;
	summary->n_compact += !summary->n_compact;
}

void pp_report_summary(const struct pp_profile *profile, const struct pp_report_style *style,
		       FILE *out)
{
	struct summary summary = {.profile = profile, .style = style, .out = out};
	struct entry *entries;
	bool *shown;
	size_t n;

	summary.line.color = style->color;
	summary.line.brief = style->columns;
	summary.events = pp_event_columns_make(profile, style);
	summary_choose_compact(&summary);
	summary_put_head(&summary, "");
	entries = gather_entries(profile, &n);
	n = leave_out_empty(&summary, entries, n);
	shown = choose_entries(&summary, entries, n);
	for (size_t i = 0; i < n; i++) {
		size_t place = style->reverse ? n - 1 - i : i;
		const struct entry *entry = &entries[place];

		if (!shown[place])
			continue;
		put_row(&summary, "", entry->app->counts, profile->totals, entry->app);
		put_parts(&summary, entry);
	}
	put_rest(&summary, entries, n, shown);
	free(shown);
	free(entries);
	free(summary.events);
	op_line_free(&summary.line);
}
