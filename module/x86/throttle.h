/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the machine alive when samples come faster than it can log them: when handling them
 * takes more than a share of a CPU's time, its periods are doubled.
 */
#ifndef OPROFILE_X86_THROTTLE_H
#define OPROFILE_X86_THROTTLE_H

#include <linux/types.h>

/* One run of the handler in so many is timed: the clock, too, takes time. */
#define OP_THROTTLE_RUNS_PER_TIMING 8

/**
 * struct op_throttle - of one CPU; zeroed before the first use
 * @busy: mean time of a run of the handler
 * @interval: mean time between the beginnings of two timed runs
 * @last: when the last timed run began
 * @runs: of the handler, all of them
 * @timed: runs that were timed since the means were reset
 * @shift: periods are 2^shift times what was asked for
 *
 * Times in any one unit that does not jump, such as cycles of the time stamp counter.
 */
struct op_throttle {
	u64 busy;
	u64 interval;
	u64 last;
	unsigned int runs;
	unsigned int timed;
	u8 shift;
};

#define OP_THROTTLE_SHIFT_MAX 12

/* True if the run of the handler that begins now is timed.  Call once a run.  Context: NMI. */
static inline bool op_throttle_times_run(struct op_throttle *throttle)
{
	return ++throttle->runs % OP_THROTTLE_RUNS_PER_TIMING == 0;
}

/**
 * op_throttle_account - a timed run of the handler lasted from @begin to @end
 * @percent: of the CPU's time that it may take; 0: no limit
 *
 * Context: NMI.  Return: true if the periods have just been doubled.
 */
bool op_throttle_account(struct op_throttle *throttle, u64 begin, u64 end, unsigned int percent);

#endif
