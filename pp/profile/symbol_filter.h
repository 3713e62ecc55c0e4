/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols that a report shows: --include-symbols and --exclude-symbols; and those that have a
 * limit: --fail-above.
 *
 * A pattern matches a symbol by any of its names: that of the symbol table, those of its aliases,
 * the demangled name with and without parameters, or the name that the report prints.  A pattern
 * with the characters *, ? or [ is a glob unless a name is equal to it.
 *
 * A pattern that matches nothing is told, with names that resemble it: an empty report does not
 * say that a name was misspelt.
 */
#ifndef PP_PROFILE_SYMBOL_FILTER_H
#define PP_PROFILE_SYMBOL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"

struct pp_symbol_pattern;

struct pp_symbol_filter {
	struct pp_symbol_pattern *patterns; /* those of --include-symbols first */
	size_t n_included, n;
};

/*
 * pp_symbol_filter_init - prepare a filter
 * @included: patterns of symbols to show; empty: all
 * @excluded: patterns of symbols to hide; both lists must live as long as the filter
 */
void pp_symbol_filter_init(struct pp_symbol_filter *filter, const struct op_strings *included,
			   const struct op_strings *excluded);
void pp_symbol_filter_free(struct pp_symbol_filter *filter);

/* pp_symbol_filter_init_limits - prepare a filter of up to 64 patterns that hides nothing, for
 * pp_symbol_filter_limits(); the list must live as long as it. */
void pp_symbol_filter_init_limits(struct pp_symbol_filter *filter, const struct op_strings *limits);

/* Which patterns match the symbol with these @n names, bit by bit.  Notes them. */
uint64_t pp_symbol_filter_limits(struct pp_symbol_filter *filter, const char *const *names,
				 size_t n);

/* Warns of each pattern that has not matched. */
void pp_symbol_filter_warn(const struct pp_symbol_filter *filter);

/* True if the symbol with these @n names is hidden.  Notes which patterns match. */
bool pp_symbol_filter_hides(struct pp_symbol_filter *filter, const char *const *names, size_t n);

/**
 * pp_symbol_filter_check - after all symbols were filtered, tell of patterns without a match
 *
 * Warns of each such pattern.  Return: 0, or -1 with @error set (ENOENT): there are patterns to
 * include, and none of them has matched.
 */
int pp_symbol_filter_check(const struct pp_symbol_filter *filter, struct op_error *error);

#endif
