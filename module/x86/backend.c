// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend x86: the performance counters of the CPUs, sampled by NMI.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/preempt.h>

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

static struct op_x86_model model;
static struct op_x86_plan plan;
static char reason[80]; /* why the counters could not be reserved */

/*
 * Hypervisors may claim a CPU whose counters are not there, or stand still: see whether a
 * value can be written and read back.
 */
static bool counters_work(void)
{
	const u64 pattern = 0xabcd;
	u64 control, counter, value;
	bool work;

	if (!op_x86_counter_reserve(&model, 0))
		return true; /* they are in use */
	preempt_disable();
	work = op_msr_read_safe(model.bank.control, &control) &&
	       op_msr_read_safe(model.bank.counter, &counter) &&
	       op_msr_write_safe(model.bank.write, pattern) &&
	       op_msr_read_safe(model.bank.counter, &value) && value == pattern;
	if (work)
		op_msr_write(model.bank.write, counter);
	preempt_enable();
	op_x86_counter_release(&model, 0);
	return work;
}

static int x86_probe(void)
{
	struct op_x86_identity identity;

	if (!boot_cpu_has(X86_FEATURE_APIC) || boot_cpu_has(X86_FEATURE_XENPV))
		return -ENODEV;
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU)) /* the CPUs differ, and have one model here */
		return -ENODEV;
	op_x86_identify(&identity);
	if (!op_x86_model_find(&identity, &model) || model.unreserved || !counters_work())
		return -ENODEV;
	return 0;
}

static void release_counters(unsigned int nr)
{
	while (nr)
		op_x86_counter_release(&model, plan.hardware[--nr]->hardware);
}

static int reserve_counters(void)
{
	unsigned int i;

	for (i = 0; i < plan.nr_hardware; i++) {
		if (op_x86_counter_reserve(&model, plan.hardware[i]->hardware))
			continue;
		snprintf(reason, sizeof(reason), "counter %u is held by perf or the NMI watchdog",
			 plan.hardware[i]->hardware);
		release_counters(i);
		return -EBUSY;
	}
	return 0;
}

static int handle_nmi(unsigned int type, struct pt_regs *regs)
{
	return op_x86_pmu_handle(regs);
}

static int x86_start(void)
{
	int err = reserve_counters();

	if (err && !op_backend_has_stand_in())
		op_log_refusal("%s; \"echo 0 > /proc/sys/kernel/nmi_watchdog\" frees the latter\n",
			       reason);
	return err;
}

static void x86_stop(void)
{
	release_counters(plan.nr_hardware);
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

	err = op_x86_plan_make(&model, &plan);
	if (err)
		return err;
	op_x86_times_reset();
	if (!op_backend_has_stand_in()) {
		err = try_counters();
		if (err)
			return err;
	}
	return register_nmi_handler(NMI_LOCAL, handle_nmi, 0, "oprofile_pmu");
}

static void x86_shutdown(void)
{
	unregister_nmi_handler(NMI_LOCAL, "oprofile_pmu"); /* none is running any more */
}

static void x86_cpu_start(unsigned int cpu)
{
	op_x86_pmu_set_nmi_cost(op_x86_nmi_cost());
	op_x86_pmu_start(&plan);
	if (plan.nr_groups > 1)
		op_x86_rotation_start();
}

static void x86_cpu_stop(unsigned int cpu)
{
	if (plan.nr_groups > 1)
		op_x86_rotation_stop();
	op_x86_pmu_stop();
}

static unsigned long held; /* hardware counters that were not offered last */

static bool is_offered(const struct op_x86_model *of, unsigned int number)
{
	unsigned int hardware = op_x86_hardware_counter(of, number);

	if (op_backend_has_stand_in() || op_x86_counter_free(of, hardware))
		return true;
	__set_bit(hardware, &held);
	return false;
}

static int x86_create_files(struct dentry *root)
{
	int err;

	held = 0;
	err = op_x86_counters_create(root, &model, is_offered) ?:
	      op_x86_rotation_create_files(root);
	if (held)
		op_log_refusal("counters held by perf or the NMI watchdog are not offered: %*pbl\n",
			       BITS_PER_LONG, &held);
	return err;
}

static int x86_create_stats(struct dentry *stats)
{
	return op_x86_times_create(stats, op_x86_numbers(&model), op_backend_refresh_times);
}

static const char *x86_cpu_type(void)
{
	return model.cpu_type;
}

static const char *x86_reason(void)
{
	return reason;
}

const struct oprofile_backend op_x86_backend = {
	.name = "x86",
	.probe = x86_probe,
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
