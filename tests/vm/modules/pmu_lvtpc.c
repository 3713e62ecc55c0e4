// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples a loop of its own by the overflow of one Intel counter, as simply as can be, and with
 * or without setting LVTPC again, which the local APIC masks with each interrupt:
 *
 *	insmod pmu_lvtpc.ko unmask=1 period=10007 overflows=100
 *	cat /sys/module/pmu_lvtpc/parameters/{samples,elsewhere}
 *
 * Then, not sampled, it runs a loop of device_turns turns that accesses a device.
 * The first loop is OVERFLOWS periods long.  Of all samples, those "elsewhere" were not in it.
 * Nobody else may use the counters meanwhile.
 */
#include <linux/module.h>
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>

#define SELECT_KERNEL_INSTRUCTIONS 0x5200c0 /* enabled, with interrupt */

static bool unmask = true;
module_param(unmask, bool, 0444);
static uint period = 10007;
module_param(period, uint, 0444);
static uint overflows = 100;
module_param(overflows, uint, 0444);
static uint device_turns = 1000;
module_param(device_turns, uint, 0444);
static uint samples;
module_param(samples, uint, 0444);
static uint elsewhere;
module_param(elsewhere, uint, 0444);

static struct {
	u64 select, counter, control;
	u32 lvtpc;
} saved;

/* What is sampled: two instructions a turn.  Its section tells where it is. */
static noinline __aligned(64) __section(".text.pmu_loop") void loop(unsigned long turns)
{
	asm volatile("1:\tdec %0\n\t"
		     "jnz 1b"
		     : "+r"(turns)
		     :
		     : "cc");
}

/*
 * Three instructions a turn, the first of which QEMU can't execute within translated code: it
 * leaves a block in the middle.  The register is the APIC's version.
 */
static noinline __aligned(64) __section(".text.pmu_device") void device_loop(unsigned long turns)
{
	unsigned int value;

	asm volatile("1:\tmov (%2), %1\n\t"
		     "dec %0\n\t"
		     "jnz 1b"
		     : "+r"(turns), "=&r"(value)
		     : "r"(APIC_BASE + APIC_LVR)
		     : "cc");
}

static void reload(void)
{
	wrmsrq(MSR_ARCH_PERFMON_PERFCTR0, -(u64)period);
}

static int overflowed(unsigned int type, struct pt_regs *regs)
{
	unsigned long in_loop = regs->ip - (unsigned long)loop;
	u64 status;

	rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS, status);
	if (!(status & 1))
		return NMI_DONE;
	wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	samples++;
	if (in_loop >= 64)
		elsewhere++;
	reload();
	wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, 1);
	if (unmask)
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 1);
	return NMI_HANDLED;
}

static void save(void)
{
	rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0, saved.select);
	rdmsrq(MSR_ARCH_PERFMON_PERFCTR0, saved.counter);
	rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL, saved.control);
	saved.lvtpc = apic->read(APIC_LVTPC);
}

static void restore(void)
{
	wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0, saved.select);
	wrmsrq(MSR_ARCH_PERFMON_PERFCTR0, saved.counter);
	wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, 1);
	wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, saved.control);
	apic->write(APIC_LVTPC, saved.lvtpc);
}

static int __init pmu_lvtpc_init(void)
{
	unsigned long flags;
	int error;

	if (!boot_cpu_has(X86_FEATURE_ARCH_PERFMON) || apic_is_x2apic_enabled())
		return -ENODEV;
	if (!period || period > INT_MAX || !overflows || overflows > 10000 || !device_turns)
		return -EINVAL;
	error = register_nmi_handler(NMI_LOCAL, overflowed, 0, "pmu_lvtpc");
	if (error)
		return error;

	local_irq_save(flags);
	save();
	wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	apic->write(APIC_LVTPC, APIC_DM_NMI);
	reload();
	wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0, SELECT_KERNEL_INSTRUCTIONS);
	wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 1);
	loop((unsigned long)period * overflows / 2);
	restore();
	device_loop(device_turns);
	local_irq_restore(flags);

	unregister_nmi_handler(NMI_LOCAL, "pmu_lvtpc");
	return 0;
}

static void __exit pmu_lvtpc_exit(void)
{
}

module_init(pmu_lvtpc_init);
module_exit(pmu_lvtpc_exit);
MODULE_DESCRIPTION("Samples with and without unmasking LVTPC");
MODULE_LICENSE("GPL");
