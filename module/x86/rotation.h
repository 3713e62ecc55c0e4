/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A timer on each CPU that switches to the next group of counters after each time slice.
 *
 * Slices are spread at random: with two groups and slices of 1 ms, a clock tick each 4 ms would
 * always fall to the same group.
 */
#ifndef OPROFILE_X86_ROTATION_H
#define OPROFILE_X86_ROTATION_H

#define OP_X86_TIME_SLICE_MAX 1000 /* ms */
#define OP_X86_TIME_SLICE_DEFAULT 1

struct dentry;

/* Adds the entry `time_slice`, mean ms.  Context: process.  Return: 0 or a negative errno. */
int op_x86_rotation_create_files(struct dentry *root);

/*
 * On this CPU, in process context bound to it, after op_x86_pmu_start() and before
 * op_x86_pmu_stop().
 */
void op_x86_rotation_start(void);
void op_x86_rotation_stop(void); /* no switch is on its way when it returns */

#endif
