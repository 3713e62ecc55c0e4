/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which address spaces have samples, and of when: epochs, and marks that last for periods.
 *
 * The epoch is a number that grows when executable memory has been mapped, anywhere, and when an
 * address space ends.  Samples carry it, and so does what is remembered of unmapped memory: see
 * unmapped.h.
 *
 * A mark says that an address space has had a sample.  It lasts to the end of the period after the
 * one that it was made in.
 */
#ifndef OPROFILE_MARKS_H
#define OPROFILE_MARKS_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct mm_struct;

extern atomic_t op_mapping_epoch; /* only for op_epoch_now() */

/* The present epoch.  It wraps; compare by op_epoch_not_later().  Any context, NMI too. */
static inline u32 op_epoch_now(void)
{
	return atomic_read(&op_mapping_epoch); /* mark:B */
}

/* Is @a at or before @b? */
static inline bool op_epoch_not_later(u32 a, u32 b)
{
	return (s32)(a - b) <= 0;
}

/*
 * Executable memory has been mapped, or an address space ends.  Any context, NMI too.  Return: the
 * epoch before.
 */
u32 op_epoch_advance(void);

extern unsigned int op_mark_period; /* only for op_mark_period_now() */

/* The present period.  Any context, NMI too. */
static inline unsigned int op_mark_period_now(void)
{
	return READ_ONCE(op_mark_period);
}

/**
 * op_mark_sampled - regions of @mm must be remembered from now on
 * @period: the present one
 *
 * Regions of an address space without a sample are not worth a record.  Once in a period is
 * enough.  Any context, NMI too.
 */
void op_mark_sampled(const struct mm_struct *mm, unsigned int period);

/* Does a mark of @mm last?  Perhaps one of another address space.  Any context, NMI too. */
bool op_was_sampled(const struct mm_struct *mm);

/**
 * op_mark_period_over - may the present period end?
 * @hurry: ask for what is waited for; on a quiet machine it takes long else
 * @epoch: if it may, set to the epoch that the period began with: all samples of earlier ones have
 *	been published, and met by a sync
 *
 * Context: process; after each sync, by one thread at a time.
 */
bool op_mark_period_over(bool hurry, u32 *epoch);

/*
 * Ends the present period, and begins the next; older marks go.  @kept: something is remembered
 * that is to become old.  Context: as op_mark_period_over().
 */
void op_mark_period_begin(bool kept);

/* No marks.  Context: process; nothing else may run. */
void op_marks_set_up(void);

#endif
