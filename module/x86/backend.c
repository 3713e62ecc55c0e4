// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend x86: the performance counters of the CPUs, sampled by NMI.
 */
#include <linux/errno.h>
#include <linux/printk.h>

#include <asm/cpufeature.h>
#include <asm/nmi.h>

#include "backend.h"
#include "backtrace.h"
#include "x86/counter.h"
#include "x86/model.h"
#include "x86/msr.h"
#include "x86/plan.h"
#include "x86/pmu.h"
#include "x86/reserve.h"
#include "x86/rotation.h"
#include "x86/times.h"

static struct op_x86_model model;
static struct op_x86_plan plan;

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
	work = op_msr_read_safe(model.bank.control, &control) &&
	       op_msr_read_safe(model.bank.counter, &counter) &&
	       op_msr_write_safe(model.bank.write, pattern) &&
	       op_msr_read_safe(model.bank.counter, &value) && value == pattern;
	if (work)
		op_msr_write(model.bank.write, counter);
	op_x86_counter_release(&model, 0);
	return work;
}

static int x86_probe(void)
{
	struct op_x86_identity identity;

	if (!boot_cpu_has(X86_FEATURE_APIC) || boot_cpu_has(X86_FEATURE_XENPV))
		return -ENODEV;
	op_x86_identify(&identity);
	if (!op_x86_model_find(&identity, &model) || !counters_work())
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
		pr_err("counter %u is held by perf or the NMI watchdog; \"echo 0 > /proc/sys/kernel/nmi_watchdog\" frees the latter\n",
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

static int x86_setup(void)
{
	int err;

	err = op_x86_plan_make(&model, &plan);
	if (err)
		return err;
	op_x86_times_reset();
	err = reserve_counters();
	if (err)
		return err;
	err = register_nmi_handler(NMI_LOCAL, handle_nmi, 0, "oprofile_pmu");
	if (err)
		release_counters(plan.nr_hardware);
	return err;
}

static void x86_shutdown(void)
{
	unregister_nmi_handler(NMI_LOCAL, "oprofile_pmu"); /* none is running any more */
	release_counters(plan.nr_hardware);
}

static void x86_cpu_start(unsigned int cpu)
{
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

static bool is_offered(const struct op_x86_model *of, unsigned int number)
{
	unsigned int hardware = op_x86_hardware_counter(of, number);

	if (op_x86_counter_free(of, hardware))
		return true;
	if (number == hardware)
		pr_info("counter %u is held by perf or the NMI watchdog, and not offered\n",
			number);
	return false;
}

static int x86_create_files(struct dentry *root)
{
	return op_x86_counters_create(root, &model, is_offered) ?:
	       op_x86_rotation_create_files(root);
}

static int x86_create_stats(struct dentry *stats)
{
	return op_x86_times_create(stats, op_x86_numbers(&model), NULL);
}

static const char *x86_cpu_type(void)
{
	return model.cpu_type;
}

const struct oprofile_backend op_x86_backend = {
	.name = "x86",
	.probe = x86_probe,
	.setup = x86_setup,
	.shutdown = x86_shutdown,
	.cpu_start = x86_cpu_start,
	.cpu_stop = x86_cpu_stop,
	.create_files = x86_create_files,
	.create_stats = x86_create_stats,
	.cpu_type = x86_cpu_type,
	.backtrace = op_backtrace,
};
