// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of this CPU's counters.
 *
 * With global registers, counters count when the one that controls all of them says so, and status
 * says which ones overflowed.  Without, each counts by its own event select, and one that has
 * overflowed is known by its clear top bit: so all counters of a group are set before any counts,
 * as the handler looks at all of them.
 */
#include <linux/kprobes.h>

#include <asm/apicdef.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>

#include "x86/registers.h"

void op_x86_registers_save(const struct op_x86_plan *plan, struct op_x86_saved *saved)
{
	const struct op_x86_model *model = plan->model;
	int i;

	saved->lvtpc = op_lvtpc_read();
	if (op_x86_has_global(model))
		saved->global_control = op_msr_read(model->global.control);
	if (plan->has_fixed)
		saved->fixed_control = op_msr_read(MSR_CORE_PERF_FIXED_CTR_CTRL);
	if (model->enable_by_first)
		saved->first_control = op_msr_read(model->bank.control);
	for (i = 0; i < plan->nr_hardware; i++) {
		const struct op_x86_program *program = plan->hardware[i];

		if (!program->fixed)
			saved->control[i] = op_msr_read(program->control_msr);
		saved->counter[i] = op_msr_read(program->counter_msr);
	}
}

void op_x86_registers_restore(const struct op_x86_plan *plan, const struct op_x86_saved *saved)
{
	const struct op_x86_model *model = plan->model;
	int i;

	for (i = 0; i < plan->nr_hardware; i++) {
		const struct op_x86_program *program = plan->hardware[i];

		op_msr_write(program->write_msr, saved->counter[i]);
		if (!program->fixed)
			op_msr_write(program->control_msr, saved->control[i]);
	}
	if (model->enable_by_first)
		op_msr_write(model->bank.control, saved->first_control);
	if (plan->has_fixed)
		op_msr_write(MSR_CORE_PERF_FIXED_CTR_CTRL, saved->fixed_control);
	if (op_x86_has_global(model))
		op_msr_write(model->global.control, saved->global_control);
	op_lvtpc_write(saved->lvtpc);
}

static void control_off(const struct op_x86_program *program)
{
	if (!program->fixed)
		op_msr_write(program->control_msr, 0);
}

void op_x86_registers_halt(const struct op_x86_plan *plan)
{
	int i;

	if (op_x86_has_global(plan->model))
		op_msr_write(plan->model->global.control, 0);
	if (plan->model->enable_by_first)
		op_msr_write(plan->model->bank.control, 0);
	for (i = 0; i < plan->nr_hardware; i++)
		control_off(plan->hardware[i]);
	if (plan->has_fixed)
		op_msr_write(MSR_CORE_PERF_FIXED_CTR_CTRL, 0);
}

void op_x86_registers_forget_overflows(const struct op_x86_plan *plan)
{
	if (op_x86_has_global(plan->model))
		op_msr_write(plan->model->global.acknowledge, plan->global_bits);
}

static u64 control_of(const struct op_x86_model *model, const struct op_x86_program *program)
{
	/* On P6 the enable bit of all counters is that of the first one, which is set last. */
	if (model->enable_by_first)
		return program->control & ~ARCH_PERFMON_EVENTSEL_ENABLE;
	return program->control;
}

static void set_controls(const struct op_x86_plan *plan, const struct op_x86_group *group)
{
	const struct op_x86_model *model = plan->model;
	int i;

	for (i = 0; i < group->nr_programs; i++) {
		const struct op_x86_program *program = &group->programs[i];

		if (!program->fixed)
			op_msr_write(program->control_msr, control_of(model, program));
	}
	if (plan->has_fixed)
		op_msr_write(MSR_CORE_PERF_FIXED_CTR_CTRL, group->fixed_control);
}

void op_x86_group_set(const struct op_x86_plan *plan, const struct op_x86_group *group,
		      const u64 *left)
{
	int i;

	for (i = 0; i < group->nr_programs; i++)
		op_x86_counter_set(plan->model, &group->programs[i],
				   left[group->programs[i].number]);
	if (op_x86_has_global(plan->model))
		set_controls(plan, group);
}

void op_x86_group_run(const struct op_x86_plan *plan, const struct op_x86_group *group)
{
	const struct op_x86_model *model = plan->model;

	if (op_x86_has_global(model)) {
		op_msr_write(model->global.control, group->global_bits);
		return;
	}
	set_controls(plan, group);
	if (model->enable_by_first)
		op_msr_write(model->bank.control, op_msr_read(model->bank.control) |
						  ARCH_PERFMON_EVENTSEL_ENABLE);
}

void op_x86_group_stop(const struct op_x86_model *model, const struct op_x86_group *group)
{
	int i;

	if (op_x86_has_global(model)) {
		op_msr_write(model->global.control, 0);
		return;
	}
	if (model->enable_by_first)
		op_msr_write(model->bank.control, 0);
	for (i = 0; i < group->nr_programs; i++)
		control_off(&group->programs[i]);
}

unsigned int op_x86_group_overflowed(const struct op_x86_model *model,
				     const struct op_x86_group *group)
{
	u64 status = op_x86_has_global(model) ? op_msr_read(model->global.status) : 0;
	unsigned int nr = 0;
	int i;

	for (i = 0; i < group->nr_programs; i++) {
		const struct op_x86_program *program = &group->programs[i];
		u64 value = op_x86_has_global(model) ? 0 : op_msr_read(program->counter_msr);

		nr += op_x86_counter_overflowed(model, program, status, value);
	}
	return nr;
}

NOKPROBE_SYMBOL(op_x86_group_overflowed);

#define SELECT_TELLING                                                            \
	(ARCH_PERFMON_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK |              \
	 ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS | ARCH_PERFMON_EVENTSEL_INT)

/* All CPUs keep these bits as they are written. */
static bool select_changed(const struct op_x86_model *model, const struct op_x86_program *program)
{
	u64 telling = SELECT_TELLING;

	if (!model->enable_by_first)
		telling |= ARCH_PERFMON_EVENTSEL_ENABLE;
	return (op_msr_read(program->control_msr) ^ program->control) & telling;
}

/* The bit of the status is gone, and not by us: we would have set the counter again. */
static bool overflow_taken(const struct op_x86_model *model, const struct op_x86_program *program)
{
	return !(op_msr_read(program->counter_msr) & op_x86_top_bit(model)) &&
	       !(op_msr_read(model->global.status) & program->global_bit) &&
	       !(op_msr_read(program->counter_msr) & op_x86_top_bit(model));
}

static const char *program_lost(const struct op_x86_model *model,
				const struct op_x86_program *program)
{
	if (!program->fixed && select_changed(model, program))
		return "an event select was changed";
	if (op_x86_has_global(model) && overflow_taken(model, program))
		return "an overflow was taken";
	return NULL;
}

const char *op_x86_group_lost(const struct op_x86_plan *plan, const struct op_x86_group *group)
{
	const struct op_x86_model *model = plan->model;
	const char *what = NULL;
	int i;

	if ((op_lvtpc_read() & (APIC_MODE_MASK | APIC_LVT_MASKED)) != APIC_DM_NMI)
		return "the APIC's entry was changed";
	if (op_x86_has_global(model) &&
	    (op_msr_read(model->global.control) & group->global_bits) != group->global_bits)
		return "the global control was changed";
	if (model->enable_by_first &&
	    !(op_msr_read(model->bank.control) & ARCH_PERFMON_EVENTSEL_ENABLE))
		return "an event select was changed";
	if (plan->has_fixed &&
	    (op_msr_read(MSR_CORE_PERF_FIXED_CTR_CTRL) & group->fixed_control) !=
		    group->fixed_control)
		return "the control of fixed counters was changed";
	for (i = 0; !what && i < group->nr_programs; i++)
		what = program_lost(model, &group->programs[i]);
	return what;
}
