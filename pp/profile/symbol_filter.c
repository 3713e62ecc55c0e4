// SPDX-License-Identifier: GPL-2.0-or-later
/* The symbols that a report shows. */
#include "symbol_filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

/* Names that resemble a pattern, and how many edits make one name of another. */
#define SIMILAR_MAX 3
#define EDITS_MAX   2
#define EDITED_MAX  64 /* bytes of the longest name that is compared by edits */

struct pp_symbol_pattern {
	const char *text;
	const char *option;
	bool is_glob, has_matched;
	char *similar[SIMILAR_MAX];
	size_t n_similar;
};

static void add_patterns(struct pp_symbol_filter *filter, const struct op_strings *list,
			 const char *option)
{
	for (size_t i = 0; i < list->count; i++)
		filter->patterns[filter->n++] = (struct pp_symbol_pattern){
			.text = list->item[i],
			.option = option,
			.is_glob = strpbrk(list->item[i], "*?[") != NULL,
		};
}

void pp_symbol_filter_init(struct pp_symbol_filter *filter, const struct op_strings *included,
			   const struct op_strings *excluded)
{
	*filter = (struct pp_symbol_filter){
		.patterns =
			pp_alloc(included->count + excluded->count + 1, sizeof(*filter->patterns)),
		.n_included = included->count,
	};
	add_patterns(filter, included, "--include-symbols");
	add_patterns(filter, excluded, "--exclude-symbols");
}

void pp_symbol_filter_free(struct pp_symbol_filter *filter)
{
	for (size_t i = 0; i < filter->n; i++)
		for (size_t k = 0; k < filter->patterns[i].n_similar; k++)
			free(filter->patterns[i].similar[k]);
	free(filter->patterns);
	*filter = (struct pp_symbol_filter){0};
}

/* ---- names that resemble a pattern ---- */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Levenshtein's distance; both texts are at most EDITED_MAX bytes long. */
static size_t edits_between(const char *a, const char *b)
{
	size_t row[EDITED_MAX + 1], n = strlen(b);

	for (size_t k = 0; k <= n; k++)
		row[k] = k;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t k = 1; k <= n; k++) {
			size_t replaced = diagonal + (a[i] != b[k - 1]);

			diagonal = row[k];
			row[k] = least(replaced, least(row[k], row[k - 1]) + 1);
		}
	}
	return row[n];
}

static bool resembles(const char *pattern, const char *name)
{
	size_t n = strlen(pattern), k = strlen(name);

	if (strcasestr(name, pattern))
		return true;
	return n > EDITS_MAX + 1 && n <= EDITED_MAX && k <= EDITED_MAX &&
	       edits_between(pattern, name) <= EDITS_MAX;
}

static void note_similar(struct pp_symbol_pattern *pattern, const char *name)
{
	if (pattern->is_glob || pattern->n_similar == SIMILAR_MAX ||
	    !resembles(pattern->text, name))
		return;
	for (size_t i = 0; i < pattern->n_similar; i++)
		if (!strcmp(pattern->similar[i], name))
			return;
	pattern->similar[pattern->n_similar++] = pp_copy(name);
}

/* ---- matching ---- */

static bool matches(struct pp_symbol_pattern *pattern, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(pattern->text, names[i]) ||
		    (pattern->is_glob && !fnmatch(pattern->text, names[i], 0))) {
			pattern->has_matched = true;
			return true;
		}
	if (!pattern->has_matched && n)
		note_similar(pattern, names[n - 1]);
	return false;
}

bool pp_symbol_filter_hides(struct pp_symbol_filter *filter, const char *const *names, size_t n)
{
	bool included = !filter->n_included, excluded = false;

	/* All patterns are tried: each has to be noted. */
	for (size_t i = 0; i < filter->n; i++) {
		bool does = matches(&filter->patterns[i], names, n);

		if (i < filter->n_included)
			included |= does;
		else
			excluded |= does;
	}
	return excluded || !included;
}

/* ---- patterns without a match ---- */

static void describe(const struct pp_symbol_pattern *pattern, struct op_error *error)
{
	char similar[256] = "";

	for (size_t i = 0, at = 0; i < pattern->n_similar && at < sizeof(similar); i++)
		at += (size_t)snprintf(similar + at, sizeof(similar) - at, "%s%s",
				       i ? ", " : "; similar: ", pattern->similar[i]);
	op_error_set(error, ENOENT, "%s=%s: no symbol with samples matches%s", pattern->option,
		     pattern->text, similar);
}

int pp_symbol_filter_check(const struct pp_symbol_filter *filter, struct op_error *error)
{
	bool any = !filter->n_included;

	for (size_t i = 0; i < filter->n_included; i++)
		any |= filter->patterns[i].has_matched;
	for (size_t i = 0; i < filter->n; i++) {
		if (filter->patterns[i].has_matched)
			continue;
		describe(&filter->patterns[i], error);
		if (!any)
			return -1;
		op_warn("%s", error->text);
	}
	return 0;
}
