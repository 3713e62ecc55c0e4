/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is written to the registers of this CPU's counters, and read from them: what they held
 * before us, a group that counts, overflows, and whether they still hold what was written.
 *
 * When any of this may be called is the matter of pmu.c, by phase.h.  Context: on the CPU whose
 * registers they are, no switch meanwhile.
 */
#ifndef OPROFILE_X86_REGISTERS_H
#define OPROFILE_X86_REGISTERS_H

#include <linux/compiler.h>

#include "x86/msr.h"
#include "x86/plan.h"

/* What the registers held before us. */
struct op_x86_saved {
	u64 control[OP_X86_COUNTERS_MAX];
	u64 counter[OP_X86_COUNTERS_MAX];
	u64 first_control;
	u64 fixed_control;
	u64 global_control;
	u32 lvtpc;
};

/* Those that the plan is going to use. */
void op_x86_registers_save(const struct op_x86_plan *plan, struct op_x86_saved *saved);
void op_x86_registers_restore(const struct op_x86_plan *plan, const struct op_x86_saved *saved);

/* Nothing of the plan counts any more. */
void op_x86_registers_halt(const struct op_x86_plan *plan);

/* Overflows that no NMI has handled are not to be found any more. */
void op_x86_registers_forget_overflows(const struct op_x86_plan *plan);

/**
 * op_x86_group_set - all but what makes the group count
 * @left: by number: events to the next sample of each counter
 */
void op_x86_group_set(const struct op_x86_plan *plan, const struct op_x86_group *group,
		      const u64 *left);

/* Makes it count. */
void op_x86_group_run(const struct op_x86_plan *plan, const struct op_x86_group *group);

/* The group counts no more, and does not go on when the next one does. */
void op_x86_group_stop(const struct op_x86_model *model, const struct op_x86_group *group);

/* Counters of a group that have overflowed, and are not handled.  Context: NMI, too. */
unsigned int op_x86_group_overflowed(const struct op_x86_model *model,
				     const struct op_x86_group *group);

/*
 * How the registers of a group that counts are not as they were left, a sentence without its end;
 * NULL: they are.  Context: interrupts off.
 */
const char *op_x86_group_lost(const struct op_x86_plan *plan, const struct op_x86_group *group);

static inline bool op_x86_has_global(const struct op_x86_model *model)
{
	return model->global.status;
}

static inline u64 op_x86_top_bit(const struct op_x86_model *model)
{
	return model->counter_mask & ~(model->counter_mask >> 1);
}

/* It overflows after so many events. */
static inline void op_x86_counter_set(const struct op_x86_model *model,
				      const struct op_x86_program *program, u64 events)
{
	op_msr_write(program->write_msr, -events & model->counter_mask);
}

/* @status: of the global registers, if there are; @value: of the counter, if there are none */
static inline bool op_x86_counter_overflowed(const struct op_x86_model *model,
					     const struct op_x86_program *program, u64 status,
					     u64 value)
{
	return op_x86_has_global(model) ? status & program->global_bit :
					  !(value & op_x86_top_bit(model));
}

#endif
