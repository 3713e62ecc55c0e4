/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the emulator can count exactly, and which of the PMU's events each is.
 */
#ifndef PMU_EVENT_H
#define PMU_EVENT_H

#include <stdint.h>

#include "model.h"

enum pmu_ring { PMU_USER, PMU_KERNEL, PMU_RINGS }; /* privilege level 3, and all others */

/* Kinds of retired instructions; each counts at most once an instruction. */
enum pmu_quantity {
	PMU_INSTRUCTIONS, /* all */
	PMU_JUMP,	  /* near jumps without a condition */
	PMU_CONDITIONAL,  /* near jumps with one, and loops */
	PMU_CALL,	  /* near */
	PMU_RETURN,	  /* near */
	PMU_FAR,	  /* far jumps, calls and returns, system calls, software interrupts */
	PMU_QUANTITIES,
};

/* What one CPU has retired since it was switched on. */
struct pmu_totals {
	uint64_t count[PMU_RINGS][PMU_QUANTITIES];
};

/* Bits of an event-select register that all families share. */
#define PMU_SELECT_USR	  (UINT64_C(1) << 16)
#define PMU_SELECT_OS	  (UINT64_C(1) << 17)
#define PMU_SELECT_ANY	  (UINT64_C(1) << 21)
#define PMU_SELECT_INT	  (UINT64_C(1) << 20)
#define PMU_SELECT_ENABLE (UINT64_C(1) << 22)

/* A set of quantities: bit q is the enum's value q. */
typedef uint32_t pmu_quantity_set;

/*
 * Returns the quantities that the event of an event-select register counts; empty for an event
 * that is not emulated, which so counts nothing.
 */
pmu_quantity_set pmu_event_quantities(const struct pmu_model *model, uint64_t select);

/* Likewise for fixed counter @i. */
pmu_quantity_set pmu_fixed_quantities(unsigned int i);

#endif
