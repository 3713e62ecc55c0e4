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
 * @mm: where it was; compared, never followed
 * @live: the same; of no use when it is read later than in the hook
 * @dying: the same, if it is to be kept; or NULL
 * @file: what was mapped; NULL: no file, but @area
 * @exe: where mm->exe_file was; compared, never followed
 * @program: what @mm runs, if that may be gone from it when this is read; or NULL
 * @start, @end: the part, page-aligned addresses; none: the address space itself ends
 * @offset: of @start in @file, bytes; of an area, @start itself
 * @epoch: of mappings, see unmapped.h, when it went away
 * @account: whose it was, if @program is there
 * @exiting: all of @mm goes away
 */
struct op_unmapping {
	const struct mm_struct *mm;
	struct mm_struct *live;
	struct mm_struct *dying;
	struct file *file;
	const struct file *exe;
	struct file *program;
	unsigned long start;
	unsigned long end;
	u64 offset;
	u32 epoch;
	u16 account;
	bool exiting;
	struct op_area area;
};

/**
 * op_postpone - keep what goes away until op_postponed_take()
 * @unmapping: copied; references to what it has are taken, @program and @account are found out
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
