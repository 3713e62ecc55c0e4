// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of one CPU.
 *
 * A counter is set to minus its period and counts up; when it passes zero it raises the
 * performance interrupt of the local APIC, which is set up as an NMI.  What it has counted
 * since is taken off the next period, so that the mean period is exact.
 *
 * With global registers all counters stand still while an overflow is handled, and status
 * says which ones overflowed.  Without, an overflown counter is known by its clear top bit.
 *
 * The APIC masks its entry as it delivers the interrupt.  It is unmasked before the counters
 * run again: an overflow while it is masked would never be heard of.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include <asm/apicdef.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include <asm/tsc.h>

#include "cpu_buffer.h"
#include "x86/guard.h"
#include "x86/msr.h"
#include "x86/pmu.h"

/* As kernel.perf_cpu_time_max_percent is for perf. */
static uint cpu_time_max_percent = 25;
module_param(cpu_time_max_percent, uint, 0644);
MODULE_PARM_DESC(cpu_time_max_percent, "time of a CPU that samples may take before their periods are doubled; 0: no limit");

/* What the registers held before us. */
struct saved_registers {
	u64 control[OP_X86_COUNTERS_MAX];
	u64 counter[OP_X86_COUNTERS_MAX];
	u64 first_control;
	u64 fixed_control;
	u64 global_control;
	u32 lvtpc;
};

/**
 * struct cpu_pmu - one CPU's
 * @plan: NULL while it is not started
 * @running: global bits of the counters that are to run; 0 while stopping.  The handler, an
 *	NMI on the same CPU, writes it back to the hardware.
 * @late: NMIs that may still come for overflows that are handled already
 */
struct cpu_pmu {
	const struct op_x86_plan *plan;
	u64 running;
	unsigned int late;
	struct op_guard guard;
	struct saved_registers saved;
};

static DEFINE_PER_CPU(struct cpu_pmu, cpu_pmu);

static bool has_global(const struct op_x86_model *model)
{
	return model->global.status;
}

static u64 top_bit(const struct op_x86_model *model)
{
	return BIT_ULL(model->width - 1);
}

static void set_counter(const struct op_x86_model *model, const struct op_x86_program *program,
			u64 events)
{
	op_msr_write(program->write_msr, -events & GENMASK_ULL(model->width - 1, 0));
}

static u64 period(const struct cpu_pmu *pmu, const struct op_x86_program *program)
{
	u64 count = program->count << pmu->guard.shift;

	return count <= pmu->plan->model->count_max ? count : program->count;
}

/* @passed: what it has counted since it overflowed. */
static void reload(const struct cpu_pmu *pmu, const struct op_x86_program *program, u64 passed)
{
	u64 events = period(pmu, program);

	set_counter(pmu->plan->model, program, passed < events ? events - passed : events);
}

static void save(struct cpu_pmu *pmu)
{
	const struct op_x86_model *model = pmu->plan->model;
	struct saved_registers *saved = &pmu->saved;
	int i;

	saved->lvtpc = op_lvtpc_read();
	if (has_global(model))
		saved->global_control = op_msr_read(model->global.control);
	if (pmu->plan->fixed_control)
		saved->fixed_control = op_msr_read(MSR_CORE_PERF_FIXED_CTR_CTRL);
	if (model->enable_by_first)
		saved->first_control = op_msr_read(model->bank.control);
	for (i = 0; i < pmu->plan->nr_programs; i++) {
		const struct op_x86_program *program = &pmu->plan->programs[i];

		if (!program->fixed)
			saved->control[i] = op_msr_read(program->control_msr);
		saved->counter[i] = op_msr_read(program->counter_msr);
	}
}

static void restore(struct cpu_pmu *pmu)
{
	const struct op_x86_model *model = pmu->plan->model;
	const struct saved_registers *saved = &pmu->saved;
	int i;

	for (i = 0; i < pmu->plan->nr_programs; i++) {
		const struct op_x86_program *program = &pmu->plan->programs[i];

		op_msr_write(program->write_msr, saved->counter[i]);
		if (!program->fixed)
			op_msr_write(program->control_msr, saved->control[i]);
	}
	if (model->enable_by_first)
		op_msr_write(model->bank.control, saved->first_control);
	if (pmu->plan->fixed_control)
		op_msr_write(MSR_CORE_PERF_FIXED_CTR_CTRL, saved->fixed_control);
	if (has_global(model))
		op_msr_write(model->global.control, saved->global_control);
	op_lvtpc_write(saved->lvtpc);
}

/* Counters off, so that nothing overflows while registers are half written. */
static void silence(const struct op_x86_plan *plan)
{
	int i;

	if (has_global(plan->model))
		op_msr_write(plan->model->global.control, 0);
	if (plan->model->enable_by_first)
		op_msr_write(plan->model->bank.control, 0);
	for (i = 0; i < plan->nr_programs; i++) {
		if (!plan->programs[i].fixed)
			op_msr_write(plan->programs[i].control_msr, 0);
	}
	if (plan->fixed_control)
		op_msr_write(MSR_CORE_PERF_FIXED_CTR_CTRL, 0);
	if (has_global(plan->model))
		op_msr_write(plan->model->global.acknowledge, plan->global_bits);
}

static u64 control_of(const struct op_x86_model *model, const struct op_x86_program *program)
{
	/* On P6 the enable bit of all counters is that of the first one, which is set last. */
	if (model->enable_by_first)
		return program->control & ~ARCH_PERFMON_EVENTSEL_ENABLE;
	return program->control;
}

static void go(const struct op_x86_plan *plan)
{
	const struct op_x86_model *model = plan->model;
	int i;

	for (i = 0; i < plan->nr_programs; i++) {
		const struct op_x86_program *program = &plan->programs[i];

		set_counter(model, program, program->count);
		if (!program->fixed)
			op_msr_write(program->control_msr, control_of(model, program));
	}
	if (plan->fixed_control)
		op_msr_write(MSR_CORE_PERF_FIXED_CTR_CTRL, plan->fixed_control);
	if (model->enable_by_first)
		op_msr_write(model->bank.control, op_msr_read(model->bank.control) |
						  ARCH_PERFMON_EVENTSEL_ENABLE);
	if (has_global(model))
		op_msr_write(model->global.control, plan->global_bits);
}

void op_x86_pmu_start(const struct op_x86_plan *plan)
{
	struct cpu_pmu *pmu = this_cpu_ptr(&cpu_pmu);

	memset(&pmu->guard, 0, sizeof(pmu->guard));
	pmu->late = 0;
	pmu->running = plan->global_bits;
	WRITE_ONCE(pmu->plan, plan);
	barrier(); /* an NMI on this CPU finds all of it */

	save(pmu);
	silence(plan);
	op_lvtpc_write(APIC_DM_NMI);
	go(plan);
}

void op_x86_pmu_stop(void)
{
	struct cpu_pmu *pmu = this_cpu_ptr(&cpu_pmu);

	WRITE_ONCE(pmu->running, 0);
	barrier();
	silence(pmu->plan);
	restore(pmu);
	/*
	 * An NMI that was raised before silence() has been taken by now, as NMIs are not
	 * masked here: the register writes before are serialising.
	 */
	barrier();
	WRITE_ONCE(pmu->plan, NULL);
}

static int handle_by_status(struct cpu_pmu *pmu, struct pt_regs *regs,
			    void (*sample)(struct pt_regs *regs, u8 number))
{
	const struct op_x86_plan *plan = pmu->plan;
	const struct op_x86_global *global = &plan->model->global;
	u64 overflowed;
	int handled = 0;
	int i;

	if (!(op_msr_read(global->status) & plan->global_bits))
		return 0;

	op_msr_write(global->control, 0);
	overflowed = op_msr_read(global->status) & plan->global_bits;
	op_msr_write(global->acknowledge, overflowed);
	for (i = 0; i < plan->nr_programs; i++) {
		const struct op_x86_program *program = &plan->programs[i];

		if (!(overflowed & program->global_bit))
			continue;
		reload(pmu, program, op_msr_read(program->counter_msr));
		sample(regs, program->number);
		handled++;
	}
	op_lvtpc_write(APIC_DM_NMI);
	op_msr_write(global->control, READ_ONCE(pmu->running));
	return handled;
}

static int handle_by_top_bit(struct cpu_pmu *pmu, struct pt_regs *regs,
			     void (*sample)(struct pt_regs *regs, u8 number))
{
	const struct op_x86_plan *plan = pmu->plan;
	int handled = 0;
	int i;

	for (i = 0; READ_ONCE(pmu->running) && i < plan->nr_programs; i++) {
		const struct op_x86_program *program = &plan->programs[i];
		u64 value = op_msr_read(program->counter_msr);

		if (value & top_bit(plan->model))
			continue;
		reload(pmu, program, value);
		sample(regs, program->number);
		handled++;
	}

	if (handled) {
		pmu->late += handled - 1;
	} else if (plan->model->late_nmis && pmu->late) {
		pmu->late--;
		handled = 1;
	}
	if (handled)
		op_lvtpc_write(APIC_DM_NMI);
	return handled;
}

int op_x86_pmu_handle(struct pt_regs *regs, void (*sample)(struct pt_regs *regs, u8 number))
{
	struct cpu_pmu *pmu = this_cpu_ptr(&cpu_pmu);
	u64 begin = rdtsc();
	int handled;

	if (!READ_ONCE(pmu->plan))
		return 0;
	handled = has_global(pmu->plan->model) ? handle_by_status(pmu, regs, sample) :
						 handle_by_top_bit(pmu, regs, sample);
	if (handled && op_guard_account(&pmu->guard, begin, rdtsc(),
					READ_ONCE(cpu_time_max_percent)))
		op_cpu_stats_throttled();
	return handled;
}
