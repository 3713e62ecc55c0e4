// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reserves all counters by the kernel's book-keeping, as a driver of another profiler does: neither
 * perf nor the backend x86 can have any until it is unloaded.
 */
#include <linux/module.h>

#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <asm/nmi.h>
#include <asm/processor.h>

#define NR_MAX 8

struct bank {
	unsigned int control, counter, stride, nr;
};

static const struct bank intel = { MSR_P6_EVNTSEL0, MSR_P6_PERFCTR0, 1, NR_MAX };
static const struct bank amd = { MSR_K7_EVNTSEL0, MSR_K7_PERFCTR0, 1, 4 };
static const struct bank amd_core = { MSR_F15H_PERF_CTL, MSR_F15H_PERF_CTR, 2, 6 };

static const struct bank *bank;
static unsigned int nr_held;

static void release_all(void)
{
	while (nr_held) {
		nr_held--;
		release_evntsel_nmi(bank->control + nr_held * bank->stride);
		release_perfctr_nmi(bank->counter + nr_held * bank->stride);
	}
}

static int __init hold_counters_init(void)
{
	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL)
		bank = &intel;
	else
		bank = boot_cpu_has(X86_FEATURE_PERFCTR_CORE) ? &amd_core : &amd;
	for (; nr_held < bank->nr; nr_held++) {
		if (!reserve_perfctr_nmi(bank->counter + nr_held * bank->stride))
			break;
		if (!reserve_evntsel_nmi(bank->control + nr_held * bank->stride)) {
			release_perfctr_nmi(bank->counter + nr_held * bank->stride);
			break;
		}
	}
	if (nr_held == bank->nr)
		return 0;
	release_all();
	return -EBUSY;
}

static void __exit hold_counters_exit(void)
{
	release_all();
}

module_init(hold_counters_init);
module_exit(hold_counters_exit);
MODULE_DESCRIPTION("Holds all performance counters");
MODULE_LICENSE("GPL");
