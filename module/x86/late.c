// SPDX-License-Identifier: GPL-2.0-only
/*
 * NMIs that are late.
 */
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/ptrace.h>
#include <linux/time64.h>

#include <asm/tsc.h>

#include "x86/late.h"

void op_x86_late_expect(struct op_x86_late *late, unsigned int nr, u64 now, unsigned int us,
			const struct pt_regs *regs)
{
	late->until = now + div_u64((u64)us * tsc_khz, USEC_PER_MSEC);
	late->ip = regs ? regs->ip : ULONG_MAX;
	late->sp = regs ? regs->sp : 0;
	barrier(); /* an NMI that sees the one sees the other */
	late->nr = nr;
}

NOKPROBE_SYMBOL(op_x86_late_expect);

bool op_x86_late_take(struct op_x86_late *late, u64 now, const struct pt_regs *regs)
{
	bool same_place = regs->ip == late->ip && regs->sp == late->sp;
	s64 patience = same_place ? (s64)tsc_khz * MSEC_PER_SEC : 0;

	if (!late->nr)
		return false;
	if ((s64)(now - late->until) > patience) {
		late->nr = 0;
		return false;
	}
	late->nr--;
	return true;
}

NOKPROBE_SYMBOL(op_x86_late_take);
