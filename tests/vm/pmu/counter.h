/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters of one CPU: which of them count, how far each is from its overflow, and what
 * happens there.  Pure arithmetic; time is what the CPU has retired so far.
 */
#ifndef PMU_COUNTER_H
#define PMU_COUNTER_H

#include "event.h"

#define PMU_COUNTERS_MAX (PMU_GENERAL_MAX + PMU_FIXED_MAX)

/* Further than any counter's overflow. */
#define PMU_FAR_AWAY (UINT64_C(1) << 63)

/* The PMU's registers.  @counter holds general ones, and from PMU_GENERAL_MAX on fixed ones. */
struct pmu {
	const struct pmu_model *model;
	uint64_t counter[PMU_COUNTERS_MAX]; /* values as of @now */
	uint64_t select[PMU_GENERAL_MAX];
	uint64_t fixed_control;
	uint64_t global_control; /* where the model has it; bit i, and bit 32 + i of fixed ones */
	uint64_t global_status;	 /* likewise */
	struct pmu_totals now;
};

/* A run of instructions within one ring, of which only the last can be a branch. */
struct pmu_run {
	unsigned int instructions; /* at least 1 */
	enum pmu_ring ring;
	enum pmu_quantity branch; /* PMU_INSTRUCTIONS if the last is none */
};

/* The state after power-up: nothing counts, all counters are 0. */
void pmu_reset(struct pmu *pmu, const struct pmu_model *model);

/* Whether the model has global control and status registers. */
bool pmu_has_global(const struct pmu_model *model);

/* The bits that counters have in the global registers. */
uint64_t pmu_global_mask(const struct pmu_model *model);

/* The largest value of counter @i, which is also the mask of its bits. */
uint64_t pmu_counter_max(const struct pmu_model *model, unsigned int i);

/* Whether the model has counter @i. */
bool pmu_counter_exists(const struct pmu_model *model, unsigned int i);

/*
 * Counts what was retired since the last call.  Counters that pass their largest value go on
 * from 0 and set their bit of the global status.  Returns true if one of those asks for an
 * interrupt.  @now must not be less than in any earlier call.
 */
bool pmu_advance(struct pmu *pmu, const struct pmu_totals *now);

/*
 * Tells when the next overflow is if the CPU goes on with @run: returns 0 if not within it, or
 * 1 for its first instruction, and so on.
 */
unsigned int pmu_overflow_in(const struct pmu *pmu, const struct pmu_run *run);

/*
 * Returns a number of instructions that can surely be retired in @ring before a counter has
 * overflowed, whatever happens in the other ring as long as it stays within its own number; at
 * least 1 and at most PMU_FAR_AWAY.  (One that asks again each time it has used up what it got
 * comes to the overflow in about log2 steps.)
 */
uint64_t pmu_budget(const struct pmu *pmu, enum pmu_ring ring);

#endif
