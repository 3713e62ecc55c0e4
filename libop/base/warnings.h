/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Warnings with counts, for errors that do not stop a report: the first few of each kind are
 * printed, then their number.  A session may have thousands of missing images.
 */
#ifndef LIBOP_BASE_WARNINGS_H
#define LIBOP_BASE_WARNINGS_H

#include <stdbool.h>

enum op_warning_kind {
	OP_BAD_NAME,	  /* a file below {root} or {kern} that is named like no sample file */
	OP_BAD_FILE,	  /* a sample file that can't be read or is damaged */
	OP_BAD_DIRECTORY, /* a directory of the session that can't be read */
	OP_NO_IMAGE,	  /* an image that is missing or can't be read */
	OP_BAD_IMAGE,	  /* an image that is no valid object file */
	OP_OLD_IMAGE,	  /* an image that was changed after it was profiled */
	OP_NO_SYMBOLS,	  /* a kernel image without saved symbols */
	OP_BAD_KALLSYMS,  /* the saved symbols of a session that can't be read */
	OP_NO_SOURCE,	  /* a source file that is missing or can't be read */
	OP_NO_LINES,	  /* a file whose debug information can't be read */
	OP_WARNING_KINDS
};

struct op_warnings {
	unsigned long n[OP_WARNING_KINDS];
	bool verbose; /* print all warnings */
	bool silent;  /* print none: what is read again was warned of before */
};

/* Counts a warning, and prints it if it is among the first of its kind. */
void op_warnings_add(struct op_warnings *warnings, enum op_warning_kind kind, const char *format,
		     ...) __attribute__((format(printf, 3, 4)));

/* Prints the number of warnings of each kind that were only counted. */
void op_warnings_summarize(const struct op_warnings *warnings);

#endif
