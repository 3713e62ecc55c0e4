// SPDX-License-Identifier: GPL-2.0-or-later
/* The symbols that a report shows. */
#include "symbol_filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/similar.h"

#define SIMILAR_MAX 3 /* names that resemble a pattern */

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
			op_alloc(included->count + excluded->count + 1, sizeof(*filter->patterns)),
		.n_included = included->count,
	};
	add_patterns(filter, included, "--include-symbols");
	add_patterns(filter, excluded, "--exclude-symbols");
}

void pp_symbol_filter_init_limits(struct pp_symbol_filter *filter, const struct op_strings *limits)
{
	*filter = (struct pp_symbol_filter){
		.patterns = op_alloc(limits->count + 1, sizeof(*filter->patterns)),
	};
	add_patterns(filter, limits, "--fail-above");
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

static void note_similar(struct pp_symbol_pattern *pattern, const char *name)
{
	if (pattern->is_glob || pattern->n_similar == SIMILAR_MAX ||
	    op_similarity(pattern->text, name) == OP_NOT_SIMILAR)
		return;
	for (size_t i = 0; i < pattern->n_similar; i++)
		if (!strcmp(pattern->similar[i], name))
			return;
	pattern->similar[pattern->n_similar++] = op_copy(name);
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

uint64_t pp_symbol_filter_limits(struct pp_symbol_filter *filter, const char *const *names,
				 size_t n)
{
	uint64_t limits = 0;

	for (size_t i = 0; i < filter->n; i++)
		limits |= (uint64_t)matches(&filter->patterns[i], names, n) << i;
	return limits;
}

/* ---- patterns without a match ---- */

static void describe(const struct pp_symbol_pattern *pattern, struct op_error *error)
{
	char similar[256] = "";

	for (size_t i = 0, at = 0; i < pattern->n_similar && at < sizeof(similar); i++)
		at += (size_t)snprintf(similar + at, sizeof(similar) - at, "%s%s",
				       i ? " or " : "; did you mean ", pattern->similar[i]);
	op_error_set(error, ENOENT, "%s=%s: no symbol with samples matches%s%s", pattern->option,
		     pattern->text, similar, *similar ? "?" : "");
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

void pp_symbol_filter_warn(const struct pp_symbol_filter *filter)
{
	struct op_error text;

	for (size_t i = 0; i < filter->n; i++) {
		if (filter->patterns[i].has_matched)
			continue;
		describe(&filter->patterns[i], &text);
		op_warn("%s", text.text);
	}
}
