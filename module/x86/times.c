// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times of counters.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/percpu.h>

#include "oprofilefs.h"
#include "x86/model.h"
#include "x86/times.h"

struct cpu_times {
	u64 enabled[OP_X86_NUMBERS_MAX];
	u64 running[OP_X86_NUMBERS_MAX];
};

/* Written for their own CPU; read by anybody. */
static DEFINE_PER_CPU(struct cpu_times, cpu_times);
static struct oprofilefs_getter enabled_getters[OP_X86_NUMBERS_MAX];
static struct oprofilefs_getter running_getters[OP_X86_NUMBERS_MAX];
static void (*refresh_fn)(void);

static unsigned long sum_enabled(unsigned int number)
{
	unsigned long sum = 0;
	unsigned int cpu;

	if (refresh_fn)
		refresh_fn();
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(cpu_times, cpu).enabled[number]);
	return sum;
}

static unsigned long sum_running(unsigned int number)
{
	unsigned long sum = 0;
	unsigned int cpu;

	if (refresh_fn)
		refresh_fn();
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(cpu_times, cpu).running[number]);
	return sum;
}

static int create_times(struct dentry *stats, unsigned int number)
{
	struct dentry *directory;
	char name[20];

	snprintf(name, sizeof(name), "counter%u", number);
	directory = oprofilefs_mkdir(stats, name);
	if (IS_ERR(directory))
		return PTR_ERR(directory);
	enabled_getters[number] = (struct oprofilefs_getter){ sum_enabled, number };
	running_getters[number] = (struct oprofilefs_getter){ sum_running, number };
	return oprofilefs_create_getter_of(directory, "enabled_ns", &enabled_getters[number]) ?:
	       oprofilefs_create_getter_of(directory, "running_ns", &running_getters[number]);
}

int op_x86_times_create(struct dentry *stats, unsigned int nr, void (*refresh)(void))
{
	unsigned int number;
	int err = 0;

	refresh_fn = refresh;
	for (number = 0; !err && number < nr; number++)
		err = create_times(stats, number);
	return err;
}

void op_x86_times_add(unsigned int cpu, unsigned int number, u64 enabled_ns, u64 running_ns)
{
	struct cpu_times *times = per_cpu_ptr(&cpu_times, cpu);

	WRITE_ONCE(times->enabled[number], times->enabled[number] + enabled_ns);
	WRITE_ONCE(times->running[number], times->running[number] + running_ns);
}

void op_x86_times_reset(void)
{
	unsigned int cpu;
	int number;

	for_each_possible_cpu(cpu) {
		struct cpu_times *times = per_cpu_ptr(&cpu_times, cpu);

		for (number = 0; number < OP_X86_NUMBERS_MAX; number++) {
			WRITE_ONCE(times->enabled[number], 0);
			WRITE_ONCE(times->running[number], 0);
		}
	}
}
