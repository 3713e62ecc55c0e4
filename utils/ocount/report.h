/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts as text: a table, CSV or JSON.
 */
#ifndef UTILS_OCOUNT_REPORT_H
#define UTILS_OCOUNT_REPORT_H

#include <stdio.h>

#include "counts.h"

/* struct report - what all reports of a run have in common */
struct report {
	FILE *out;
	enum format format;
	const char *what;  /* was counted: "ls -l", "all CPUs" */
	const char *place; /* "CPU" or "Task ID"; NULL: places are not reported separately */
	bool intervals;
	bool begun; /* the heading of CSV is there */
};

/**
 * report_write - write what was counted since the last report
 * @seconds: that took
 * @since: seconds since counting began
 *
 * Return: 0, or -1 with @error set.
 */
int report_write(struct report *report, struct counts *counts, double seconds, double since,
		 struct op_error *error);

#endif
