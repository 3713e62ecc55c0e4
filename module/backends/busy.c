// SPDX-License-Identifier: GPL-2.0-only
/*
 * Idle and busy CPUs, by tracepoints of the scheduler and of softirqs.  They are not exported by
 * name, so they are looked up; canary.c holds their arguments against the kernel's.
 *
 * Not by the tracepoint cpu_idle: by then the governor has looked when the next timer expires, and
 * chosen how deep the CPU sleeps, and whether its tick goes on.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "backends/busy.h"

static void (*change_fn)(bool busy);

/* Context: interrupts off, the run queue is locked. */
static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	if (is_idle_task(next))
		change_fn(false);
	else if (is_idle_task(prev))
		change_fn(true);
}

static void change_out_of_idle(bool busy)
{
	unsigned long flags;

	if (!is_idle_task(current))
		return;
	local_irq_save(flags);
	change_fn(busy);
	local_irq_restore(flags);
}

static void on_softirq_entry(void *data, unsigned int vector)
{
	change_out_of_idle(true);
}

static void on_softirq_exit(void *data, unsigned int vector)
{
	change_out_of_idle(false);
}

static struct point {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
} points[] = {
	{ "sched_switch", on_switch },
	{ "softirq_entry", on_softirq_entry },
	{ "softirq_exit", on_softirq_exit },
};

static void find_points(struct tracepoint *tracepoint, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(points); i++) {
		if (!strcmp(tracepoint->name, points[i].name))
			points[i].tracepoint = tracepoint;
	}
}

static int watch(struct point *point)
{
	if (!point->tracepoint)
		return -ENOENT;
	return tracepoint_probe_register(point->tracepoint, point->probe, NULL);
}

static void unwatch(int nr)
{
	while (nr) {
		const struct point *point = &points[--nr];

		tracepoint_probe_unregister(point->tracepoint, point->probe, NULL);
	}
	tracepoint_synchronize_unregister();
}

int op_busy_set_up(void (*change)(bool busy))
{
	int err;
	int i;

	change_fn = change;
	for_each_kernel_tracepoint(find_points, NULL);
	for (i = 0; i < ARRAY_SIZE(points); i++) {
		err = watch(&points[i]);
		if (err) {
			unwatch(i);
			return err;
		}
	}
	return 0;
}

void op_busy_tear_down(void)
{
	unwatch(ARRAY_SIZE(points));
}
