/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Callers in a program, by the unwind tables of its images: in NMI.
 */
#ifndef OPROFILE_UNWIND_WALK_H
#define OPROFILE_UNWIND_WALK_H

#include <linux/types.h>

struct op_frames;
struct pt_regs;

/**
 * op_unwind_user - log the callers of a program
 * @regs: of 64-bit user code; all of them are what they were there
 * @frames: the addresses are added; of code that a signal has interrupted, the address of the
 *	instruction + 1: the byte below each is in its function
 *
 * Code of which there is no row is left by its frame pointer.  Faults nothing in; bounded by the
 * depth of @frames.  Context: NMI or hard interrupt.
 *
 * Return: false if nothing is known of the address space: there is nothing in @frames then.
 */
bool op_unwind_user(struct pt_regs *regs, struct op_frames *frames);

#ifdef CONFIG_X86

int op_unwind_set_up(void);	 /* Context: process, may sleep.  Return: 0 or -ENOMEM. */
void op_unwind_tear_down(void);	 /* no producer, no hook, no sync may be left */

#else

static inline int op_unwind_set_up(void)
{
	return 0;
}

static inline void op_unwind_tear_down(void)
{
}

#endif

#endif
