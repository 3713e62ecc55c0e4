/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the unmap hook saw where it may neither lock nor allocate: in NMI, and on PREEMPT_RT, whose
 * locks sleep, wherever preemption is off, as it is in each kprobe.
 *
 * It is written into one of a fixed number of places of its CPU, with references that keep it
 * true, and taken over by a worker right afterwards, or by a sync that comes before that.
 */
#ifndef OPROFILE_POSTPONED_H
#define OPROFILE_POSTPONED_H

#include <linux/types.h>

#include "images/area.h"

struct file;
struct mm_struct;

/**
 * struct op_unmapping - a part of an executable file mapping, or an area, goes away
 * @mm: where it was
 * @file: what was mapped; NULL: no file, but @area
 * @program: what @mm runs, if that may be gone from it when this is read; or NULL
 * @start, @end: the part, page-aligned addresses
 * @offset: of @start in @file, bytes; of an area, @start itself
 * @epoch: of mappings, see unmapped.h, when it went away
 */
struct op_unmapping {
	struct mm_struct *mm;
	struct file *file;
	struct file *program;
	unsigned long start;
	unsigned long end;
	u64 offset;
	u32 epoch;
	struct op_area area;
};

/**
 * op_postpone - keep what goes away until op_postponed_take()
 * @unmapping: copied; references are taken, @program is found out
 *
 * Context: preemption off, NMI too, but not in one that interrupts this.  Return: false if no
 * place is free.
 */
bool op_postpone(const struct op_unmapping *unmapping);

/* Takes over what was postponed before the call began.  Context: process, may sleep. */
void op_postponed_take(void);

/**
 * op_postponed_set_up - begin
 * @take: what is called with each; references are dropped behind it.  Context: process.
 *
 * Context: process, may sleep.  Return: 0 or -ENOMEM.
 */
int op_postponed_set_up(void (*take)(const struct op_unmapping *unmapping));
void op_postponed_tear_down(void); /* takes over what is left; no hook may be active */

#endif
