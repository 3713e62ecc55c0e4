/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the machine alive when samples come faster than it can log them: when handling them
 * takes more than a share of a CPU's time, its periods are doubled.
 */
#ifndef OPROFILE_X86_GUARD_H
#define OPROFILE_X86_GUARD_H

#include <linux/types.h>

/* One run of the handler in so many is timed: the clock, too, takes time. */
#define OP_GUARD_TURN 8

/**
 * struct op_guard - of one CPU; zeroed before the first use
 * @busy: mean time of a run of the handler
 * @interval: mean time between the beginnings of two timed runs
 * @last: when the last timed run began
 * @runs: of the handler, all of them
 * @timed: runs that were timed since the means were begun anew
 * @shift: periods are 2^shift times what was asked for
 *
 * Times in any one unit that does not jump, such as cycles of the time stamp counter.
 */
struct op_guard {
	u64 busy;
	u64 interval;
	u64 last;
	unsigned int runs;
	unsigned int timed;
	u8 shift;
};

#define OP_GUARD_SHIFT_MAX 12

/* Is the run of the handler that begins now to be timed?  Ask once a run.  Context: NMI. */
static inline bool op_guard_begins_turn(struct op_guard *guard)
{
	return ++guard->runs % OP_GUARD_TURN == 0;
}

/**
 * op_guard_account - a timed run of the handler lasted from @begin to @end
 * @percent: of the CPU's time that it may take; 0: no limit
 *
 * Context: NMI.  Return: true if the periods have just been doubled.
 */
bool op_guard_account(struct op_guard *guard, u64 begin, u64 end, unsigned int percent);

#endif
