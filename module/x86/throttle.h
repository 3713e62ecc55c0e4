/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the machine alive when samples come faster than it can log them: when handling them
 * takes more than a share of a CPU's time, its periods are doubled; when they would take less even
 * so, they are halved again.
 */
#ifndef OPROFILE_X86_THROTTLE_H
#define OPROFILE_X86_THROTTLE_H

#include <linux/types.h>

/* One run of the handler in so many is timed: the clock, too, takes time.  A power of two. */
#define OP_THROTTLE_RUNS_PER_TIMING 32

/**
 * struct op_throttle - of one CPU
 * @busy: mean time of a run of the handler
 * @interval: mean time between the beginnings of two timed runs
 * @last: when the last timed run began
 * @runs: of the handler, all of them
 * @untimed: runs between two that are timed
 * @timed: runs that were timed since the means were reset
 * @around: time that an interrupt takes beside the handler, which does not see it: the CPU's way
 *	into the kernel, other handlers, and back
 * @shift: periods are 2^shift times what was asked for
 *
 * Times in any one unit that does not jump, such as cycles of the time stamp counter.
 */
struct op_throttle {
	u64 busy;
	u64 interval;
	u64 last;
	unsigned int runs;
	unsigned int untimed;
	unsigned int timed;
	u64 around;
	u8 shift;
};

#define OP_THROTTLE_SHIFT_MAX 12

/* Before the first use.  One run in @runs_per_timing is timed, a power of two. */
void op_throttle_begin(struct op_throttle *throttle, unsigned int runs_per_timing, u64 around);

/* True if the run of the handler that begins now is timed.  Call once a run.  Context: NMI. */
static inline bool op_throttle_times_run(struct op_throttle *throttle)
{
	return !(++throttle->runs & throttle->untimed);
}

/**
 * op_throttle_account - a timed run of the handler lasted from @begin to @end
 * @percent: of the CPU's time that it may take; 0: no limit
 *
 * Context: NMI.  Return: 1 if the periods have just been doubled, -1 if they were halved, else 0.
 */
int op_throttle_account(struct op_throttle *throttle, u64 begin, u64 end, unsigned int percent);

#endif
