/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What oprofile-selftest checks.
 */
#ifndef UTILS_SELFTEST_CHECKS_H
#define UTILS_SELFTEST_CHECKS_H

#include "run.h"
#include "table.h"

/* What the first check finds out about the event. */
struct rate {
	char event[128];	   /* NAME:COUNT */
	double samples_per_second; /* of CPU time */
	double seconds_per_event;  /* of CPU time: of clocks, 1e-9 */
};

struct bench {
	struct run run;
	struct table table;
	struct rate rate;
	double seconds; /* of a workload */
};

/**
 * checks_begin - profile functions of known shares, which tells the rate, too
 * @shares: rows for checks_do(), CHECKS_SHARES of them
 *
 * Return: 0, or -1 with @error set: a program cannot be run, or there is no time in its samples.
 */
#define CHECKS_SHARES 3
int checks_begin(struct bench *bench, struct row shares[CHECKS_SHARES], struct op_error *error);

/* Does all other checks, and adds rows to the table as they come.  Return: as checks_begin(). */
int checks_do(struct bench *bench, struct op_error *error);

#endif
