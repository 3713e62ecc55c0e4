/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overflow at exactly the right instruction, and the interrupt that it causes.
 */
#ifndef PMU_OVERFLOW_H
#define PMU_OVERFLOW_H

#include "vcpu.h"

/*
 * Called by a block that has counted itself and found the budget of its ring used up. Returns to
 * the block if it may go on; else it leaves it, not counted any more.
 */
void overflow_look(unsigned int vcpu_index, void *block);

/*
 * Brings the counters up to what was retired by now and sends the interrupt if one is due.
 * Returns true if it was an NMI.
 */
bool overflow_sync(struct vcpu *vcpu, const struct pmu_totals *now);

/* Sets the budgets anew, after the registers have changed. */
void overflow_plan(struct vcpu *vcpu);

/* Says that the CPU takes an interrupt or an exception: the planned steps are off. */
void overflow_interrupted(struct vcpu *vcpu);

#endif
