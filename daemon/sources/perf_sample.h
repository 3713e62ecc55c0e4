/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of perf events as words: who was sampled, where, and called by whom.
 */
#ifndef DAEMON_PERF_SAMPLE_H
#define DAEMON_PERF_SAMPLE_H

#include <stdbool.h>

#include "perf_counters.h"
#include "perf_process.h"
#include "perf_record.h"
#include "perf_unwind.h"
#include "perf_words.h"

/* struct perf_samples - what samples are told with; all of it is the owner's, and set by it */
struct perf_samples {
	const struct perf_counters *counters;
	struct perf_processes *processes;
	struct perf_words *words;
	const struct perf_layout *layout; /* what the samples have */
	struct perf_unwind *unwind;	  /* NULL: callers are those that the kernel tells */
};

/* Whether there is room for the words of a sample, as many callers as it may have. */
bool perf_sample_fits(const struct perf_samples *samples, const struct perf_record *record);

/* Tells a sample that fits; a process that is not known yet is read from /proc. */
void perf_sample_take(const struct perf_samples *samples, const struct perf_record *record);

#endif
