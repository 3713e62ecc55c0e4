/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of oprofile-selftest: what was measured beside what is true.
 */
#ifndef UTILS_SELFTEST_TABLE_H
#define UTILS_SELFTEST_TABLE_H

#include <stdbool.h>
#include <stdio.h>

enum unit {
	UNIT_PERCENT, /* of numbers from 0 to 100 */
	UNIT_MS,
	UNIT_BYTES,
	UNIT_SAMPLES,
	UNIT_LINE,
};

struct row {
	const char *name;
	enum unit unit;
	double truth, measured, within; /* in the unit; NAN: there is none */
	const char *skipped;		/* why nothing was measured; NULL: it was */
	char remark[80];		/* what else there is to know, or "" */
};

struct table {
	FILE *out;
	unsigned int ok, off, skipped;
};

/* Whether it is true within what the row allows: what is not a number is not. */
bool row_is_ok(const struct row *row);

/**
 * row_of_share - a row for a share, in percent
 * @truth: from 0 to 1
 * @part, @whole: what was measured, in events
 * @samples: of @whole; the bound is three standard errors of so many
 */
struct row row_of_share(const char *name, double truth, double part, double whole, double samples);

/* Writes the heads of columns. */
void table_begin(struct table *table, FILE *out);

/* Writes a row at once, and counts its verdict. */
void table_add(struct table *table, const struct row *row);

/* Writes how many rows there are of each verdict. */
void table_end(const struct table *table);

#endif
