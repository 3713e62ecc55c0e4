/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs that oprofile-selftest runs have written: workloads their truth, opreport a
 * list in CSV, opexport folded stacks.
 */
#ifndef UTILS_SELFTEST_RESULTS_H
#define UTILS_SELFTEST_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"

/* Samples, and the events that they stand for: of clocks, nanoseconds. */
struct tally {
	double samples, events;
};

struct result {
	struct tally tally;
	const char *image, *symbol; /* "" if the list has none */
	uint64_t address, line;
};

/* A list of opreport --csv --stats of one event; the strings point into the text. */
struct results {
	struct result *item;
	size_t count;
	const char *event; /* its name */
	uint64_t period;   /* 0: it differs from sample to sample */
	uint64_t received, stored, lost;
};

/**
 * results_parse - take a list apart
 * @text: is changed, and kept until results_free()
 *
 * Return: 0, or -1 with @error set, EINVAL.
 */
int results_parse(char *text, struct results *results, struct op_error *error);

/* Frees what results_parse() has allocated, but not the text. */
void results_free(struct results *results);

/* The sum of the lines of a symbol. */
struct tally results_of_symbol(const struct results *results, const char *symbol);

/* The samples of folded stacks that have @frames in this order, one below the other, as their last
 * ones: "caller;leaf". */
double results_of_stack(const char *folded, const char *frames);

/* The number that a workload has written by this name; NAN if it has not. */
double results_truth(const char *truth, const char *name);

#endif
