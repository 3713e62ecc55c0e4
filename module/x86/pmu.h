/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of one CPU: save, program, handle overflows, multiplex, restore.
 */
#ifndef OPROFILE_X86_PMU_H
#define OPROFILE_X86_PMU_H

#include "x86/plan.h"

struct pt_regs;

/*
 * From the next start on: what an NMI costs beside its handler, cycles of the time stamp counter.
 * Context: process bound to the CPU.
 */
void op_x86_pmu_set_nmi_cost(u64 cycles);

/**
 * op_x86_pmu_start - save this CPU's registers and begin to count
 * @plan: used until op_x86_pmu_stop()
 *
 * Context: process, bound to the CPU.
 */
void op_x86_pmu_start(const struct op_x86_plan *plan);

/* Stop, and restore what was saved.  Context: as op_x86_pmu_start(), on the same CPU. */
void op_x86_pmu_stop(void);

/**
 * op_x86_pmu_switch - count the next group of the plan
 * @regs: what was interrupted
 *
 * A counter that overflowed so late that its NMI has not come gets its sample here.
 * Each counter goes on where it was when its group was counted the last time.  How long the
 * groups are counted goes to op_x86_times_add().
 *
 * Context: hard interrupt, on a started CPU.
 */
void op_x86_pmu_switch(struct pt_regs *regs);

/**
 * op_x86_pmu_lost - does this CPU's PMU count what it was told to?
 *
 * Others that write to its registers, or take its overflows, cannot be kept from it.
 *
 * Context: any but NMI, on the CPU that was started.  Return: how it is not as it was left,
 * for users, a sentence without its end; NULL: it is.
 */
const char *op_x86_pmu_lost(void);

/**
 * op_x86_pmu_handle - an NMI has come: log a sample for each counter that overflowed
 *
 * Context: NMI.  Return: how many counters had overflowed; 0: this NMI is not ours.
 */
int op_x86_pmu_handle(struct pt_regs *regs);

#endif
