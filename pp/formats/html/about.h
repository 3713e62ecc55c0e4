/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page says in words: facts of the profiles, names, code; as JSON (columns.h). */
#ifndef PP_FORMATS_HTML_ABOUT_H
#define PP_FORMATS_HTML_ABOUT_H

#include <stdbool.h>
#include <stdio.h>

#include "listings.h"
#include "side.h"
#include "stack_tree.h"
#include "verdicts.h"

/**
 * about_write - write the JSON of a page
 * @listings: of @tree
 * @periods: by event: how many a sample stands for; 0: they differ, or there are none
 */
void about_write(const struct html_page *page, const struct stack_tree *tree,
		 struct listings *listings, const struct verdicts *verdicts,
		 const uint64_t *periods, FILE *out);

#endif
