/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When a CPU has something to do: from its switch from the idle task to another one until it
 * switches back, and while softirqs are served out of the idle task.  Hard interrupts that find a
 * CPU idle, and what wakes it, are not counted as something to do.
 */
#ifndef OPROFILE_BUSY_H
#define OPROFILE_BUSY_H

#include <linux/types.h>

#ifdef CONFIG_TRACEPOINTS

/**
 * op_busy_set_up - watch the CPUs
 * @change: called on the CPU with interrupts off, and perhaps with its run queue locked, each time
 *	that it begins or ends to have something to do; perhaps twice in a row with the same
 *
 * Context: process, may sleep.  Return: 0, or why the kernel cannot be watched: then @change is
 * never called.
 */
int op_busy_set_up(void (*change)(bool busy));
void op_busy_tear_down(void); /* if it was set up; then @change is not running any more */

#else

#include <linux/errno.h>

static inline int op_busy_set_up(void (*change)(bool busy))
{
	return -EOPNOTSUPP;
}

static inline void op_busy_tear_down(void)
{
}

#endif

#endif
