/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long each counter was to count, and how long it did: reports scale by this.
 *
 *	stats/counterN/enabled_ns	all CPUs together
 *	stats/counterN/running_ns
 *
 * Both count from when the buffer was opened, over all starts of profiling: so long a counter
 * counts the same.  They are equal if it was not multiplexed.  The time since the last switch,
 * or since the start without multiplexing, is added when the CPU stops counting.
 */
#ifndef OPROFILE_X86_TIMES_H
#define OPROFILE_X86_TIMES_H

#include <linux/types.h>

struct dentry;

/**
 * op_x86_times_create - add the directories to stats/
 * @nr: of the counters 0 ... @nr - 1
 * @refresh: called before each read, if the backend keeps times of its own; NULL: none
 *
 * Context: process, may sleep.  Return: 0 or a negative errno.
 */
int op_x86_times_create(struct dentry *stats, unsigned int nr, void (*refresh)(void));

/* Adds to the times of counter @number on @cpu.  Context: one at a time for a CPU. */
void op_x86_times_add(unsigned int cpu, unsigned int number, u64 enabled_ns, u64 running_ns);

/* Sets all to zero.  No CPU may be adding. */
void op_x86_times_reset(void);

#endif
