/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NMIs of ours that find nothing to handle may come, each for an overflow that was found early: by
 * the NMI of another counter, or by a switch or a stop.
 *
 * They are raised already, so they come as soon as NMIs can, and after that an NMI that finds
 * nothing is somebody else's.  This is a number and no phase (phase.h): an NMI expects them,
 * or what NMIs interrupt, in one phase, and they come in any.
 */
#ifndef OPROFILE_X86_LATE_H
#define OPROFILE_X86_LATE_H

#include <linux/types.h>

struct pt_regs;

/**
 * struct op_x86_late - of one CPU
 * @nr: how many may still come, up to @until
 * @until: time stamp
 * @ip, @sp: where the NMI came that handled them; @ip ULONG_MAX: there is none.  One that waited
 *	meanwhile comes before the next instruction there, however long that takes: a second, say,
 *	where a hypervisor has other guests to run
 */
struct op_x86_late {
	unsigned int nr;
	u64 until;
	unsigned long ip;
	unsigned long sp;
};

/**
 * op_x86_late_expect - from now on @nr may come, and no others that were expected before
 * @now: time stamp
 * @us: how long they take at most
 * @regs: NULL, or what was interrupted by the NMI that found their overflows
 *
 * Context: any, NMI too; on its CPU.
 */
void op_x86_late_expect(struct op_x86_late *late, unsigned int nr, u64 now, unsigned int us,
			const struct pt_regs *regs);

/*
 * Is an NMI that finds nothing one of them?  Then there is one less.  @now: time stamp.  Context:
 * NMI, on its CPU.
 */
bool op_x86_late_take(struct op_x86_late *late, u64 now, const struct pt_regs *regs);

#endif
