/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What chance makes of numbers of samples: the one place that says whether two of them differ by
 * more than that, for text and pages, and how far a number may be off.
 *
 * Samples of work in bursts are not independent of each other: how much a number varies is to be
 * seen from several runs or, as far as runs are alike, from slices of the time of one.  Where there
 * are neither, it is known only that chance makes no less than of independent samples.
 */
#ifndef PP_STATISTICS_CHANCE_H
#define PP_STATISTICS_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the variance of a number is known from. */
enum pp_evidence {
	PP_FROM_NOTHING,
	PP_FROM_SLICES, /* of the time of one run, one after another and of one length */
	PP_FROM_RUNS,	/* in any order */
};

/* A rate: numbers of samples, or of events, in units: of runs, of seconds, of samples of all. */
struct pp_estimate {
	enum pp_evidence evidence;
	uint64_t samples; /* all of them */
	double units;	  /* of all; above 0 */
	double value;	  /* the number in a unit */
	double variance;  /* of the value */
	double freedom;	  /* degrees of freedom of the variance */
};

/**
 * pp_estimate_make - estimate a rate, and how much it varies
 * @evidence: what the parts are; PP_FROM_NOTHING if there are fewer than two
 * @samples: of all of them
 * @numbers, @units: of each of @n parts, 1 or more; some units are above 0
 */
struct pp_estimate pp_estimate_make(enum pp_evidence evidence, uint64_t samples,
				    const double *numbers, const double *units, size_t n);

/* By how much the value may be off, with PP_CONFIDENCE; there must be evidence. */
double pp_estimate_margin(const struct pp_estimate *estimate);

enum pp_verdict {
	PP_IS_CHANGE, /* chance makes so much of what is alike one time in twenty */
	PP_MAY_BE_CHANCE,
	PP_CANNOT_TELL, /* more than chance makes of independent samples; nothing else is known */
};

/**
 * pp_chance_judge - whether two rates differ by more than chance makes
 *
 * Welch's test, of variances that may differ; if only one is known, the other rate varies as this
 * one does.  Fewer samples than PP_SAMPLES_FEW must be too many of independent ones as well: of
 * these, runs may be alike by chance.
 */
enum pp_verdict pp_chance_judge(const struct pp_estimate *old, const struct pp_estimate *new);

/* Fewer than these are not distributed normally: the error is above 0.2 % of probability. */
#define PP_SAMPLES_FEW 1000

/* What the marks of verdicts mean, with such evidence of both profiles: a line without its end,
 * which the caller frees. */
char *pp_chance_legend(enum pp_evidence old, enum pp_evidence new);

#endif
