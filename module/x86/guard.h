/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the machine alive when samples come faster than it can log them: when handling them
 * takes more than a share of a CPU's time, its periods are doubled.
 */
#ifndef OPROFILE_X86_GUARD_H
#define OPROFILE_X86_GUARD_H

#include <linux/types.h>

/**
 * struct op_guard - of one CPU; zeroed before the first use
 * @busy: mean time in the handler
 * @interval: mean time between the beginnings of two of its runs
 * @last: when it began the last time
 * @runs: since the means were begun anew
 * @shift: periods are 2^shift times what was asked for
 *
 * Times in any one unit that does not jump, such as cycles of the time stamp counter.
 */
struct op_guard {
	u64 busy;
	u64 interval;
	u64 last;
	unsigned int runs;
	u8 shift;
};

#define OP_GUARD_SHIFT_MAX 12

/**
 * op_guard_account - the handler ran from @begin to @end
 * @percent: of the CPU's time that it may take; 0: no limit
 *
 * Context: NMI.  Return: true if the periods have just been doubled.
 */
bool op_guard_account(struct op_guard *guard, u64 begin, u64 end, unsigned int percent);

#endif
