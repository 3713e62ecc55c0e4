// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of one CPU.
 *
 * A counter is set to minus its period and counts up; when it passes zero it raises the
 * performance interrupt of the local APIC, which is set up as an NMI.  What it has counted
 * since is taken off the next period, so that the mean period is exact.
 *
 * What an NMI may do, and whose it is, is said by the phase (phase.h), which pmu_move() alone
 * changes, and by the number of NMIs that are late (late.h).  An NMI sees one phase from its
 * beginning to its end: what changes phases runs on the same CPU.
 *
 * With global registers all counters stand still while an overflow is handled.
 *
 * The APIC masks its entry as it delivers the interrupt.  It is unmasked before the counters
 * run again: an overflow while it is masked would never be heard of.
 *
 * Groups are multiplexed: op_x86_pmu_switch() takes the group away from the NMI handler, stops the
 * counters, remembers how far each of them is from its next sample, and sets up the next group
 * before the handler gets to see it.  The time that a group was counted for is without its NMIs.
 */
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include <asm/apicdef.h>
#include <asm/tsc.h>

#include "cpu_buffer.h"
#include "current.h"
#include "x86/late.h"
#include "x86/msr.h"
#include "x86/nmi_cost.h"
#include "x86/phase.h"
#include "x86/pmu.h"
#include "x86/registers.h"
#include "x86/throttle.h"
#include "x86/times.h"

/* As kernel.perf_cpu_time_max_percent is for perf. */
static uint cpu_time_max_percent = 25;
module_param(cpu_time_max_percent, uint, 0644);
MODULE_PARM_DESC(cpu_time_max_percent, "time of a CPU that samples may take before their periods are doubled; 0: no limit");

#define DELIVERY_US 50 /* from an overflow to its NMI, at most, on hardware */
#define DELIVERY_AWAY_US 1000 /* the same where a hypervisor may take the CPU away meanwhile */

/**
 * struct cpu_pmu - one CPU's
 * @phase: written by pmu_move() only; read by NMIs on the same CPU
 * @plan: unless OP_X86_OFF
 * @group: what is counted; in OP_X86_SWITCHING, what was counted before
 * @running: global bits of the counters that go on when an overflow is handled: of @group in
 *	OP_X86_COUNTING, else none.  Written by pmu_move() only
 * @claimed: in OP_X86_SWITCHING, NMIs that came and are ours
 * @late: NMIs that may still come
 * @nmi_cost: of op_throttle::around
 * @left: by number: events to the next sample of a counter whose group is not counted
 * @period: by number: events that the next sample stands for
 * @raised: the throttle doubles periods, or one that it doubled is not over: of periods, and so
 *	not of @phase; written by NMIs, which change no phase
 * @began: when this group began to be counted, in ns
 * @away: cycles since then that went into samples; only if groups are multiplexed
 */
struct cpu_pmu {
	enum op_x86_phase phase;
	const struct op_x86_plan *plan;
	const struct op_x86_group *group;
	u64 running;
	unsigned int claimed;
	struct op_x86_late late;
	u64 nmi_cost;
	struct op_throttle throttle;
	u64 left[OP_X86_NUMBERS_MAX];
	u64 period[OP_X86_NUMBERS_MAX];
	bool raised;
	u64 began;
	u64 away;
	struct op_x86_saved saved;
};

static DEFINE_PER_CPU(struct cpu_pmu, cpu_pmu);

/*
 * The only place where a phase changes.  An NMI on this CPU finds what was written before it in the
 * new phase, and nothing of what is written behind it in the old one.
 */
static void pmu_move(struct cpu_pmu *pmu, enum op_x86_event event)
{
	enum op_x86_phase next = op_x86_phase_next(pmu->phase, event);

	if (WARN_ON_ONCE(next == OP_X86_NOWHERE))
		return;
	pmu->running = next == OP_X86_COUNTING ? pmu->group->global_bits : 0;
	barrier();
	WRITE_ONCE(pmu->phase, next); /* move:A - pairs with nmi:A */
	barrier();
}

/* The period that the throttle asks for, or the longest one that the counter can have. */
static u64 raised_period(const struct cpu_pmu *pmu, const struct op_x86_program *program)
{
	unsigned int shift = pmu->throttle.shift;

	while (shift && program->count > pmu->plan->model->count_max >> shift)
		shift--;
	return program->count << shift;
}

NOKPROBE_SYMBOL(raised_period);

/*
 * A new period begins.  Return: events to the next sample; @passed: what it has counted since it
 * overflowed.
 */
static u64 next_left(struct cpu_pmu *pmu, const struct op_x86_program *program, u64 passed)
{
	u64 events = program->count;

	if (unlikely(pmu->throttle.shift))
		events = raised_period(pmu, program);
	pmu->period[program->number] = events;
	return passed < events ? events - passed : events;
}

/* KVM's process has PF_VCPU also while the host handles what interrupted the virtual machine. */
static noinline bool interrupts_guest(void)
{
	return hardirq_count() <= HARDIRQ_OFFSET && !in_serving_softirq(); /* but for our own */
}

NOKPROBE_SYMBOL(interrupts_guest);

/*
 * Does a virtual machine run here, so that the counter counted in it?  What was interrupted is then
 * where KVM entered it, which says nothing.  perf's events leave virtual machines out, too.
 */
static __always_inline bool in_guest(void)
{
	return unlikely(op_current(flags) & PF_VCPU) && interrupts_guest();
}

/* A sample of the period that is over. */
static void add_sample_of(const struct op_x86_program *program, struct pt_regs *regs, u64 period)
{
	if (in_guest())
		op_cpu_stats_guest();
	else if (likely(period == program->count))
		oprofile_add_sample(regs, program->number);
	else
		oprofile_add_weighted_sample(regs, program->number, period);
}

NOKPROBE_SYMBOL(add_sample_of);

static bool any_raised(const struct cpu_pmu *pmu)
{
	unsigned int i, j;

	if (pmu->throttle.shift)
		return true;
	for (i = 0; i < pmu->plan->nr_groups; i++) {
		const struct op_x86_group *group = &pmu->plan->groups[i];

		for (j = 0; j < group->nr_programs; j++) {
			if (pmu->period[group->programs[j].number] != group->programs[j].count)
				return true;
		}
	}
	return false;
}

/* The counter has overflowed: the next period, then the sample. */
static noinline void overflow_raised(struct cpu_pmu *pmu, const struct op_x86_program *program,
				     struct pt_regs *regs, u64 passed)
{
	u64 period = pmu->period[program->number];

	op_x86_counter_set(pmu->plan->model, program, next_left(pmu, program, passed));
	pmu->raised = any_raised(pmu);
	add_sample_of(program, regs, period);
}

NOKPROBE_SYMBOL(overflow_raised);

/* The same, with as few instructions as can be where periods are as asked for. */
static __always_inline void overflow(struct cpu_pmu *pmu, const struct op_x86_model *model,
				     const struct op_x86_program *program, struct pt_regs *regs,
				     u64 passed)
{
	u64 events = program->count;

	if (unlikely(pmu->raised)) {
		overflow_raised(pmu, program, regs, passed);
		return;
	}
	op_x86_counter_set(model, program, passed < events ? events - passed : events);
	if (in_guest())
		op_cpu_stats_guest();
	else
		oprofile_add_sample(regs, program->number);
}

/* Show the group to the handler, and begin to count. */
static void begin_group(struct cpu_pmu *pmu, const struct op_x86_group *group)
{
	op_x86_group_set(pmu->plan, group, pmu->left);
	pmu->began = ktime_get_ns();
	pmu->away = 0;
	pmu->group = group;
	pmu_move(pmu, OP_X86_BEGIN);
	op_x86_group_run(pmu->plan, group);
}

void op_x86_pmu_set_nmi_cost(u64 cycles)
{
	this_cpu_ptr(&cpu_pmu)->nmi_cost = cycles;
}

void op_x86_pmu_start(const struct op_x86_plan *plan)
{
	struct cpu_pmu *pmu = this_cpu_ptr(&cpu_pmu);
	unsigned int i, j;

	op_throttle_begin(&pmu->throttle, plan->nr_groups > 1 ? 1 : OP_THROTTLE_RUNS_PER_TIMING,
			  pmu->nmi_cost);
	pmu->raised = false;
	pmu->late.nr = 0;
	for (i = 0; i < plan->nr_groups; i++) {
		for (j = 0; j < plan->groups[i].nr_programs; j++) {
			const struct op_x86_program *program = &plan->groups[i].programs[j];

			pmu->left[program->number] = program->count;
			pmu->period[program->number] = program->count;
		}
	}
	pmu->plan = plan;
	pmu_move(pmu, OP_X86_START);

	op_x86_registers_save(plan, &pmu->saved);
	op_x86_registers_halt(plan);
	op_x86_registers_forget_overflows(plan);
	op_lvtpc_write(APIC_DM_NMI);
	begin_group(pmu, &plan->groups[0]);
}

/*
 * For how long the group was counted.  What its samples took is left out: else an event that has
 * many would seem to be counted for longer than it was.
 */
static u64 counted_ns(const struct cpu_pmu *pmu)
{
	u64 passed = ktime_get_ns() - pmu->began;

	if (pmu->plan->nr_groups == 1)
		return passed;
	return passed - min(passed, mul_u64_u32_div(pmu->away, NSEC_PER_MSEC, tsc_khz));
}

/*
 * @group was counted until now, and the others waited.  The time of a switch counts for no group.
 * Context: hard interrupt, or process bound to the CPU.
 */
static void account_times(const struct cpu_pmu *pmu, const struct op_x86_group *group)
{
	const struct op_x86_plan *plan = pmu->plan;
	unsigned int cpu = smp_processor_id();
	u64 ns = counted_ns(pmu);
	int i;

	for (i = 0; i < plan->nr_numbers; i++)
		op_x86_times_add(cpu, plan->numbers[i], ns, 0);
	for (i = 0; i < group->nr_programs; i++)
		op_x86_times_add(cpu, group->programs[i].number, 0, ns);
}

/*
 * The counters are halted, but on some CPUs an NMI takes its time from the overflow to here.  Those
 * that come now find their overflows and make samples of them; those that do not are late.
 */
static void await_delivery(struct cpu_pmu *pmu)
{
	unsigned int left = DELIVERY_US, nr;

	for (;;) {
		nr = op_x86_group_overflowed(pmu->plan->model, pmu->group);
		if (!nr || !left--)
			break;
		udelay(1);
	}
	if (nr)
		op_x86_late_expect(&pmu->late, nr, rdtsc(), DELIVERY_AWAY_US, NULL);
}

void op_x86_pmu_stop(void)
{
	struct cpu_pmu *pmu = this_cpu_ptr(&cpu_pmu);

	pmu_move(pmu, OP_X86_STOP);
	op_x86_registers_halt(pmu->plan);
	await_delivery(pmu);
	op_x86_registers_forget_overflows(pmu->plan);
	account_times(pmu, pmu->group);
	pmu_move(pmu, OP_X86_RESTORE);
	op_x86_registers_restore(pmu->plan, &pmu->saved);
	pmu_move(pmu, OP_X86_END);
}

/* How far the counters of the group are; those that have overflowed get their sample. */
static void put_by(struct cpu_pmu *pmu, const struct op_x86_group *group, struct pt_regs *regs)
{
	const struct op_x86_model *model = pmu->plan->model;
	u64 status = op_x86_has_global(model) ? op_msr_read(model->global.status) : 0;
	unsigned int nr = 0, claimed;
	int i;

	for (i = 0; i < group->nr_programs; i++) {
		const struct op_x86_program *program = &group->programs[i];
		u64 value = op_msr_read(program->counter_msr);

		if (op_x86_counter_overflowed(model, program, status, value)) {
			u64 period = pmu->period[program->number];

			pmu->left[program->number] = next_left(pmu, program, value);
			add_sample_of(program, regs, period);
			nr++;
		} else {
			pmu->left[program->number] = -value & model->counter_mask;
		}
	}
	claimed = READ_ONCE(pmu->claimed); /* switch:B */
	if (nr > claimed)
		op_x86_late_expect(&pmu->late, nr - claimed, rdtsc(), DELIVERY_AWAY_US, NULL);
	if (status & group->global_bits)
		op_msr_write(model->global.acknowledge, status & group->global_bits);
}

void op_x86_pmu_switch(struct pt_regs *regs)
{
	struct cpu_pmu *pmu = this_cpu_ptr(&cpu_pmu);
	const struct op_x86_plan *plan = pmu->plan;
	const struct op_x86_group *from = pmu->group;
	const struct op_x86_group *to = from + 1;

	if (to == plan->groups + plan->nr_groups)
		to = plan->groups;
	pmu->claimed = 0;
	pmu_move(pmu, OP_X86_SWITCH);
	op_x86_group_stop(plan->model, from);
	account_times(pmu, from);
	put_by(pmu, from, regs);
	op_lvtpc_write(APIC_DM_NMI); /* the entry may be masked by an NMI that found no group */
	begin_group(pmu, to);
}

/*
 * A register may be read just as an NMI is on its way: the APIC's entry is masked then, for one.
 * With a thousand samples a second that is so for one look in 10,000; what is lost stays lost.
 */
#define LOOKS 3

const char *op_x86_pmu_lost(void)
{
	const struct cpu_pmu *pmu;
	const char *what = NULL;
	unsigned long flags;
	int looks = LOOKS;

	local_irq_save(flags); /* no switch; NMIs leave all of it as they find it */
	pmu = this_cpu_ptr(&cpu_pmu);
	while (pmu->phase == OP_X86_COUNTING && looks--) {
		what = op_x86_group_lost(pmu->plan, pmu->group);
		if (!what)
			break;
	}
	local_irq_restore(flags);
	return what;
}

static bool take_late(struct cpu_pmu *pmu, const struct pt_regs *regs)
{
	return op_x86_late_take(&pmu->late, rdtsc(), regs);
}

NOKPROBE_SYMBOL(take_late);

/* The switch finds the overflow, and makes its sample. */
static bool claim_for_switch(struct cpu_pmu *pmu)
{
	if (pmu->claimed >= op_x86_group_overflowed(pmu->plan->model, pmu->group))
		return false;
	WRITE_ONCE(pmu->claimed, pmu->claimed + 1); /* nmi:B - pairs with switch:B */
	return true;
}

NOKPROBE_SYMBOL(claim_for_switch);

/* An NMI in a phase in which none looks for overflows.  Return: whether it is ours. */
static noinline int handle_elsewhere(struct cpu_pmu *pmu, enum op_x86_phase phase,
				     struct pt_regs *regs)
{
	if (phase == OP_X86_OFF && op_x86_nmi_cost_claim())
		return 1;
	if (phase == OP_X86_SWITCHING && claim_for_switch(pmu))
		return 1;
	return take_late(pmu, regs);
}

NOKPROBE_SYMBOL(handle_elsewhere);

/* No counter has overflowed: the NMI is late, or another driver's. */
static int handle_late(struct cpu_pmu *pmu, struct pt_regs *regs)
{
	if (!take_late(pmu, regs))
		return 0;
	op_lvtpc_write(APIC_DM_NMI);
	return 1;
}

/*
 * So many overflows were handled by one NMI.  Where the APIC's entry is not masked, each has raised
 * one: on AMD, and with the local APIC of some hypervisors.
 */
static noinline void handled_several(struct cpu_pmu *pmu, unsigned int handled,
				     const struct pt_regs *regs)
{
	if (pmu->plan->model->late_nmis || !(op_lvtpc_read() & APIC_LVT_MASKED))
		op_x86_late_expect(&pmu->late, handled - 1, rdtsc(), DELIVERY_US, regs);
}

NOKPROBE_SYMBOL(handled_several);

static __always_inline void end_handling(struct cpu_pmu *pmu, unsigned int handled,
					 const struct pt_regs *regs)
{
	if (unlikely(handled > 1))
		handled_several(pmu, handled, regs);
	op_lvtpc_write(APIC_DM_NMI);
}

static int handle_by_status(struct cpu_pmu *pmu, const struct op_x86_group *group,
			    struct pt_regs *regs)
{
	const struct op_x86_model *model = pmu->plan->model;
	const struct op_x86_global *global = &model->global;
	const struct op_x86_program *program = group->programs;
	u64 overflowed;
	int handled = 0;

	op_msr_write(global->control, 0);
	overflowed = op_msr_read(global->status) & group->global_bits;
	if (unlikely(!overflowed)) {
		op_msr_write(global->control, pmu->running);
		return handle_late(pmu, regs);
	}
	op_msr_write(global->acknowledge, overflowed);
	for (; overflowed; program++) { /* each bit is a program's */
		if (!(overflowed & program->global_bit))
			continue;
		overflowed &= ~program->global_bit;
		overflow(pmu, model, program, regs, op_msr_read(program->counter_msr));
		handled++;
	}
	end_handling(pmu, handled, regs);
	op_msr_write(global->control, pmu->running);
	return handled;
}

static int handle_by_top_bit(struct cpu_pmu *pmu, const struct op_x86_group *group,
			     struct pt_regs *regs)
{
	const struct op_x86_model *model = pmu->plan->model;
	int handled = 0;
	int i;

	for (i = 0; i < group->nr_programs; i++) {
		const struct op_x86_program *program = &group->programs[i];
		u64 value = op_msr_read(program->counter_msr);

		if (value & op_x86_top_bit(model))
			continue;
		overflow(pmu, model, program, regs, value);
		handled++;
	}

	if (!handled)
		return handle_late(pmu, regs);
	end_handling(pmu, handled, regs);
	return handled;
}

static noinline int handle_overflows(struct cpu_pmu *pmu, const struct op_x86_group *group,
				     struct pt_regs *regs)
{
	return op_x86_has_global(pmu->plan->model) ? handle_by_status(pmu, group, regs) :
					      handle_by_top_bit(pmu, group, regs);
}

NOKPROBE_SYMBOL(handle_overflows);

static noinline int handle_timed(struct cpu_pmu *pmu, const struct op_x86_group *group,
				 struct pt_regs *regs)
{
	u64 begin = rdtsc(), end;
	int handled = handle_overflows(pmu, group, regs);
	int change;

	if (!handled)
		return 0;
	end = rdtsc();
	pmu->away += end - begin + pmu->throttle.around;
	change = op_throttle_account(&pmu->throttle, begin, end, READ_ONCE(cpu_time_max_percent));
	if (change)
		pmu->raised = true;
	if (change > 0)
		op_cpu_stats_throttled();
	return handled;
}

NOKPROBE_SYMBOL(handle_timed);

int op_x86_pmu_handle(struct pt_regs *regs)
{
	struct cpu_pmu *pmu = this_cpu_ptr(&cpu_pmu);
	enum op_x86_phase phase = READ_ONCE(pmu->phase); /* nmi:A */

	if (unlikely(!op_x86_phase_handles(phase)))
		return handle_elsewhere(pmu, phase, regs);
	if (op_throttle_times_run(&pmu->throttle))
		return handle_timed(pmu, pmu->group, regs);
	return handle_overflows(pmu, pmu->group, regs);
}

NOKPROBE_SYMBOL(op_x86_pmu_handle);
