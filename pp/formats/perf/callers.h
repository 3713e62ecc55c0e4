/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The callers of samples that have a copy of the stack (perf record --call-graph dwarf), unwound
 * by the files of this machine that are those that were recorded.
 */
#ifndef PP_FORMATS_PERF_CALLERS_H
#define PP_FORMATS_PERF_CALLERS_H

#include "libop/perf/unwind.h"
#include "pp/formats/model/maps.h"

/* Files that could not be used, of which a note says which they are. */
#define PERF_CALLERS_NAMED 8

struct perf_callers {
	struct perf_unwind *unwind;
	struct maps *maps;
	int64_t pid; /* whose stack it is */
	uint64_t refused[PERF_CALLERS_NAMED]; /* files that are others, or cannot be read */
	size_t n_refused;
	uint64_t stacks, unwound; /* with a copy; of these, with a caller */
};

void perf_callers_init(struct perf_callers *callers, struct maps *maps);
void perf_callers_free(struct perf_callers *callers);

/**
 * perf_callers_find - the addresses of a sample's stack
 * @frame: as of perf_unwind_stack()
 *
 * Return: their number; 0: the registers are not those of x86-64, or in another byte order.
 */
size_t perf_callers_find(struct perf_callers *callers, const struct perf_sample *sample,
			 const struct perf_attr *attr, int64_t pid,
			 uint64_t frame[static PERF_UNWIND_FRAMES_MOST]);

/* Tells the sink what was unwound, and which files were missing for it. */
void perf_callers_tell(const struct perf_callers *callers, struct prof_sink *sink);

#endif
