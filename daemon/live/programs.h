/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF programs that the kernel has loaded while events were open, from records KSYMBOL.
 *
 * /proc/kallsyms has those that are there now.  A program that a command loads, runs and drops is
 * gone by the time that its samples are looked at, so it is kept until another one has its place.
 */
#ifndef DAEMON_LIVE_PROGRAMS_H
#define DAEMON_LIVE_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/perf/record.h"

struct perf_program {
	uint64_t start, end;
	bool has_gone;
	char *name;
};

/* All zero: none. */
struct perf_programs {
	struct perf_program *item; /* by address; they do not overlap */
	size_t n, capacity;
};

/**
 * perf_programs_apply - take a record
 *
 * Of those that have gone, all are forgotten when there are too many.
 *
 * Return: whether there is a program that was not there.
 */
bool perf_programs_apply(struct perf_programs *programs, const struct perf_ksymbol *symbol);

/**
 * perf_programs_join - the lines of /proc/kallsyms, and those of programs that it lacks
 * @kallsyms: as of source_kallsyms(); is taken over; may be NULL
 *
 * Return: a text that the caller frees, or NULL.
 */
char *perf_programs_join(const struct perf_programs *programs, char *kallsyms);

void perf_programs_free(struct perf_programs *programs);

#endif
