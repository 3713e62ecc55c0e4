/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records become a profile: mappings and tasks go to the address spaces, samples to the sink.
 *
 *	stream ─► perf_profile_add() ─► perf_order ─► address spaces, samples ─► sink
 *	                  └─ perf's own records: attrs, features, rounds
 */
#ifndef PP_FORMATS_PERF_PROFILE_H
#define PP_FORMATS_PERF_PROFILE_H

#include "build_ids.h"
#include "events.h"
#include "feature.h"
#include "late.h"
#include "libop/tables/pair_table.h"
#include "losses.h"
#include "order.h"
#include "stack.h"

/* Types that are counted one by one; the others together. */
#define PERF_TYPES_COUNTED (PERF_TYPE_LAST_KNOWN + 1)

/* What was found and is of no use to a profile, or not all that it could be. */
struct perf_census {
	uint64_t records[PERF_TYPES_COUNTED];
	uint64_t simpleperf, unknown; /* records */
	uint64_t no_event;	      /* samples whose id is of no event */
	uint64_t groups;	      /* samples with values of other events */
	uint64_t guests;	      /* samples in a virtual machine */
	uint64_t cut;		      /* samples whose stacks are too deep */
	uint64_t odd_chains, deferred;
	uint64_t aux_bytes, sample_aux;
	uint64_t cgroups, hidden_kernels;
	struct perf_losses losses;
};

struct perf_profile {
	struct prof_sink *sink;
	bool swap;
	struct perf_events events;
	struct perf_build_ids build_ids;
	struct perf_features features;
	struct maps *maps;
	struct perf_order *order;
	struct perf_late late;
	struct perf_census census;
	struct perf_stack stack;
	struct op_pair_table cgroups; /* numbers of strings: their paths by id */

	bool has_fault;	       /* a record could not be decoded: nothing more is to be read */
	struct op_error fault; /* why */
};

/* An empty one, which perf_profile_free() frees. */
struct perf_profile *perf_profile_new(struct prof_sink *sink);
void perf_profile_free(struct perf_profile *profile);

/**
 * perf_profile_add - take the next record
 *
 * Return: 0, or -1 with @error set: the sink takes no more.
 */
int perf_profile_add(struct perf_profile *profile, const struct perf_raw *raw,
		     struct op_error *error);

/**
 * perf_profile_foresee - take the records that are too late in a file, before the others
 * @stream: at the first record of the file; is read to its end
 *
 * Return: as of perf_profile_add().
 */
int perf_profile_foresee(struct perf_profile *profile, struct perf_stream *stream,
			 struct op_error *error);

/* The time of a record, or 0: it has none. */
uint64_t perf_profile_time(const struct perf_profile *profile, const struct perf_raw *raw);

/**
 * perf_profile_end - all was read, or all up to a fault
 *
 * Delivers what still waits, and tells the sink what was skipped.
 *
 * Return: 0, or -1 with @error set: the sink takes no more.
 */
int perf_profile_end(struct perf_profile *profile, struct op_error *error);

#endif
