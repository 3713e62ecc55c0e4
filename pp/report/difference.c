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

#include "libop/base/memory.h"
#include "libop/tables/name_index.h"
#include "report.h"
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
};

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
	pp_line_width(&difference->line, 12);
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

/* Of the whole profile: samples or, where these weigh differently, events. */
static uint64_t total(const struct pp_profile *profile, size_t class)
{
	return pp_weight(profile->classes, profile->totals, class);
}

static void put_percent(const struct difference *difference, double old, double new)
{
	if (old > 0)
		fprintf(difference->out, " (%+.4f %%)", 100 * (new - old) / old);
	fputc('\n', difference->out);
}

static void put_total(const struct difference *difference, const char *what, size_t class,
		      uint64_t old, uint64_t new)
{
	const struct pp_classes *classes = difference->new->classes;
	bool many = classes->n > 1;
	const char *of = many ? " of " : "", *column = many ? classes->items[class].column : "";

	fprintf(difference->out, "%s%s%s: %" PRIu64 " old, %" PRIu64 " new", what, of, column, old,
		new);
	put_percent(difference, (double)old, (double)new);
	if (!has_rates(difference))
		return;
	fprintf(difference->out, "%s%s%s a second: %.6g old, %.6g new", what, of, column,
		rate(difference->old, old), rate(difference->new, new));
	put_percent(difference, rate(difference->old, old), rate(difference->new, new));
}

/* Shares alone do not tell that there is twice as much of everything. */
static void put_totals(const struct difference *difference)
{
	const struct pp_classes *classes = difference->new->classes;

	for (size_t i = 0; i < classes->n; i++) {
		put_total(difference, "Samples", i, difference->old->totals[i],
			  difference->new->totals[i]);
		if (classes->items[i].is_weighted)
			put_total(difference, "Events", i, total(difference->old, i),
				  total(difference->new, i));
	}
}

static void put_head(struct difference *difference)
{
	if (difference->style->no_header)
		return;
	put_totals(difference);
	pp_line_tone(&difference->line, PP_TONE_HEAD);
	for (size_t i = 0; i < difference->new->classes->n; i++) {
		put_text(difference, "samples", 9);
		put_text(difference, "%", 9);
		put_text(difference, "diff %", 12);
		if (has_rates(difference))
			put_text(difference, "diff/s %", 12);
	}
	if (difference->show_image)
		put_text(difference, "image name", 25);
	if (difference->show_app)
		put_text(difference, "app name", 25);
	if (difference->symbols)
		put_text(difference, "symbol name", 30);
	pp_line_tone(&difference->line, PP_TONE_PLAIN);
	pp_line_end(&difference->line, difference->out);
}

static void put_entry(struct difference *difference, const struct entry *entry)
{
	const struct pp_profile *profile = entry->new ? difference->new : difference->old;
	bool long_names = difference->style->long_names;
	const uint64_t *counts = counts_of(entry);

	for (size_t i = 0; i < profile->classes->n; i++) {
		pp_line_cell(&difference->line);
		pp_line_width(&difference->line, 9);
		pp_line_count(&difference->line, counts[i], 0);
		pp_line_cell(&difference->line);
		pp_line_width(&difference->line, 9);
		pp_line_share(&difference->line, share(profile, counts, i));
		put_change(difference, change(difference, entry, i));
		if (has_rates(difference))
			put_change(difference, rate_change(difference, entry, i));
	}
	if (difference->show_image)
		put_text(difference,
			 long_names ? entry->image_image->full : entry->image_image->base, 25);
	if (difference->show_app)
		put_text(difference, long_names ? entry->app_image->full : entry->app_image->base,
			 25);
	if (difference->symbols)
		put_text(difference, entry->symbol, 30);
	pp_line_end(&difference->line, difference->out);
}

static void choose_columns(struct difference *difference)
{
	difference->show_image = !difference->symbols;
	for (size_t i = 0; i < difference->n; i++) {
		const struct entry *entry = &difference->entries[i];

		difference->show_image |=
			strcmp(entry->image_image->full, entry->app_image->full) != 0;
		difference->show_app |= strcmp(entry->app, difference->entries->app) != 0;
	}
	difference->show_image |= difference->show_app;
}

void pp_report_difference(const struct pp_profile *old, const struct pp_profile *new,
			  const struct pp_report_style *style, bool symbols, FILE *out)
{
	struct difference difference = {
		.old = old, .new = new, .style = style, .out = out, .symbols = symbols};

	difference.line.color = style->color;
	add_profile(&difference, old, new, false);
	add_profile(&difference, new, old, true);
	match(&difference);
	choose_columns(&difference);
	if (difference.n)
		qsort_r(difference.entries, difference.n, sizeof(struct entry), compare_counts,
			&difference);
	put_head(&difference);
	for (size_t i = 0; i < difference.n; i++) {
		const struct entry *entry =
			&difference.entries[style->reverse ? difference.n - 1 - i : i];

		if (fabs(change(&difference, entry, 0)) >= style->threshold)
			put_entry(&difference, entry);
	}
	for (size_t i = 0; i < difference.n; i++) {
		free((void *)difference.entries[i].old);
		free((void *)difference.entries[i].new);
	}
	free(difference.entries);
	pp_line_free(&difference.line);
}
