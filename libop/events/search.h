/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searching events by words.
 */
#ifndef LIBOP_EVENTS_SEARCH_H
#define LIBOP_EVENTS_SEARCH_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "catalogue.h"
#include "libop/base/error.h"

struct search {
	regex_t *word; /* all must match; none: every event is found */
	size_t count;
};

/**
 * search_compile - prepare a search
 * @words: words between blanks, each an extended regular expression; the case of letters does
 *	not matter; NULL: find every event
 *
 * Return: 0, or -1 with @error set.  search_free() frees what @search holds.
 */
int search_compile(struct search *search, const char *words, struct op_error *error);
void search_free(struct search *search);

/* Has the event, in its name, description or unit masks, all the words? */
bool search_finds(const struct search *search, const struct op_catalogue_event *event);

#endif
