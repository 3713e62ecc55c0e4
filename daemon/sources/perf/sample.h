/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of perf events as words: thread, address and callers.
 */
#ifndef DAEMON_SOURCES_PERF_SAMPLE_H
#define DAEMON_SOURCES_PERF_SAMPLE_H

#include <stdbool.h>

#include "counters.h"
#include "process.h"
#include "record.h"
#include "unwind.h"
#include "words.h"

/* struct perf_chain_counts - call chains of user code that were unwound */
struct perf_chain_counts {
	uint64_t user;
	uint64_t early; /* of these, did not lead to the start of the thread */
	uint64_t cut;	/* of these, as its stack is deeper than what is copied */
};

/* struct perf_samples - what is needed to write samples; the owner sets and keeps all of it */
struct perf_samples {
	const struct perf_counters *counters;
	struct perf_processes *processes;
	struct perf_words *words;
	bool chain;		    /* samples have call chains */
	struct perf_unwind *unwind; /* NULL: the callers are those in the call chain */
	struct perf_code *code;	    /* for unwinding */
	struct perf_copies *copies; /* what unwinding needs is counted */
	struct perf_chain_counts *counts;
};

/* Whether there is room for the words of a sample, as many callers as it may have. */
bool perf_sample_fits(const struct perf_samples *samples, const struct perf_live_record *record);

/* Writes a sample that fits; a process that is not known yet is read from /proc.  Return: the place
 * of its event; -1: unknown. */
int perf_sample_write(const struct perf_samples *samples, const struct perf_live_record *record);

#endif
