/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What went wrong on the way to a report without stopping it: a warning for the first few
 * of each kind, then their number.  A session may hold thousands of images that are gone;
 * nobody reads thousands of warnings.
 */
#ifndef PP_TROUBLE_H
#define PP_TROUBLE_H

#include <stdbool.h>

enum pp_trouble_kind {
	PP_BAD_NAME,	  /* a file below {root} or {kern} that is named like no sample file */
	PP_BAD_FILE,	  /* a sample file that can't be read or is damaged */
	PP_BAD_DIRECTORY, /* a directory of the session that can't be read */
	PP_NO_IMAGE,	  /* an image that is missing or can't be read */
	PP_BAD_IMAGE,	  /* an image that is no valid object file */
	PP_OLD_IMAGE,	  /* an image that was changed after it was profiled */
	PP_NO_SYMBOLS,	  /* a kernel image without saved symbols */
	PP_BAD_KALLSYMS,  /* the saved symbols of a session that can't be read */
	PP_NO_SOURCE,	  /* a source file that is missing or can't be read */
	PP_TROUBLES
};

struct pp_trouble {
	unsigned long n[PP_TROUBLES];
	bool verbose; /* warn of each */
};

/* Counts one, and warns of it if it is among the first of its kind. */
void pp_trouble_add(struct pp_trouble *trouble, enum pp_trouble_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Warns of the number of those that were only counted. */
void pp_trouble_sum_up(const struct pp_trouble *trouble);

#endif
