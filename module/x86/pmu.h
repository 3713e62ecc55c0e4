/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of one CPU: save, program, answer overflows, restore.
 */
#ifndef OPROFILE_X86_PMU_H
#define OPROFILE_X86_PMU_H

#include "x86/counter.h"
#include "x86/model.h"

struct pt_regs;

/**
 * struct op_x86_plan - what every CPU is to count; constant while CPUs are started
 * @fixed_control: the bits of all fixed counters
 * @global_bits: of all counters
 */
struct op_x86_plan {
	const struct op_x86_model *model;
	unsigned int nr_programs;
	struct op_x86_program programs[OP_X86_COUNTERS_MAX];
	u64 fixed_control;
	u64 global_bits;
};

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
 * op_x86_pmu_handle - an NMI has come
 * @sample: is called once for each counter that overflowed
 *
 * Context: NMI.  Return: how many counters had overflowed; 0: this NMI is not ours.
 */
int op_x86_pmu_handle(struct pt_regs *regs,
		      void (*sample)(struct pt_regs *regs, u8 number));

#endif
