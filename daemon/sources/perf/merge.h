/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of all CPUs in the order of their time: a heap of rings by their next records.
 *
 * Records stay in their rings until they are passed, so this needs no memory for them.
 */
#ifndef DAEMON_SOURCES_PERF_MERGE_H
#define DAEMON_SOURCES_PERF_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "counters.h"

/* struct perf_merge_entry - a ring with a record */
struct perf_merge_entry {
	uint64_t time;
	struct perf_cpu *cpu;
	const void *bytes;
	size_t size;
};

struct perf_merge {
	struct perf_merge_entry *entry;
	size_t count;
};

/* Has room for the rings of so many CPUs; all zero has none.  Return: 0, or -1 without memory. */
int perf_merge_reserve(struct perf_merge *merge, size_t cpus);
void perf_merge_free(struct perf_merge *merge);

/* Looks at all rings that are open. */
void perf_merge_begin(struct perf_merge *merge, struct perf_counters *counters);

/**
 * perf_merge_next - the oldest record that is not younger than @until
 *
 * Return: the CPU in whose ring it is, or NULL if there is none.
 */
struct perf_cpu *perf_merge_next(const struct perf_merge *merge, uint64_t until, const void **bytes,
				 size_t *size);

/* Passes the record that perf_merge_next() gave. */
void perf_merge_pass(struct perf_merge *merge, size_t size);

#endif
