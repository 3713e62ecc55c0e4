// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend perf: the same counters through the kernel's perf events, for machines where perf
 * must go on working beside us.  perf assigns the counters, and multiplexes events if
 * there are more than counters.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>

#include "backend.h"
#include "backtrace.h"
#include "cpu_buffer.h"
#include "refusal.h"
#include "x86/counter.h"
#include "x86/model.h"
#include "x86/times.h"

#ifndef MAX_INTERRUPTS
#define MAX_INTERRUPTS (~0ULL) /* perf's own mark of a throttled event */
#endif

static struct op_x86_model model;
static struct op_x86_program programs[OP_X86_NUMBERS_MAX];
static int nr_programs;

/* An event on a CPU, and what its times were when they were last added up. */
struct cpu_event {
	struct perf_event *event;
	u64 enabled_ns;
	u64 running_ns;
};

/* Made and released on their CPU, by cpu_start() and cpu_stop(); read by anybody. */
static DEFINE_PER_CPU(struct cpu_event, events[OP_X86_NUMBERS_MAX]);
static DEFINE_MUTEX(events_mutex);

static struct cpu_event *event_of(unsigned int cpu, int i)
{
	return per_cpu_ptr(&events[i], cpu);
}

/* Context: NMI. */
static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	const struct op_x86_program *program = event->overflow_handler_context;

	/* perf stops it until the next tick. */
	if (event->hw.interrupts == MAX_INTERRUPTS)
		op_cpu_stats_throttled();
	oprofile_add_sample(regs, program->number);
}

static struct perf_event *create(unsigned int cpu, struct op_x86_program *program)
{
	/* What perf chooses by itself: interrupt, enable, and which code to count. */
	const u64 own = ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_ENABLE |
			ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = program->select & ~own,
		.sample_period = program->count,
		.exclude_user = !(program->select & ARCH_PERFMON_EVENTSEL_USR),
		.exclude_kernel = !(program->select & ARCH_PERFMON_EVENTSEL_OS),
		.exclude_hv = 1,
		.exclude_guest = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, on_overflow, program);
}

/* Can perf sample at all?  Virtual machines may have no counters. */
static int perf_probe(void)
{
	struct op_x86_identity identity;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = S32_MAX,
		.disabled = 1,
	};
	struct perf_event *event;

	op_x86_identify(&identity);
	if (!op_x86_model_find(&identity, &model))
		return -ENODEV;
	event = perf_event_create_kernel_counter(&attr, 0, NULL, on_overflow, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

static int perf_setup(void)
{
	nr_programs = op_x86_counters_compile(&model, programs);
	if (nr_programs < 0)
		return nr_programs;
	op_x86_times_reset();
	return 0;
}

/* Learns before anything is started what perf does not take. */
static int perf_start(void)
{
	struct perf_event *event;
	int i;

	for (i = 0; i < nr_programs; i++) {
		event = create(cpumask_first(cpu_online_mask), &programs[i]);
		if (IS_ERR(event)) {
			op_log_refusal("perf refuses the event of counter %u: error %ld\n",
				       programs[i].number, PTR_ERR(event));
			return PTR_ERR(event);
		}
		perf_event_release_kernel(event);
	}
	return 0;
}

static void perf_cpu_start(unsigned int cpu)
{
	int i;

	mutex_lock(&events_mutex);
	for (i = 0; i < nr_programs; i++) {
		struct perf_event *event = create(cpu, &programs[i]);

		if (IS_ERR(event)) {
			pr_warn("counter %u does not count on CPU %u: error %ld\n",
				programs[i].number, cpu, PTR_ERR(event));
			event = NULL;
		}
		*event_of(cpu, i) = (struct cpu_event){ .event = event };
	}
	mutex_unlock(&events_mutex);
}

static void add_times(unsigned int cpu, int i)
{
	struct cpu_event *of = event_of(cpu, i);
	u64 enabled, running;

	perf_event_read_value(of->event, &enabled, &running);
	op_x86_times_add(cpu, programs[i].number, enabled - of->enabled_ns,
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
		add_times(cpu, i);
		perf_event_release_kernel(event_of(cpu, i)->event);
		event_of(cpu, i)->event = NULL;
	}
	mutex_unlock(&events_mutex);
}

static void refresh_times(void)
{
	unsigned int cpu;
	int i;

	mutex_lock(&events_mutex);
	for_each_possible_cpu(cpu) {
		for (i = 0; i < nr_programs; i++) {
			if (event_of(cpu, i)->event)
				add_times(cpu, i);
		}
	}
	mutex_unlock(&events_mutex);
}

/* Standing in for x86 it has the numbers of that one, and this is not called. */
static int perf_create_files(struct dentry *root)
{
	model.nr_fixed = 0; /* they are perf's to choose */
	return op_x86_counters_create(root, &model, NULL);
}

static int perf_create_stats(struct dentry *stats)
{
	model.nr_fixed = 0; /* as in perf_create_files() */
	return op_x86_times_create(stats, op_x86_numbers(&model), op_backend_refresh_times);
}

static const char *perf_cpu_type(void)
{
	return model.cpu_type;
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
	.refresh_times = refresh_times,
	.backtrace = op_backtrace,
};
