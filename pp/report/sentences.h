/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sentences of a report: its head, notes and losses, which are not a table.  On a terminal their
 * lines are broken between words.
 */
#ifndef PP_REPORT_SENTENCES_H
#define PP_REPORT_SENTENCES_H

#include <stddef.h>
#include <stdio.h>

struct pp_sentences {
	FILE *out;  /* of the report */
	FILE *file; /* to write the sentences to */
	size_t columns, n;
	char *text;
};

/* @columns: of a line; 0: lines stay as they are, and the file is @out. */
void pp_sentences_begin(struct pp_sentences *sentences, size_t columns, FILE *out);
void pp_sentences_end(struct pp_sentences *sentences);

#endif
