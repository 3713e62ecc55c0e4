// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend x86: the performance counters of the CPUs, sampled by NMI.
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/cpufeature.h>
#include <asm/nmi.h>

#include "backend.h"
#include "backtrace.h"
#include "refusal.h"
#include "x86/counter.h"
#include "x86/model.h"
#include "x86/msr.h"
#include "x86/nmi_cost.h"
#include "x86/plan.h"
#include "x86/pmu.h"
#include "x86/reserve.h"
#include "x86/rotation.h"
#include "x86/times.h"
#include "x86/watch.h"

static struct op_x86_identity x86_identity; /* of all CPUs that are sampled */
static struct op_x86_model x86_model;
static struct op_x86_plan x86_plan;
static const char *x86_unfit; /* why x86_probe() said no; NULL: there are no counters */
static struct cpumask x86_counting; /* between cpu_start and cpu_stop, if not left out */
static char busy_reason[96]; /* why the counters could not be reserved */
static const char *busy_hint; /* what to do, behind that */

/*
 * Hypervisors may claim a CPU whose counters are not there, or stand still: see whether a
 * value can be written and read back.
 */
static bool counters_work(void)
{
	const u64 pattern = 0xabcd;
	u64 control, counter, value;
	bool work;

	if (!op_x86_counter_reserve(&x86_model, 0))
		return true; /* they are in use */
	preempt_disable();
	work = op_msr_read_safe(x86_model.bank.control, &control) &&
	       op_msr_read_safe(x86_model.bank.counter, &counter) &&
	       op_msr_write_safe(x86_model.bank.write, pattern) &&
	       op_msr_read_safe(x86_model.bank.counter, &value) && value == pattern;
	if (work)
		op_msr_write(x86_model.bank.write, counter);
	preempt_enable();
	op_x86_counter_release(&x86_model, 0);
	return work;
}

static const char *find_unfitness(const struct op_x86_model *model)
{
	if (model->mixed)
		return "the CPUs are of several kinds, which perf tells apart";
	if (model->unreserved)
		return "counters of version 6 cannot be reserved against perf";
	return NULL;
}

static int x86_probe(void)
{
	x86_unfit = NULL;
	if (!boot_cpu_has(X86_FEATURE_APIC) || boot_cpu_has(X86_FEATURE_XENPV))
		return -ENODEV;
	if (!op_x86_model_of_machine(&x86_identity, &x86_model))
		return -ENODEV;
	x86_unfit = find_unfitness(&x86_model);
	return x86_unfit || !counters_work() ? -ENODEV : 0;
}

static const char *x86_obstacle(void)
{
	return x86_unfit;
}

static const char *x86_holder(void)
{
	unsigned int i;

	for (i = 0; i < x86_model.nr_general; i++) {
		if (op_x86_counter_free(&x86_model, i))
			return NULL;
	}
	return "other drivers hold all counters";
}

static void release_counters(unsigned int nr)
{
	while (nr)
		op_x86_counter_release(&x86_model, x86_plan.hardware[--nr]->hardware);
}

static int reserve_counters(void)
{
	unsigned int i;

	for (i = 0; i < x86_plan.nr_hardware; i++) {
		if (op_x86_counter_reserve(&x86_model, x86_plan.hardware[i]->hardware))
			continue;
		snprintf(busy_reason, sizeof(busy_reason),
			 "counter %u is held by perf or the NMI watchdog",
			 x86_plan.hardware[i]->hardware);
		busy_hint = "; \"echo 0 > /proc/sys/kernel/nmi_watchdog\" frees the latter";
		release_counters(i);
		return -EBUSY;
	}
	return 0;
}

/* What somebody else uses of this CPU, a sentence without its end; NULL: nothing. */
static const char *find_use(void)
{
	unsigned int i;

	for (i = 0; i < x86_plan.nr_hardware; i++) {
		if (op_x86_counter_used(&x86_model, x86_plan.hardware[i]->hardware))
			return "a counter is in use";
	}
	return op_x86_traced() ? "Intel PT is in use" : NULL;
}

static void find_use_fn(void *use)
{
	*(const char **)use = find_use();
}

/* What is reserved for us may be in use all the same. */
static int check_use(void)
{
	const char *use = NULL;
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		smp_call_function_single(cpu, find_use_fn, &use, true);
		if (use)
			break;
	}
	cpus_read_unlock();
	if (!use)
		return 0;
	snprintf(busy_reason, sizeof(busy_reason), "%s on CPU %u, unreserved", use, cpu);
	return -EBUSY;
}

/* Does perf make an event that counts instructions, on this machine or in virtual ones, too? */
static int try_perf(bool exclude_guest)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_guest = exclude_guest,
	};
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

static bool can_lend = IS_ENABLED(CONFIG_PERF_GUEST_MEDIATED_PMU);

/*
 * KVM lends the counters to a virtual machine whenever it runs (mediated vPMU), and tells no other
 * module.  But while there is such a machine, perf makes no event that counts in virtual machines.
 * One that comes later is found by x86/watch.h.
 */
static bool lent_to_guests(void)
{
	/* an event that perf makes has it write its own values to registers of the CPU */
	return can_lend && try_perf(false) == -EOPNOTSUPP && !try_perf(true);
}

static int take_counters(void)
{
	int err;

	busy_hint = "";
	if (op_x86_watch_take(busy_reason, sizeof(busy_reason)))
		return -EBUSY;
	if (lent_to_guests()) {
		strscpy(busy_reason, "virtual machines use the counters", sizeof(busy_reason));
		return -EBUSY;
	}
	err = reserve_counters();
	if (err)
		return err;
	err = check_use();
	if (err)
		release_counters(x86_plan.nr_hardware);
	return err;
}

static int handle_counter_nmi(unsigned int type, struct pt_regs *regs)
{
	return op_x86_pmu_handle(regs);
}

NOKPROBE_SYMBOL(handle_counter_nmi);

static int x86_start(void)
{
	int err = take_counters();

	if (err && !op_backend_has_stand_in())
		op_log_refusal("%s%s" OP_BACKEND_WAY_OUT "\n", busy_reason, busy_hint);
	return err;
}

static void x86_stop(void)
{
	release_counters(x86_plan.nr_hardware);
}

/* Whoever opens the buffer hears of it now, and not at the start. */
static int try_counters(void)
{
	int err = x86_start();

	if (!err)
		x86_stop();
	return err;
}

static int x86_setup(void)
{
	int err;

	err = op_x86_plan_make(&x86_model, &x86_plan);
	if (err)
		return err;
	op_x86_times_reset();
	if (!op_backend_has_stand_in()) {
		err = try_counters();
		if (err)
			return err;
	}
	return register_nmi_handler(NMI_LOCAL, handle_counter_nmi, 0, "oprofile_pmu");
}

static void x86_shutdown(void)
{
	op_x86_watch_end();
	unregister_nmi_handler(NMI_LOCAL, "oprofile_pmu"); /* none is running any more */
}

/* A CPU that has come since may be another one than those that were there at the start. */
static bool is_as_expected(unsigned int cpu)
{
	struct op_x86_identity identity;
	const char *use;

	op_x86_identify(&identity);
	if (!op_x86_identity_same(&identity, &x86_identity)) {
		pr_warn("CPU %u differs from the others and is not sampled\n", cpu);
		return false;
	}
	use = find_use();
	if (use)
		op_x86_watch_report(cpu, use);
	return !use;
}

static void x86_cpu_start(unsigned int cpu)
{
	if (!is_as_expected(cpu))
		return;
	cpumask_set_cpu(cpu, &x86_counting);
	op_x86_pmu_set_nmi_cost(op_x86_nmi_cost());
	op_x86_pmu_start(&x86_plan);
	if (x86_plan.nr_groups > 1)
		op_x86_rotation_start();
	op_x86_watch_start();
}

static void x86_cpu_stop(unsigned int cpu)
{
	if (!cpumask_test_and_clear_cpu(cpu, &x86_counting))
		return;
	op_x86_watch_stop();
	if (x86_plan.nr_groups > 1)
		op_x86_rotation_stop();
	op_x86_pmu_stop();
}

static unsigned long held_counters; /* hardware counters that were not offered last */

static bool is_offered(const struct op_x86_model *of, unsigned int number)
{
	unsigned int hardware = op_x86_hardware_counter(of, number);

	if (op_backend_has_stand_in() || op_x86_counter_free(of, hardware))
		return true;
	__set_bit(hardware, &held_counters);
	return false;
}

static int x86_create_files(struct dentry *root)
{
	int err;

	held_counters = 0;
	err = op_x86_counters_create(root, &x86_model, is_offered) ?:
	      op_x86_rotation_create_files(root);
	if (held_counters)
		op_log_refusal("counters held by perf or the NMI watchdog are not offered: %*pbl\n",
			       BITS_PER_LONG, &held_counters);
	return err;
}

static int x86_create_stats(struct dentry *stats)
{
	return op_x86_times_create(stats, op_x86_numbers(&x86_model), op_backend_refresh_times);
}

static const char *x86_cpu_type(void)
{
	return x86_model.cpu_type;
}

static const char *x86_reason(void)
{
	return busy_reason;
}

const struct oprofile_backend op_x86_backend = {
	.name = "x86",
	.probe = x86_probe,
	.obstacle = x86_obstacle,
	.holder = x86_holder,
	.setup = x86_setup,
	.shutdown = x86_shutdown,
	.start = x86_start,
	.stop = x86_stop,
	.cpu_start = x86_cpu_start,
	.cpu_stop = x86_cpu_stop,
	.create_files = x86_create_files,
	.create_stats = x86_create_stats,
	.cpu_type = x86_cpu_type,
	.reason = x86_reason,
	.backtrace = op_backtrace,
};
