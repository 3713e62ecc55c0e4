/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page says in words: facts of the profiles, names, code; as JSON (columns.h). */
#ifndef PP_FORMATS_HTML_ABOUT_H
#define PP_FORMATS_HTML_ABOUT_H

#include <stdbool.h>
#include <stdio.h>

#include "side.h"
#include "stack_tree.h"

/**
 * about_write - write the JSON of a page
 * @weighted: by event: samples stand for different numbers of events
 *
 * Functions of listed code are added to @tree.
 */
void about_write(const struct html_page *page, struct stack_tree *tree, const bool *weighted,
		 FILE *out);

#endif
