/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model-specific registers, and the local APIC's entry for performance interrupts.
 *
 * All access goes through here, so that tests can put a register file in the place of the
 * machine.  Context: any, NMI too; this CPU's registers.
 */
#ifndef OPROFILE_X86_MSR_H
#define OPROFILE_X86_MSR_H

#include <linux/types.h>

#include <asm/apic.h>
#include <asm/msr.h>

/*
 * The instructions themselves, without tracing or a hypervisor's hook, as these are the NMI
 * handler's most frequent steps.  So a Xen PV guest gets no backend x86.
 */
static inline u64 op_msr_read(u32 msr)
{
	return native_rdmsrq(msr);
}

static inline void op_msr_write(u32 msr, u64 value)
{
	native_wrmsrq(msr, value);
}

/* The safe ones return false if there is no such register; not in NMI. */
static inline bool op_msr_read_safe(u32 msr, u64 *value)
{
	return !rdmsrq_safe(msr, value);
}

static inline bool op_msr_write_safe(u32 msr, u64 value)
{
	return !wrmsrq_safe(msr, value);
}

static inline u32 op_lvtpc_read(void)
{
	return apic->read(APIC_LVTPC);
}

static inline void op_lvtpc_write(u32 value)
{
	apic->write(APIC_LVTPC, value);
}

#endif
