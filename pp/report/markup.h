/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts in reports for programs.  Names of files and symbols are any bytes; what is no UTF-8,
 * or a character that XML does not have, becomes U+FFFD, so that the report stays valid.
 */
#ifndef PP_MARKUP_H
#define PP_MARKUP_H

#include "libop/text/cells.h"

/* Adds @text for use between quotation marks in XML. */
void pp_markup_xml(struct pp_line *line, const char *text);
/* Adds @text as a JSON string, with its quotation marks. */
void pp_markup_json(struct pp_line *line, const char *text);
/* Adds @text as a CSV field (RFC 4180), quoted if it needs to be; bytes as they are. */
void pp_markup_csv(struct pp_line *line, const char *text);

#endif
