// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of an NMI.
 */
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include <asm/tsc.h>

#include "x86/nmi_cost.h"

#define TRIES 8
#define PATIENCE_MS 10 /* an NMI to oneself comes at once, or never */

/* One is on its way to this CPU, or has been lost. */
static DEFINE_PER_CPU(bool, expected);

static u64 one_nmi(void)
{
	bool *waits = this_cpu_ptr(&expected);
	unsigned long flags;
	u64 begin, passed;

	local_irq_save(flags);
	WRITE_ONCE(*waits, true);
	begin = rdtsc_ordered();
	apic->send_IPI(smp_processor_id(), NMI_VECTOR);
	do {
		passed = rdtsc_ordered() - begin;
	} while (READ_ONCE(*waits) && passed < (u64)PATIENCE_MS * tsc_khz);
	local_irq_restore(flags);
	return READ_ONCE(*waits) ? 0 : passed;
}

u64 op_x86_nmi_cost(void)
{
	u64 least = U64_MAX;
	int i;

	for (i = 0; i < TRIES && least; i++)
		least = min(least, one_nmi());
	return least;
}

bool op_x86_nmi_cost_claim(void)
{
	bool *waits = this_cpu_ptr(&expected);

	if (!READ_ONCE(*waits))
		return false;
	WRITE_ONCE(*waits, false);
	return true;
}

NOKPROBE_SYMBOL(op_x86_nmi_cost_claim);
