/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page for browsers: flame graph, tables, time line and code of a profile, or of two that are
 * compared, in one file that needs no network.
 */
#ifndef PP_FORMATS_HTML_HTML_H
#define PP_FORMATS_HTML_HTML_H

#include <stdio.h>

#include "side.h"

/* Writes the page; errors are those of @out. */
void html_write(const struct html_page *page, FILE *out);

#endif
