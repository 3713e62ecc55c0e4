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
 *
 * Groups are multiplexed: op_x86_pmu_switch() takes the group away from the NMI handler, stops the
 * counters, remembers how far each of them is from its next sample, and sets up the next group
 * before the handler gets to see it.  The time that a group was counted for is without its NMIs.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/apicdef.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include <asm/tsc.h>

#include "cpu_buffer.h"
#include "current.h"
#include "x86/throttle.h"
#include "x86/msr.h"
#include "x86/nmi_cost.h"
#include "x86/pmu.h"
#include "x86/times.h"

/* As kernel.perf_cpu_time_max_percent is for perf. */
static uint cpu_time_max_percent = 25;
module_param(cpu_time_max_percent, uint, 0644);
MODULE_PARM_DESC(cpu_time_max_percent, "time of a CPU that samples may take before their periods are doubled; 0: no limit");

#define DELIVERY_US 50 /* from an overflow to its NMI, at most, on hardware */
#define DELIVERY_AWAY_US 1000 /* the same where a hypervisor may take the CPU away meanwhile */

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
 * @group: what is counted now; NULL while it is not started, or is switched.  Read by NMIs on
 *	the same CPU.
 * @plan: NULL while it is not started
 * @running: global bits of the counters that are to run; 0 while stopping.  The handler, an
 *	NMI on the same CPU, writes it back to the hardware.
 * @late: NMIs that may still come, up to @late_until, for overflows that are handled already
 * @late_until: time stamp
 * @late_ip, @late_sp: where the NMI came that handled them; ULONG_MAX: there is none.  One that
 *	waited meanwhile comes before the next instruction there, however long that takes: a
 *	second, say, where a hypervisor has other guests to run
 * @switched_from: while groups are switched: the one that counted
 * @claimed: NMIs that came while groups were switched
 * @nmi_cost: of op_throttle::around
 * @left: by number: events to the next sample of a counter whose group is not counted
 * @period: by number: events that the next sample stands for
 * @raised: the throttle doubles periods, or one that it doubled is not over
 * @began: when this group began to be counted, in ns
 * @away: cycles since then that went into samples; only if groups are multiplexed
 */
struct cpu_pmu {
	const struct op_x86_group *group;
	const struct op_x86_plan *plan;
	u64 running;
	unsigned int late;
	u64 late_until;
	unsigned long late_ip;
	unsigned long late_sp;
	const struct op_x86_group *switched_from;
	unsigned int claimed;
	u64 nmi_cost;
	struct op_throttle throttle;
	u64 left[OP_X86_NUMBERS_MAX];
	u64 period[OP_X86_NUMBERS_MAX];
	bool raised;
	u64 began;
	u64 away;
	struct saved_registers saved;
};

static DEFINE_PER_CPU(struct cpu_pmu, cpu_pmu);

static bool has_global(const struct op_x86_model *model)
{
	return model->global.status;
}

static u64 top_bit(const struct op_x86_model *model)
{
	return model->counter_mask & ~(model->counter_mask >> 1);
}

static void set_counter(const struct op_x86_model *model, const struct op_x86_program *program,
			u64 events)
{
	op_msr_write(program->write_msr, -events & model->counter_mask);
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

	set_counter(pmu->plan->model, program, next_left(pmu, program, passed));
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
	set_counter(model, program, passed < events ? events - passed : events);
	if (in_guest())
		op_cpu_stats_guest();
	else
		oprofile_add_sample(regs, program->number);
}

static void save_registers(struct cpu_pmu *pmu)
{
	const struct op_x86_model *model = pmu->plan->model;
	struct saved_registers *saved = &pmu->saved;
	int i;

	saved->lvtpc = op_lvtpc_read();
	if (has_global(model))
		saved->global_control = op_msr_read(model->global.control);
	if (pmu->plan->has_fixed)
		saved->fixed_control = op_msr_read(MSR_CORE_PERF_FIXED_CTR_CTRL);
	if (model->enable_by_first)
		saved->first_control = op_msr_read(model->bank.control);
	for (i = 0; i < pmu->plan->nr_hardware; i++) {
		const struct op_x86_program *program = pmu->plan->hardware[i];

		if (!program->fixed)
			saved->control[i] = op_msr_read(program->control_msr);
		saved->counter[i] = op_msr_read(program->counter_msr);
	}
}

static void restore_registers(struct cpu_pmu *pmu)
{
	const struct op_x86_model *model = pmu->plan->model;
	const struct saved_registers *saved = &pmu->saved;
	int i;

	for (i = 0; i < pmu->plan->nr_hardware; i++) {
		const struct op_x86_program *program = pmu->plan->hardware[i];

		op_msr_write(program->write_msr, saved->counter[i]);
		if (!program->fixed)
			op_msr_write(program->control_msr, saved->control[i]);
	}
	if (model->enable_by_first)
		op_msr_write(model->bank.control, saved->first_control);
	if (pmu->plan->has_fixed)
		op_msr_write(MSR_CORE_PERF_FIXED_CTR_CTRL, saved->fixed_control);
	if (has_global(model))
		op_msr_write(model->global.control, saved->global_control);
	op_lvtpc_write(saved->lvtpc);
}

static void control_off(const struct op_x86_program *program)
{
	if (!program->fixed)
		op_msr_write(program->control_msr, 0);
}

static void halt_counters(const struct op_x86_plan *plan)
{
	int i;

	if (has_global(plan->model))
		op_msr_write(plan->model->global.control, 0);
	if (plan->model->enable_by_first)
		op_msr_write(plan->model->bank.control, 0);
	for (i = 0; i < plan->nr_hardware; i++)
		control_off(plan->hardware[i]);
	if (plan->has_fixed)
		op_msr_write(MSR_CORE_PERF_FIXED_CTR_CTRL, 0);
}

static void forget_overflows(const struct op_x86_plan *plan)
{
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

/* Both for the whole group before anything counts: the handler looks at all of its counters. */
static void set_counters(const struct cpu_pmu *pmu, const struct op_x86_group *group)
{
	int i;

	for (i = 0; i < group->nr_programs; i++)
		set_counter(pmu->plan->model, &group->programs[i],
			    pmu->left[group->programs[i].number]);
}

static void set_controls(const struct cpu_pmu *pmu, const struct op_x86_group *group)
{
	const struct op_x86_model *model = pmu->plan->model;
	int i;

	for (i = 0; i < group->nr_programs; i++) {
		const struct op_x86_program *program = &group->programs[i];

		if (!program->fixed)
			op_msr_write(program->control_msr, control_of(model, program));
	}
	if (pmu->plan->has_fixed)
		op_msr_write(MSR_CORE_PERF_FIXED_CTR_CTRL, group->fixed_control);
}

/* Show the group to the handler, and begin to count. */
static void begin_group(struct cpu_pmu *pmu, const struct op_x86_group *group)
{
	const struct op_x86_model *model = pmu->plan->model;

	set_counters(pmu, group);
	if (has_global(model))
		set_controls(pmu, group);
	pmu->began = ktime_get_ns();
	pmu->away = 0;
	pmu->running = group->global_bits;
	WRITE_ONCE(pmu->group, group); /* begin_group:A - pairs with nmi:A */
	barrier(); /* an NMI on this CPU finds all of it */

	if (has_global(model)) {
		op_msr_write(model->global.control, group->global_bits);
		return;
	}
	set_controls(pmu, group);
	if (model->enable_by_first)
		op_msr_write(model->bank.control, op_msr_read(model->bank.control) |
						  ARCH_PERFMON_EVENTSEL_ENABLE);
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
	pmu->late = 0;
	pmu->switched_from = &plan->groups[0];
	pmu->claimed = UINT_MAX; /* nothing counts before begin_group() */
	for (i = 0; i < plan->nr_groups; i++) {
		for (j = 0; j < plan->groups[i].nr_programs; j++) {
			const struct op_x86_program *program = &plan->groups[i].programs[j];

			pmu->left[program->number] = program->count;
			pmu->period[program->number] = program->count;
		}
	}
	WRITE_ONCE(pmu->plan, plan);

	save_registers(pmu);
	halt_counters(plan);
	forget_overflows(plan);
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

/* The group counts no more, and does not go on when the next one does. */
static void stop_group(const struct op_x86_model *model, const struct op_x86_group *group)
{
	int i;

	if (has_global(model)) {
		op_msr_write(model->global.control, 0);
		return;
	}
	if (model->enable_by_first)
		op_msr_write(model->bank.control, 0);
	for (i = 0; i < group->nr_programs; i++)
		control_off(&group->programs[i]);
}

/*
 * NMIs of ours that find nothing to handle may come, each for an overflow that was found early.
 * They are raised already, so they come as soon as NMIs can, in @us at most.  After that an NMI
 * that finds nothing is somebody else's.  @regs: NULL, or what was interrupted by the NMI that
 * found them.
 */
static void expect_late(struct cpu_pmu *pmu, unsigned int nr, unsigned int us,
			const struct pt_regs *regs)
{
	pmu->late_until = rdtsc() + div_u64((u64)us * tsc_khz, USEC_PER_MSEC);
	pmu->late_ip = regs ? regs->ip : ULONG_MAX;
	pmu->late_sp = regs ? regs->sp : 0;
	barrier(); /* an NMI that sees the one sees the other */
	pmu->late = nr;
}

/* Is this NMI one of them? */
static bool take_late(struct cpu_pmu *pmu, const struct pt_regs *regs)
{
	bool same_place = regs->ip == pmu->late_ip && regs->sp == pmu->late_sp;
	s64 patience = same_place ? (s64)tsc_khz * MSEC_PER_SEC : 0;

	if (!pmu->late)
		return false;
	if ((s64)(rdtsc() - pmu->late_until) > patience) {
		pmu->late = 0;
		return false;
	}
	pmu->late--;
	return true;
}

NOKPROBE_SYMBOL(take_late);

static bool overflowed(const struct op_x86_model *model, const struct op_x86_program *program,
		       u64 status, u64 value)
{
	return has_global(model) ? status & program->global_bit : !(value & top_bit(model));
}

/* Counters of a group that have overflowed, and are not handled. */
static unsigned int count_overflowed(const struct op_x86_model *model,
				     const struct op_x86_group *group)
{
	u64 status = has_global(model) ? op_msr_read(model->global.status) : 0;
	unsigned int nr = 0;
	int i;

	for (i = 0; i < group->nr_programs; i++) {
		const struct op_x86_program *program = &group->programs[i];
		u64 value = has_global(model) ? 0 : op_msr_read(program->counter_msr);

		nr += overflowed(model, program, status, value);
	}
	return nr;
}

NOKPROBE_SYMBOL(count_overflowed);

/*
 * The counters are halted, but on some CPUs an NMI takes its time from the overflow to here.  Those
 * that come now find their overflows and make samples of them; those that do not are late.
 */
static void await_delivery(struct cpu_pmu *pmu)
{
	unsigned int left = DELIVERY_US, nr;

	for (;;) {
		nr = count_overflowed(pmu->plan->model, pmu->group);
		if (!nr || !left--)
			break;
		udelay(1);
	}
	if (nr)
		expect_late(pmu, nr, DELIVERY_AWAY_US, NULL);
}

void op_x86_pmu_stop(void)
{
	struct cpu_pmu *pmu = this_cpu_ptr(&cpu_pmu);

	WRITE_ONCE(pmu->running, 0); /* pmu_stop:A - pairs with nmi:C */
	barrier();
	halt_counters(pmu->plan);
	await_delivery(pmu);
	forget_overflows(pmu->plan);
	account_times(pmu, pmu->group);
	pmu->claimed = UINT_MAX; /* what the registers held before us is no overflow of ours */
	barrier();
	WRITE_ONCE(pmu->group, NULL); /* pmu_stop:B - pairs with nmi:A */
	barrier(); /* NMIs on this CPU leave registers alone from here on */
	restore_registers(pmu);
	barrier();
	WRITE_ONCE(pmu->plan, NULL);
}

/* How far the counters of the group are; those that have overflowed get their sample. */
static void put_by(struct cpu_pmu *pmu, const struct op_x86_group *group, struct pt_regs *regs)
{
	const struct op_x86_model *model = pmu->plan->model;
	u64 status = has_global(model) ? op_msr_read(model->global.status) : 0;
	unsigned int nr = 0, claimed;
	int i;

	for (i = 0; i < group->nr_programs; i++) {
		const struct op_x86_program *program = &group->programs[i];
		u64 value = op_msr_read(program->counter_msr);

		if (overflowed(model, program, status, value)) {
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
		expect_late(pmu, nr - claimed, DELIVERY_AWAY_US, NULL);
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
	pmu->switched_from = from;
	WRITE_ONCE(pmu->group, NULL); /* switch:A - pairs with nmi:A */
	barrier(); /* NMIs on this CPU leave registers alone from here on */

	stop_group(plan->model, from);
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
	return !(op_msr_read(program->counter_msr) & top_bit(model)) &&
	       !(op_msr_read(model->global.status) & program->global_bit) &&
	       !(op_msr_read(program->counter_msr) & top_bit(model));
}

static const char *program_lost(const struct op_x86_model *model,
				const struct op_x86_program *program)
{
	if (!program->fixed && select_changed(model, program))
		return "an event select was changed";
	if (has_global(model) && overflow_taken(model, program))
		return "an overflow was taken";
	return NULL;
}

static const char *group_lost(const struct cpu_pmu *pmu, const struct op_x86_group *group)
{
	const struct op_x86_model *model = pmu->plan->model;
	const char *what = NULL;
	int i;

	if ((op_lvtpc_read() & (APIC_MODE_MASK | APIC_LVT_MASKED)) != APIC_DM_NMI)
		return "the APIC's entry was changed";
	if (has_global(model) &&
	    (op_msr_read(model->global.control) & group->global_bits) != group->global_bits)
		return "the global control was changed";
	if (model->enable_by_first &&
	    !(op_msr_read(model->bank.control) & ARCH_PERFMON_EVENTSEL_ENABLE))
		return "an event select was changed";
	if (pmu->plan->has_fixed &&
	    (op_msr_read(MSR_CORE_PERF_FIXED_CTR_CTRL) & group->fixed_control) !=
		    group->fixed_control)
		return "the control of fixed counters was changed";
	for (i = 0; !what && i < group->nr_programs; i++)
		what = program_lost(model, &group->programs[i]);
	return what;
}

const char *op_x86_pmu_lost(void)
{
	const struct op_x86_group *group;
	const struct cpu_pmu *pmu;
	const char *what = NULL;
	unsigned long flags;
	int looks = LOOKS;

	local_irq_save(flags); /* no switch; NMIs leave all of it as they find it */
	pmu = this_cpu_ptr(&cpu_pmu);
	group = READ_ONCE(pmu->group);
	while (group && looks--) {
		what = group_lost(pmu, group);
		if (!what)
			break;
	}
	local_irq_restore(flags);
	return what;
}

/*
 * An NMI in the midst of a switch, which will find the overflow itself; or one that comes
 * after that; or one that nothing counted for.  Return: whether it is ours.
 */
static int handle_without_group(struct cpu_pmu *pmu, struct pt_regs *regs)
{
	const struct op_x86_plan *plan = READ_ONCE(pmu->plan);

	if (!plan)
		return op_x86_nmi_cost_claim() || take_late(pmu, regs);
	if (pmu->claimed < count_overflowed(plan->model, pmu->switched_from)) {
		WRITE_ONCE(pmu->claimed, pmu->claimed + 1); /* nmi:B - pairs with switch:B */
		return 1;
	}
	return take_late(pmu, regs);
}

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
		expect_late(pmu, handled - 1, DELIVERY_US, regs);
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
		op_msr_write(global->control, READ_ONCE(pmu->running));
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
	op_msr_write(global->control, READ_ONCE(pmu->running)); /* nmi:C */
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

		if (value & top_bit(model))
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
	return has_global(pmu->plan->model) ? handle_by_status(pmu, group, regs) :
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
	const struct op_x86_group *group = READ_ONCE(pmu->group); /* nmi:A */

	if (!group)
		return handle_without_group(pmu, regs);
	if (op_throttle_times_run(&pmu->throttle))
		return handle_timed(pmu, group, regs);
	return handle_overflows(pmu, group, regs);
}

NOKPROBE_SYMBOL(op_x86_pmu_handle);
