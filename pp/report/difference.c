// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Differences of two profiles: by how many percent the share of each symbol, or image, has
 * changed.  Counts are those of the new profile, or of the old one if the new one has none.
 *
 * An image of one profile is that of the other with the same path, or else with the same base
 * name: builds of one program stand in directories of their own.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "largest.h"
#include "libop/base/memory.h"
#include "libop/tables/name_index.h"
#include "report.h"
#include "sentences.h"
#include "pp/select/weights.h"
#include "libop/text/cells.h"
#include "pp/symbols/image_identity.h"

/* A symbol or an image in an application, in one profile or both. */
struct entry {
	const char *app, *image; /* what identifies them in both profiles */
	const char *key;	 /* likewise; "" for images */
	const char *symbol;	 /* as it is shown */
	const struct pp_image *app_image, *image_image;
	const uint64_t *old, *new; /* by class, or NULL */
};

/* A profile, and what identifies its images in the other one, by index. */
struct side {
	const struct pp_profile *profile;
	const char **apps, **images;
	bool is_new;
};

struct difference {
	const struct pp_profile *old, *new;
	const struct pp_report_style *style;
	FILE *out;
	struct pp_line line;
	struct entry *entries;
	size_t n, capacity;
	bool symbols, show_image, show_app;
	size_t name_width; /* of image and application */
};

/* Widths of cells; LEAST_NAME is one on a terminal. */
enum { WIDTH_NUMBER = 9, WIDTH_CHANGE = 12, WIDTH_NAME = 25, WIDTH_SYMBOL = 30, LEAST_NAME = 12 };

/* The name of an image without directories and without what tells builds apart. */
static const char *plain_name(const struct pp_image *image)
{
	struct pp_image_identity identity;
	const char *slash;

	if (image->id->kind != OP_IMAGE_FILE)
		return image->base;
	pp_image_identity_parse(&identity, image->id->name);
	slash = strrchr(identity.path, '/');
	return slash && slash[1] ? slash + 1 : image->base;
}

/* What identifies each of the @n images of a profile in the other one, which has @others. */
static const char **identify(const struct pp_image *images, size_t n, const struct pp_image *others,
			     size_t n_others)
{
	const char **names = pp_alloc(n + 1, sizeof(*names));
	struct pp_names known = {0};
	size_t n_known;

	/* A session may have hundreds of thousands of images. */
	for (size_t k = 0; k < n_others; k++)
		pp_names_index(&known, others[k].full);
	n_known = known.n;
	for (size_t i = 0; i < n; i++)
		names[i] = pp_names_index(&known, images[i].full) < n_known
				   ? images[i].full
				   : plain_name(&images[i]);
	pp_names_free(&known);
	return names;
}

static struct side side_of(const struct pp_profile *profile, const struct pp_profile *other,
			   bool is_new)
{
	return (struct side){
		.profile = profile,
		.apps = identify(profile->apps, profile->n_apps, other->apps, other->n_apps),
		.images = identify(profile->images, profile->n_images, other->images,
				   other->n_images),
		.is_new = is_new,
	};
}

/* @symbol is NULL for images. */
static void add_entry(struct difference *difference, const struct side *side,
		      const struct pp_image *app, const struct pp_image *image, const char *symbol,
		      const uint64_t *counts)
{
	struct entry *entry;

	difference->entries = pp_grow(difference->entries, &difference->capacity, difference->n + 1,
				      sizeof(*entry));
	entry = &difference->entries[difference->n++];
	memset(entry, 0, sizeof(*entry));
	entry->app = side->apps[app - side->profile->apps];
	entry->image = side->images[image - side->profile->images];
	entry->symbol = symbol ? symbol : "";
	/* Code without symbols has the path of its image for a symbol. */
	entry->key = strcmp(entry->symbol, image->full) ? entry->symbol : entry->image;
	entry->app_image = app;
	entry->image_image = image;
	*(side->is_new ? &entry->new : &entry->old) = counts;
}

static void add_profile(struct difference *difference, const struct pp_profile *profile,
			const struct pp_profile *other, bool is_new)
{
	struct side side = side_of(profile, other, is_new);

	if (difference->symbols)
		for (size_t i = 0; i < profile->n_rows; i++)
			add_entry(difference, &side, profile->rows[i]->app, profile->rows[i]->image,
				  profile->rows[i]->symbol, profile->rows[i]->counts);
	else
		for (size_t i = 0; i < profile->n_parts; i++)
			add_entry(difference, &side, profile->parts[i].app, profile->parts[i].image,
				  NULL, profile->parts[i].counts);
	free(side.apps);
	free(side.images);
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
		     bool is_new)
{
	const struct pp_profile *profile = is_new ? difference->new : difference->old;
	uint64_t *total = NULL;

	for (size_t i = 0; i < n; i++) {
		const uint64_t *counts = is_new ? entries[i].new : entries[i].old;

		if (!counts)
			continue;
		if (!total)
			total = pp_alloc(profile->classes->columns, sizeof(*total));
		pp_counts_add(profile->classes, total, counts);
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
			if (difference->entries[end++].new) /* shown as the new one */
				entry = difference->entries[end - 1];
		entry.old = sum(difference, difference->entries + i, end - i, false);
		entry.new = sum(difference, difference->entries + i, end - i, true);
		difference->entries[kept++] = entry;
	}
	difference->n = kept;
}

static const uint64_t *counts_of(const struct entry *entry)
{
	return entry->new ? entry->new : entry->old;
}

static int compare_shown(const struct entry *left, const struct entry *right)
{
	int order = strcmp(left->app_image->full, right->app_image->full);

	order = order ? order : strcmp(left->image_image->full, right->image_image->full);
	return order ? order : strcmp(left->symbol, right->symbol);
}

static uint64_t weight_of(const struct difference *difference, const struct entry *entry)
{
	const struct pp_profile *profile = entry->new ? difference->new : difference->old;

	return pp_weight(profile->classes, counts_of(entry), 0);
}

static int compare_counts(const void *a, const void *b, void *difference)
{
	uint64_t left = weight_of(difference, a), right = weight_of(difference, b);

	return left != right ? (left < right ? 1 : -1) : compare_shown(a, b);
}

/* How many a second; 0: the sessions do not say for how long they were sampled. */
static double rate(const struct pp_profile *profile, uint64_t n)
{
	uint64_t ns = profile->head.duration_ns;

	return ns ? (double)n * 1e9 / (double)ns : 0;
}

static bool has_rates(const struct difference *difference)
{
	return difference->old->head.duration_ns && difference->new->head.duration_ns;
}

static double share(const struct pp_profile *profile, const uint64_t *counts, size_t class)
{
	return counts ? pp_weight_share(profile->classes, counts, profile->totals, class) : 0;
}

/* In percent of @old; INFINITY if there was none, -INFINITY if there is none left. */
static double change_of(double old, double new)
{
	if (old == 0)
		return new == 0 ? 0 : INFINITY;
	return new == 0 ? -INFINITY : 100 * (new - old) / old;
}

/* Of the share. */
static double change(const struct difference *difference, const struct entry *entry, size_t class)
{
	return change_of(share(difference->old, entry->old, class),
			 share(difference->new, entry->new, class));
}

/* Of the events, or samples, a second. */
static double rate_change(const struct difference *difference, const struct entry *entry,
			  size_t class)
{
	const struct pp_profile *old = difference->old, *new = difference->new;

	return change_of(entry->old ? rate(old, pp_weight(old->classes, entry->old, class)) : 0,
			 entry->new ? rate(new, pp_weight(new->classes, entry->new, class)) : 0);
}

static void put_change(struct difference *difference, double value)
{
	char text[32];

	if (isinf(value))
		snprintf(text, sizeof(text), "%s", value > 0 ? "+++" : "---");
	else
		snprintf(text, sizeof(text), "%+.4f", value);
	pp_line_cell(&difference->line);
	pp_line_width(&difference->line, WIDTH_CHANGE);
	if (value > 0)
		pp_line_tone(&difference->line, PP_TONE_ALARM);
	pp_line_puts(&difference->line, text);
	if (value > 0)
		pp_line_tone(&difference->line, PP_TONE_PLAIN);
}

static void put_text(struct difference *difference, const char *text, size_t width)
{
	pp_line_cell(&difference->line);
	pp_line_width(&difference->line, width);
	pp_line_safe(&difference->line, text);
}

/* A name, the last one of a line or not; on a terminal the line holds it. */
static void put_name(struct difference *difference, const char *name, size_t width, bool is_last)
{
	const size_t columns = difference->style->columns;
	size_t used;

	if (!columns) {
		put_text(difference, name, width);
		return;
	}
	pp_line_cell(&difference->line);
	pp_line_width(&difference->line, width);
	used = pp_line_columns(&difference->line);
	if (is_last)
		width = columns > used + LEAST_NAME ? columns - used + 1 : LEAST_NAME + 1;
	pp_line_short(&difference->line, name, width - 1);
}

static const char *name_of(const struct difference *difference, const struct pp_image *image)
{
	return difference->style->long_names ? image->full : image->base;
}

/* Of the whole profile: samples or, where these weigh differently, events. */
static uint64_t total(const struct pp_profile *profile, size_t class)
{
	return pp_weight(profile->classes, profile->totals, class);
}

static void put_percent(double old, double new, FILE *out)
{
	if (old > 0)
		fprintf(out, " (%+.4f %%)", 100 * (new - old) / old);
	fputc('\n', out);
}

static void put_total(const struct difference *difference, const char *what, size_t class,
		      uint64_t old, uint64_t new, FILE *out)
{
	const struct pp_classes *classes = difference->new->classes;
	bool many = classes->n > 1;
	const char *of = many ? " of " : "", *column = many ? classes->items[class].column : "";

	fprintf(out, "%s%s%s: %" PRIu64 " old, %" PRIu64 " new", what, of, column, old, new);
	put_percent((double)old, (double)new, out);
	if (!has_rates(difference))
		return;
	fprintf(out, "%s%s%s a second: %.6g old, %.6g new", what, of, column,
		rate(difference->old, old), rate(difference->new, new));
	put_percent(rate(difference->old, old), rate(difference->new, new), out);
}

/* Shares alone do not tell that there is twice as much of everything. */
static void put_totals(const struct difference *difference, FILE *out)
{
	const struct pp_classes *classes = difference->new->classes;

	for (size_t i = 0; i < classes->n; i++) {
		put_total(difference, "Samples", i, difference->old->totals[i],
			  difference->new->totals[i], out);
		if (classes->items[i].is_weighted)
			put_total(difference, "Events", i, total(difference->old, i),
				  total(difference->new, i), out);
	}
}

static void put_head(struct difference *difference)
{
	struct pp_sentences sentences;

	if (difference->style->no_header)
		return;
	pp_sentences_begin(&sentences, difference->style->columns, difference->out);
	put_totals(difference, sentences.file);
	pp_sentences_end(&sentences);
	pp_line_tone(&difference->line, PP_TONE_HEAD);
	for (size_t i = 0; i < difference->new->classes->n; i++) {
		put_text(difference, "samples", WIDTH_NUMBER);
		put_text(difference, "%", WIDTH_NUMBER);
		put_text(difference, "diff %", WIDTH_CHANGE);
		if (has_rates(difference))
			put_text(difference, "diff/s %", WIDTH_CHANGE);
	}
	if (difference->show_image)
		put_text(difference, "image name", difference->name_width);
	if (difference->show_app)
		put_text(difference, "app name", difference->name_width);
	if (difference->symbols)
		put_text(difference, "symbol name", WIDTH_SYMBOL);
	pp_line_tone(&difference->line, PP_TONE_PLAIN);
	pp_line_end(&difference->line, difference->out);
}

static void put_entry(struct difference *difference, const struct entry *entry)
{
	const struct pp_profile *profile = entry->new ? difference->new : difference->old;
	bool has_app = difference->show_app, has_symbol = difference->symbols;
	const uint64_t *counts = counts_of(entry);

	for (size_t i = 0; i < profile->classes->n; i++) {
		pp_line_cell(&difference->line);
		pp_line_width(&difference->line, WIDTH_NUMBER);
		pp_line_count(&difference->line, counts[i], 0);
		pp_line_cell(&difference->line);
		pp_line_width(&difference->line, WIDTH_NUMBER);
		pp_line_share(&difference->line, share(profile, counts, i));
		put_change(difference, change(difference, entry, i));
		if (has_rates(difference))
			put_change(difference, rate_change(difference, entry, i));
	}
	if (difference->show_image)
		put_name(difference, name_of(difference, entry->image_image),
			 difference->name_width, !has_app && !has_symbol);
	if (has_app)
		put_name(difference, name_of(difference, entry->app_image), difference->name_width,
			 !has_symbol);
	if (has_symbol)
		put_name(difference, entry->symbol, WIDTH_SYMBOL, true);
	pp_line_end(&difference->line, difference->out);
}

static size_t numbers_width(const struct difference *difference)
{
	size_t changes = has_rates(difference) ? 2 : 1;

	return difference->new->classes->n *(2 * WIDTH_NUMBER + changes * WIDTH_CHANGE);
}

static void choose_columns(struct difference *difference)
{
	size_t columns = difference->style->columns, numbers = numbers_width(difference), left;

	difference->show_image = !difference->symbols;
	for (size_t i = 0; i < difference->n; i++) {
		const struct entry *entry = &difference->entries[i];

		difference->show_image |=
			strcmp(entry->image_image->full, entry->app_image->full) != 0;
		difference->show_app |= strcmp(entry->app, difference->entries->app) != 0;
	}
	difference->show_image |= difference->show_app;
	difference->name_width = WIDTH_NAME;
	if (!columns)
		return;
	left = columns > numbers ? columns - numbers : 0;
	difference->name_width = left > 3 * LEAST_NAME ? left / 3 : LEAST_NAME;
}

static bool is_changed(const struct difference *difference, const struct entry *entry)
{
	return fabs(change(difference, entry, 0)) >= difference->style->threshold;
}

/* Which entries are shown; the caller frees it. */
static bool *choose_entries(const struct difference *difference)
{
	uint64_t *weights = pp_alloc(difference->n + 1, sizeof(*weights));
	bool *shown;

	for (size_t i = 0; i < difference->n; i++)
		weights[i] = is_changed(difference, &difference->entries[i])
				     ? weight_of(difference, &difference->entries[i]) + 1
				     : 0;
	shown = pp_largest(weights, difference->n, difference->style->max_lines);
	for (size_t i = 0; i < difference->n; i++)
		shown[i] &= weights[i] > 0;
	free(weights);
	return shown;
}

/* What the limit of lines leaves out has the share of the new profile. */
static void put_rest(struct difference *difference, const bool *shown)
{
	const struct pp_classes *classes = difference->new->classes;
	uint64_t *counts = pp_alloc(classes->columns, sizeof(*counts));
	size_t n = 0;
	char *text;

	for (size_t i = 0; i < difference->n; i++) {
		const struct entry *entry = &difference->entries[i];

		n += !shown[i];
		if (!shown[i] && entry->new)
			pp_counts_add(classes, counts, entry->new);
	}
	if (n && difference->style->max_lines) {
		text = pp_rest_text(n, share(difference->new, counts, 0));
		put_text(difference, "", numbers_width(difference));
		put_text(difference, text, 0);
		pp_line_end(&difference->line, difference->out);
		free(text);
	}
	free(counts);
}

void pp_report_difference(const struct pp_profile *old, const struct pp_profile *new,
			  const struct pp_report_style *style, bool symbols, FILE *out)
{
	struct difference difference = {
		.old = old, .new = new, .style = style, .out = out, .symbols = symbols};
	bool *shown;

	difference.line.color = style->color;
	add_profile(&difference, old, new, false);
	add_profile(&difference, new, old, true);
	match(&difference);
	choose_columns(&difference);
	if (difference.n)
		qsort_r(difference.entries, difference.n, sizeof(struct entry), compare_counts,
			&difference);
	put_head(&difference);
	shown = choose_entries(&difference);
	for (size_t i = 0; i < difference.n; i++) {
		size_t place = style->reverse ? difference.n - 1 - i : i;

		if (shown[place])
			put_entry(&difference, &difference.entries[place]);
	}
	put_rest(&difference, shown);
	free(shown);
	for (size_t i = 0; i < difference.n; i++) {
		free((void *)difference.entries[i].old);
		free((void *)difference.entries[i].new);
	}
	free(difference.entries);
	pp_line_free(&difference.line);
}
