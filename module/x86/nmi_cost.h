/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an NMI costs beside its handler: the way into the kernel, the other handlers, and back.  It
 * is measured, as it depends on the machine, its mitigations and its hypervisor.
 */
#ifndef OPROFILE_X86_NMI_COST_H
#define OPROFILE_X86_NMI_COST_H

#include <linux/types.h>

/*
 * Sends NMIs to this CPU.  Context: process bound to the CPU, with the handler that calls
 * op_x86_nmi_cost_claim() registered, and no counter running.
 * Return: cycles of the time stamp counter, the least of some tries; 0 if no NMI came.
 */
u64 op_x86_nmi_cost(void);

/* Is this NMI one of those?  Context: NMI. */
bool op_x86_nmi_cost_claim(void);

#endif
