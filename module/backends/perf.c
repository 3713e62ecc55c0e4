// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend perf: the same counters through the kernel's perf events, for machines where perf
 * must go on working beside us.  perf assigns the counters, and multiplexes events if
 * there are more than counters.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>

#include "backend.h"
#include "backtrace.h"
#include "cpu_buffer.h"
#include "backends/perf_period.h"
#include "refusal.h"
#include "x86/counter.h"
#include "x86/model.h"
#include "x86/times.h"

#ifndef MAX_INTERRUPTS
#define MAX_INTERRUPTS (~0ULL) /* perf's own mark of a throttled event */
#endif

#define NO_TYPE (-1)

static struct op_x86_model perf_model;
static struct op_x86_program perf_programs[OP_X86_NUMBERS_MAX];
static int nr_programs;
static char perf_refusal[80]; /* what perf does not take */

/**
 * struct cpu_event - an event on a CPU
 * @enabled_ns, @running_ns: its times when they were last added up
 * @period: written by its overflows
 */
struct cpu_event {
	struct perf_event *event;
	const struct op_x86_program *program;
	u64 enabled_ns;
	u64 running_ns;
	struct op_perf_period period;
};

/* Made and released on their CPU, by cpu_start() and cpu_stop(); times are read by anybody. */
static DEFINE_PER_CPU(struct cpu_event, cpu_events[OP_X86_NUMBERS_MAX]);
static DEFINE_MUTEX(events_mutex);

static struct cpu_event *event_of(unsigned int cpu, int i)
{
	return per_cpu_ptr(&cpu_events[i], cpu);
}

/*
 * perf has set the counter already, for the next overflow: the period holds from there on, as where
 * perf itself adjusts it for a frequency.
 */
static void adjust_period(struct perf_event *event, struct cpu_event *of)
{
	bool stopped = event->hw.interrupts == MAX_INTERRUPTS;

	if (op_perf_period_adjust(&of->period, event->hw.interrupts_seq, stopped) || stopped)
		op_cpu_stats_throttled();
	event->hw.sample_period = of->program->count << of->period.shift;
}

NOKPROBE_SYMBOL(adjust_period);

/* Context: NMI. */
static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct cpu_event *of = event->overflow_handler_context;
	const struct op_x86_program *program = of->program;
	u64 counted = local64_read(&event->count); /* perf has read the counter */
	u64 weight = op_perf_period_weigh(&of->period, program->count, counted);

	adjust_period(event, of);
	if (likely(weight == program->count))
		oprofile_add_sample(regs, program->number);
	else
		oprofile_add_weighted_sample(regs, program->number, weight);
}

NOKPROBE_SYMBOL(on_overflow);

static struct perf_event *create_instructions(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = S32_MAX,
		.disabled = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, on_overflow, NULL);
}

/*
 * perf's number for the PMU that has this CPU: where there are big and small cores, each kind has a
 * PMU of its own, and PERF_TYPE_RAW is that of the big ones.  Return: or a negative errno.
 */
static int find_type(unsigned int cpu)
{
	struct perf_event *event = create_instructions(cpu);
	int type;

	if (IS_ERR(event))
		return PTR_ERR(event);
	type = event->pmu->type;
	perf_event_release_kernel(event);
	return type;
}

/**
 * create_event - an event that counts what @program says
 * @type: of find_type(), which may have failed
 * @of: whose samples they are; NULL: it is on trial, and does not count
 */
static struct perf_event *create_event(unsigned int cpu, int type,
				       const struct op_x86_program *program, struct cpu_event *of)
{
	/* What perf chooses by itself: interrupt, enable, and which code to count. */
	const u64 own = ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_ENABLE |
			ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS;
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = program->select & ~own,
		.sample_period = program->count,
		.disabled = !of,
		.exclude_user = !(program->select & ARCH_PERFMON_EVENTSEL_USR),
		.exclude_kernel = !(program->select & ARCH_PERFMON_EVENTSEL_OS),
		.exclude_hv = 1,
		.exclude_guest = 1,
	};

	return type < 0 ? ERR_PTR(type) :
			  perf_event_create_kernel_counter(&attr, cpu, NULL, on_overflow, of);
}

/* Can perf sample at all?  Virtual machines may have no counters. */
static int perf_probe(void)
{
	struct op_x86_identity identity;
	int type;

	if (!op_x86_model_of_machine(&identity, &perf_model))
		return -ENODEV;
	type = find_type(cpumask_first(cpu_online_mask));
	return type < 0 ? type : 0;
}

/* All kinds of CPUs must count the same. */
static int check_common(const struct op_x86_program *program)
{
	if (!perf_model.mixed || op_x86_event_common(program->select))
		return 0;
	op_log_refusal("counter %u: not all kinds of CPUs have event 0x%02llx, mask 0x%02llx\n",
		       program->number,
		       program->select & ARCH_PERFMON_EVENTSEL_EVENT,
		       (program->select & ARCH_PERFMON_EVENTSEL_UMASK) >> 8);
	return -EINVAL;
}

static int perf_setup(void)
{
	int err = 0;
	int i;

	nr_programs = op_x86_counters_compile(&perf_model, perf_programs);
	if (nr_programs < 0)
		return nr_programs;
	for (i = 0; !err && i < nr_programs; i++)
		err = check_common(&perf_programs[i]);
	if (err)
		return err;
	op_x86_times_reset();
	return 0;
}

static int try_events(unsigned int cpu, int type)
{
	struct perf_event *event;
	int i;

	for (i = 0; i < nr_programs; i++) {
		event = create_event(cpu, type, &perf_programs[i], NULL);
		if (IS_ERR(event)) {
			snprintf(perf_refusal, sizeof(perf_refusal),
				 "perf refuses the event of counter %u on CPU %u (error %ld)",
				 perf_programs[i].number, cpu, -PTR_ERR(event));
			return PTR_ERR(event);
		}
		perf_event_release_kernel(event);
	}
	return 0;
}

/* Learns before anything is started what perf does not take, on a CPU of each kind. */
static int try_machine(void)
{
	int type, last = NO_TYPE, err;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		type = find_type(cpu);
		if (type == last)
			continue;
		err = try_events(cpu, type);
		if (err && cpu_online(cpu)) /* else it has gone meanwhile */
			return err;
		last = type;
	}
	return 0;
}

static int perf_start(void)
{
	int err = try_machine();

	if (err && !op_backend_has_stand_in()) /* it does not stand in itself */
		op_log_refusal("%s" OP_BACKEND_WAY_OUT "\n", perf_refusal);
	return err;
}

static const char *perf_reason(void)
{
	return perf_refusal;
}

static void perf_cpu_start(unsigned int cpu)
{
	int type = find_type(cpu);
	int i;

	mutex_lock(&events_mutex);
	for (i = 0; i < nr_programs; i++) {
		struct cpu_event *of = event_of(cpu, i);
		struct perf_event *event;

		*of = (struct cpu_event){ .program = &perf_programs[i] };
		event = create_event(cpu, type, of->program, of); /* it may overflow at once */
		if (IS_ERR(event)) {
			pr_warn("counter %u does not count on CPU %u: error %ld\n",
				perf_programs[i].number, cpu, PTR_ERR(event));
			event = NULL;
		}
		of->event = event;
	}
	mutex_unlock(&events_mutex);
}

static void add_event_times(unsigned int cpu, int i)
{
	struct cpu_event *of = event_of(cpu, i);
	u64 enabled, running;

	perf_event_read_value(of->event, &enabled, &running);
	op_x86_times_add(cpu, perf_programs[i].number, enabled - of->enabled_ns,
			 running - of->running_ns);
	of->enabled_ns = enabled;
	of->running_ns = running;
}

static void perf_cpu_stop(unsigned int cpu)
{
	int i;

	mutex_lock(&events_mutex);
	for (i = 0; i < nr_programs; i++) {
		if (!event_of(cpu, i)->event)
			continue;
		add_event_times(cpu, i);
		perf_event_release_kernel(event_of(cpu, i)->event);
		event_of(cpu, i)->event = NULL;
	}
	mutex_unlock(&events_mutex);
}

static void perf_refresh_times(void)
{
	unsigned int cpu;
	int i;

	mutex_lock(&events_mutex);
	for_each_possible_cpu(cpu) {
		for (i = 0; i < nr_programs; i++) {
			if (event_of(cpu, i)->event)
				add_event_times(cpu, i);
		}
	}
	mutex_unlock(&events_mutex);
}

/* Standing in for x86 it has the numbers of that one, and this is not called. */
static int perf_create_files(struct dentry *root)
{
	perf_model.nr_fixed = 0; /* they are perf's to choose */
	return op_x86_counters_create(root, &perf_model, NULL);
}

static int perf_create_stats(struct dentry *stats)
{
	perf_model.nr_fixed = 0; /* as in perf_create_files() */
	return op_x86_times_create(stats, op_x86_numbers(&perf_model), op_backend_refresh_times);
}

static const char *perf_cpu_type(void)
{
	return perf_model.cpu_type;
}

const struct oprofile_backend op_perf_backend = {
	.name = "perf",
	.probe = perf_probe,
	.setup = perf_setup,
	.start = perf_start,
	.cpu_start = perf_cpu_start,
	.cpu_stop = perf_cpu_stop,
	.create_files = perf_create_files,
	.create_stats = perf_create_stats,
	.cpu_type = perf_cpu_type,
	.reason = perf_reason,
	.refresh_times = perf_refresh_times,
	.backtrace = op_backtrace,
};
