/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What makes a report doubtful, each in a line above its table, with what helps: shares of more
 * than 1 % that were lost, paused or are in files that were not found, files that are not those
 * that were profiled, and too few samples.  What has no name is summed up in unnamed.h.
 */
#ifndef PP_REPORT_NOTES_H
#define PP_REPORT_NOTES_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/strings.h"
#include "pp/profile/loss.h"
#include "pp/profile/profile.h"

/* What a report has, and what is asked for. */
struct pp_notes_request {
	bool symbols; /* rows of symbols */
	bool chains;  /* something of call chains */
	bool stacks;  /* something that needs whole stacks */
	bool trees;   /* for which single calls are not enough */
	bool all;     /* tell of files that were not found and have less than 1 %, too */
};

/**
 * pp_notes_find - find what is to be said of a report
 * @notes: an empty list; op_strings_free() frees it
 */
void pp_notes_find(struct op_strings *notes, const struct pp_profile *profile,
		   const struct pp_loss *loss, const struct pp_notes_request *request);

/* Writes them, for the head of a report in text. */
void pp_notes_write(const struct op_strings *notes, bool color, FILE *out);

/* Writes a line like those of notes, for the end of a report. */
void pp_note_write(const char *note, bool color, FILE *out);

#endif
