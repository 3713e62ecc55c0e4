/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack of a sample: its addresses become places in images.
 */
#ifndef PP_FORMATS_PERF_STACK_H
#define PP_FORMATS_PERF_STACK_H

#include "callers.h"
#include "pp/formats/model/maps.h"
#include "image.h"
#include "libop/perf/sample.h"

struct perf_stack {
	struct prof_frame frames[PROF_DEPTH_MOST]; /* leaf first */
	size_t depth;
	bool was_cut;	  /* it was deeper */
	bool has_unknown; /* unknown marks, behind which the chain was left out */
	bool is_deferred; /* its user part comes in a record of its own */
	size_t user_frames; /* of the chain, in user code */
	struct perf_callers callers;
};

/**
 * perf_stack_read - the stack of a sample
 * @pid: of the sample, or PROF_ANY
 *
 * A chain begins with the sample's own address, or has it before the user's part.  Where the
 * processor itself recorded the calls of the program, they are the user's part; else, if there is
 * a copy of the stack, what is unwound from it.
 */
void perf_stack_read(struct perf_stack *stack, struct maps *maps, const struct perf_sample *sample,
		     const struct perf_attr *attr, uint16_t misc, int64_t pid);

/* The place of an address of which it is not known whose it is, such as that of a branch. */
struct prof_frame perf_stack_place(struct maps *maps, int64_t pid, uint64_t address);

/* Whether the branches of a sample are its call stack. */
static inline bool perf_stack_is_branches(const struct perf_attr *attr)
{
	return attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

#endif
